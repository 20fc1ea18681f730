#pragma once
// Semi-Lagrangian advection: what arrives at a point is fetched from where the air was a step before.
//
// Along a trajectory that ends at a point A of the grid and began at its departure point D, 2 dt before, a leapfrog
// takes the mean of the tendencies N (without advection along the layers) at both ends,
//
//   next(A) = Y(D) + dt N(A),    Y = old + dt N,
//
// so that one field Y is interpolated for each quantity (cubic, 4 x 4 points), on layers; the vertical stays Eulerian.
// Trajectories follow the wind now at their middle, which two iterations find (Robert 1981).
#include <vector>

#include "lapwing_weather/points.hpp"
#include "lapwing_weather/walls.hpp"

namespace lapwing_weather {

// Widest halo that departure points may lie in, and how far they may be for it: a cubic needs two points beyond, cells.
inline constexpr int departure_halo = 10;
inline constexpr double farthest_departure = departure_halo - 2;
// Least halo: near an edge the four points of a cubic all lie on one side.
inline constexpr int least_departure_halo = 3;

// The displacement of the air along x and y by the wind in a step, at the centres of cells: in cells, a level for each
// layer and one for the pressure of the surface, which moves with the mean wind. Raises `widest` to the halo that the
// farthest departure point of the cells needs, cells. Local; reads winds one cell behind along their axes.
struct Displacements {
    std::vector<double> shares;  // of the layers in the mean wind, from the top down; sum 1
    double over_x, over_y;       // 1 over the spacings, 1/m
    const double* time_step;     // of the whole trajectory, s

    void operator()(lapwing::Box box, const Views& displacements, lapwing::View<const double> wind_x,
                    lapwing::View<const double> wind_y, double& widest) const;
};

// Adds Y of the departure points (`advected`) to dt N of the points of the grid (`stepped`). Local; reads displacements
// and Y as far around as the halo that `Displacements` found, and no departure point is farther than
// `farthest_departure`. Faces on a wall are left as they are. Cost: 16 values per cell and quantity.
struct Arrival {
    std::vector<Points> points;  // of what is advected; on no layers: moves with the mean wind
    lapwing::Index mean_level;   // of the displacements
    Walls walls;                 // departure points lie within them

    void operator()(lapwing::Box box, const Views& stepped, const ConstViews& advected,
                    const ConstViews& displacements) const;
};

}  // namespace lapwing_weather
