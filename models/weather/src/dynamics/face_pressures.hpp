#pragma once
// Surface pressure of a row of cells and at their faces: what flows of air through the sides of cells are made of.

#include "dynamics/chunks.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing_weather {

// Pressures in Pa; at faces, means of the cells on both sides.
struct FacePressures {
    Row cell, west, east, south, north;
};

// The pressures at faces of `n` cells of row j from column i on. Reads one cell to all four sides. Local.
inline void measure(const lapwing::View<const double>& pressure, lapwing::Index i, lapwing::Index j, lapwing::Index n,
                    FacePressures& p) {
    const double *here = pressure.row(j) + i, *below = pressure.row(j - 1) + i, *above = pressure.row(j + 1) + i;
#pragma omp simd
    for (lapwing::Index m = 0; m < n; ++m) {
        p.cell[m] = here[m];
        p.west[m] = 0.5 * (here[m - 1] + here[m]);
        p.east[m] = 0.5 * (here[m] + here[m + 1]);
        p.south[m] = 0.5 * (below[m] + here[m]);
        p.north[m] = 0.5 * (here[m] + above[m]);
    }
}

}  // namespace lapwing_weather
