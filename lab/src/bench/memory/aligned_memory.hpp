#pragma once
// Memory for arrays and messages, on cache lines of its own.

#include <algorithm>
#include <memory>
#include <new>

#include "lapwing/grid/box.hpp"

namespace lapwing::bench {

inline constexpr Index line_values = 8;  // doubles of a cache line

// Zeroed doubles, aligned to 64 bytes.
inline std::shared_ptr<double> aligned_doubles(Index count) {
    constexpr std::align_val_t line{line_values * sizeof(double)};
    auto* memory = static_cast<double*>(::operator new(count * sizeof(double), line));
    std::fill_n(memory, count, 0.0);
    return {memory, [](double* p) { ::operator delete(p, line); }};
}

}  // namespace lapwing::bench
