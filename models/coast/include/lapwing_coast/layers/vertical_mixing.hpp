#pragma once
// Vertical mixing of a tracer.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_coast/layers/column_chunk.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box. Fields have x fastest in memory.
struct MixingContext {
    lapwing::View<double> tracer;       // at cell centres; changed
    lapwing::View<double> diffusivity;  // at the tops of the layers, m2/s; that of the uppermost is not read
    lapwing::View<double> depth;        // undisturbed, m, without levels; 0: land
    lapwing::View<double> sea_level;    // m, without levels
    ColumnForcing surface_flux{};       // into the uppermost layer, tracer m/s
    double time_step = 0;               // s
    lapwing::Index levels = 1;          // layers, equally thick in a column
    double* work = nullptr;             // room for mixing_work(levels) doubles
};

// How many doubles of workspace a context needs. Local.
lapwing::Index mixing_work(lapwing::Index levels);

// Mixes the tracer in the columns of `box` for one time step; the context is a MixingContext.
//
//   dc/dt = d/dz (K dc/dz),   K dc/dz = surface_flux at the surface, 0 at the bottom
//
// backward Euler, by `diffuse_columns`: conserves the tracer to rounding, keeps a constant bit for bit without a flux
// and makes no new extreme. Land keeps its values. Local. Reads the cells of `box` only.
void mix_tracer(void* context, lapwing::Box box);

}  // namespace lapwing_coast
