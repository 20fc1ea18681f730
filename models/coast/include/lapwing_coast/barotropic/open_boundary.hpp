#pragma once
// The tide at an open side of the grid: sea level prescribed as a sum of harmonic constituents.

#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// One tidal constituent in the cells of a boundary, x fastest:
// level = in_phase cos(angular_speed t) + quadrature sin(angular_speed t).
struct Constituent {
    double angular_speed = 0;
    std::vector<double> in_phase;
    std::vector<double> quadrature;

    static constexpr std::tuple declared{lapwing::Setting{"angular_speed", &Constituent::angular_speed, "1/s"},
                                         lapwing::Setting{"in_phase", &Constituent::in_phase, "m"},
                                         lapwing::Setting{"quadrature", &Constituent::quadrature, "m"}};
};

// A strip of cells whose sea level is prescribed. Land cells in it keep their 0.
struct Boundary {
    lapwing::Box cells;
    std::vector<Constituent> constituents;

    static constexpr std::tuple declared{lapwing::Setting{"cells", &Boundary::cells, ""},
                                         lapwing::Setting{"constituents", &Boundary::constituents, ""}};
};

// What the boundary kernel needs on one owned box.
struct BoundaryContext {
    lapwing::View<double> sea_level;  // at cell centres, m
    lapwing::View<double> depth;      // undisturbed, at cell centres, m; 0: land
    const Boundary* boundary = nullptr;
    const double* time = nullptr;  // of the sea level that is being computed, s
    double ramp = 0;               // the tide grows to its full amplitude within this time, s
};

// Sets the sea level in those cells of `box` that lie in the boundary; the context is a
// BoundaryContext. Reads nothing around a cell. Local.
void open_boundary(void* context, lapwing::Box box);

// Share of the full tide at `time` after a start from rest: 0 to 1 as half a cosine. Local.
double ramp_share(double time, double ramp);

}  // namespace lapwing_coast
