#pragma once
// Semi-Lagrangian advection: what arrives at a point is fetched from where the air was a step before.
//
// Along a path that ends at a point A of the grid and began at D, 2 dt before, a leapfrog takes the mean of the
// tendencies N (without advection along the layers) at both ends,
//
//   next(A) = Y(D) + dt N(A),    Y = old + dt N,
//
// so that one field Y is interpolated for each quantity (cubic, 4 x 4 points), on layers; the vertical stays Eulerian.
// Displacements follow the wind now, at the middle of the path, which two iterations find (Robert 1981).
#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/walls.hpp"

namespace lapwing_weather {

// Widest halo that paths may reach into, and how far they may go for it: a cubic needs two points beyond, cells.
inline constexpr int path_halo = 10;
inline constexpr double longest_path = path_halo - 2;
// Least halo: near an edge the four points of a cubic all lie on one side.
inline constexpr int least_path_halo = 3;

// How far the air moves along x and y in a step, at the centres of cells: in cells, a level for each layer and one for
// the pressure of the surface, which moves with the mean wind.
struct Displacements {
    std::array<lapwing::View<double>, 2> along;
};

struct DisplacementContext {
    lapwing::View<double> wind_x, wind_y;  // 3D, now, m/s
    Displacements displacements;
    std::vector<double> shares;         // of the layers in the mean wind, from the top down; sum 1
    double over_x = 0, over_y = 0;      // 1 over the spacings, 1/m
    const double* time_step = nullptr;  // of the whole path, s
    double* widest = nullptr;           // raised to the halo that the longest path of the cells needs, cells
};

// Makes the displacements of the cells of `box`; the context is a DisplacementContext. Local; reads winds one cell
// behind along their axes.
void find_displacements(void* context, lapwing::Box box);

// A quantity that moves with the air.
struct Moved {
    lapwing::View<double> carried;  // Y
    lapwing::View<double> stepped;  // dt N before, next after
    int axis = -1;                  // faces half a cell ahead along this axis; -1: centres
    lapwing::Index levels = 1;
    lapwing::Index path = 0;  // level of the displacements that its first level follows
};

struct PathContext {
    Displacements displacements;
    std::vector<Moved> moved;
    Walls walls;  // paths begin within them
};

// Adds to `stepped` what arrives in the cells of `box`; the context is a PathContext. Local; reads displacements and
// what is carried as far around as the halo that `find_displacements` found, and no path is longer than `longest_path`.
// Faces on a wall are left as they are. Cost: 16 values per cell and quantity.
void move(void* context, lapwing::Box box);

}  // namespace lapwing_weather
