#pragma once
// Vertical mixing of a tracer.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/layers/column_chunk.hpp"

namespace lapwing_coast {

// Returns the doubles of workspace that the kernel needs. Local.
Index mixing_work(Index levels);

// Mixes the tracer (3D) in the columns of a box for one time step:
//
//   dc/dt = d/dz (K dc/dz),   K dc/dz = surface_flux at the surface, 0 at the bottom
//
// backward Euler, by `diffuse_columns`: conserves the tracer to rounding, keeps a constant bit for bit without a flux
// and makes no new extreme. The diffusivity K (3D, m2/s) lies at the tops of the layers; its uppermost value is not
// read. Land, whose depth is 0, keeps its values. Reads the cells of the box only. Local.
struct MixTracer {
    ColumnForcing surface_flux{};  // into the uppermost layer, tracer m/s
    double time_step = 0;          // s
    Index levels = 1;
    double* work = nullptr;  // room for mixing_work(levels) doubles
    LayerShape shape{};

    void operator()(Box box, View<double> tracer, View<const double> diffusivity, View<const double> depth,
                    View<const double> sea_level) const;
};

}  // namespace lapwing_coast
