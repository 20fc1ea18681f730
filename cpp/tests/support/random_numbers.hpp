#pragma once
// Random cases that are the same in every run.

#include <random>

#include "lapwing/grid/extent.hpp"

namespace lapwing::testing {

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    // lo <= value <= hi
    int between(int lo, int hi) { return lo + static_cast<int>(engine_() % static_cast<unsigned>(hi - lo + 1)); }
    bool coin() { return between(0, 1) == 1; }

    Extent extent(int widest) {
        Extent extent;
        for (std::size_t a = 0; a < 3; ++a) extent.lo[a] = between(0, widest), extent.hi[a] = between(0, widest);
        extent.corners = coin();
        return extent;
    }

  private:
    std::mt19937 engine_;  // its numbers are fixed by the standard, those of distributions are not
};

}  // namespace lapwing::testing
