#include <catch2/catch.hpp>
#include "lapwing/base/version.hpp"

#include <algorithm>
#include <string>

TEST_CASE("the version has three numbers") {
    const std::string version = lapwing::version();
    REQUIRE(std::count(version.begin(), version.end(), '.') == 2);
}
