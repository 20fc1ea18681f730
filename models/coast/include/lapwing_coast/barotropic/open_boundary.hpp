#pragma once
// The tide at an open side of the grid: sea level prescribed as a sum of harmonic constituents.

#include <vector>

#include "lapwing/base/settings.hpp"

#include "lapwing_coast/c_grid.hpp"

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

// Sets the sea level (m) in those cells of a box that lie in the boundary; `depth` is the undisturbed one, m, 0 on
// land. With drying the level falls no further than to `least_depth` of water. Reads nothing around a cell. Local.
struct OpenBoundary {
    const Boundary* boundary = nullptr;
    const double* time = nullptr;  // of the sea level that is being computed, s
    double ramp = 0;               // the tide grows to its full amplitude within this time, s
    double least_depth = 0;        // water that stays in a cell, m; 0: no drying

    void operator()(Box box, View<double> sea_level, View<const double> depth) const;
};

// Share of the full tide at `time` after a start from rest: 0 to 1 as half a cosine. Local.
double ramp_share(double time, double ramp);

}  // namespace lapwing_coast
