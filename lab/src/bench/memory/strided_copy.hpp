#pragma once
// Copying runs of doubles between two places, in three loops, as a programmer writes it for one layout.

#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing::bench {

// `run` neighbouring values, repeated in loops; the innermost loop comes first. Strides in values.
struct StridedCopy {
    struct Loop {
        Index count = 1, from = 0, to = 0;
    };
    const double* from = nullptr;
    double* to = nullptr;
    Index run = 1;
    std::array<Loop, 3> loops{};
};

// A copy over up to four nested loops, innermost first, the first of them over neighbouring values on both sides:
// loops of one turn are dropped, loops that continue the one inside are joined.
StridedCopy make_copy(const double* from, double* to, std::vector<StridedCopy::Loop> loops);

void run(const StridedCopy& copy);
inline void run(const std::vector<StridedCopy>& copies) {
    for (const StridedCopy& copy : copies) run(copy);
}

}  // namespace lapwing::bench
