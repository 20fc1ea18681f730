#pragma once
// Layers that follow the bottom and the surface: all those of a column are equally thick.

#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box. Fields have x fastest in memory; those without "3D" have no levels.
struct LayersContext {
    lapwing::View<double> sea_level;                      // at cell centres, m
    lapwing::View<double> depth;                          // undisturbed, at cell centres, m; 0: land
    std::array<lapwing::View<double>, 2> face_depth;      // undisturbed, at x and y faces, m; 0: closed
    lapwing::View<double> thickness;                      // 3D, at cell centres, m; written
    std::array<lapwing::View<double>, 2> over_thickness;  // 1 over that of a layer at the faces, 1/m; written
    lapwing::Index levels = 1;
};

// Computes how thick the layers are in the columns of `box`, and at the faces towards larger indices; the context is a
// LayersContext.
//
//   h = (depth + sea level) / levels,   at a face with the mean sea level of both sides
//
// Land has layers of 1 m, in which nothing flows, and 1/h is 0 at a closed face, so that what is computed there stays
// finite. Local. Reads sea_level one cell ahead along both axes.
void sigma_layers(void* context, lapwing::Box box);

}  // namespace lapwing_coast
