#pragma once
// Cases that have nothing to check where they run say so: CTest does not see into a program.

#include <catch2/catch.hpp>

#include <iostream>
#include <string_view>

namespace lapwing::testing {

// True if the current case must be left; it then prints "skipped: CASE: needs WHAT", which `make test-cpp` counts.
inline bool skipped_unless(bool there, std::string_view what) {
    if (!there)
        std::cout << "skipped: " << Catch::getResultCapture().getCurrentTestName() << ": needs " << what << "\n";
    return !there;
}

}  // namespace lapwing::testing
