#pragma once
// Implicit vertical diffusion of adjacent columns, shared by tracers and momentum.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/layers/column_chunk.hpp"

namespace lapwing_coast {

// Rows of columns of `levels` layers of one shape, and the diffusivity that mixes them. Interfaces are
// numbered like the layers below them; the bottom has none, and nothing flows through the surface but `surface_flux`.
//
// At the faces of the C-grid `diffusivity` and `diffusivity_ahead` belong to the cells on both sides, of which the
// mean counts; at cell centres both are the same. Numbers of columns come row after row, without gaps.
struct DiffusionColumns {
    Index columns = 0, rows = 1;  // columns of a row; the product at most chunk_columns
    Index levels = 0;
    Layers<double> value{};              // changed
    Layers<const double> diffusivity{};  // at the tops of the layers, m2/s; the value of the uppermost is not read
    Layers<const double> diffusivity_ahead{};  // m2/s
    const double* thickness = nullptr;         // mean of a column's layers, m; not above 0: the column stays as it is
    const double* bottom_drag = nullptr;       // for each column, m/s, not negative; null: none
    const double* surface_flux = nullptr;      // for each column, into the uppermost layer, value m/s; null: none
    double time_step = 0;                      // s
    LayerShape shape{};
};

// Returns the doubles of workspace that `diffuse_columns` needs for columns of `layers` layers. Local.
Index diffusion_work(Index levels);

// Moves `value` on by one time step, backward Euler:
//
//   new_k = old_k + (F_k - F_{k-1}) / r_k,   F_k = dt K_k (new_{k+1} - new_k) / (h2 (r_k + r_{k+1}) / 2)
//   F_{-1} = dt drag new_0 / h,              F_{N-1} = dt surface_flux / h
//
// with h the mean thickness and r h the thickness of each layer. The value is per volume (velocity, tracer), or such a
// value times h (m2/s; the flux is then the stress over density times h). The unknowns are the fluxes F, not the new
// values: their system is as tridiagonal, and whatever they are rounded to leaves one layer for the next. So content is
// conserved to the rounding of the sums, and without drag and flux a constant keeps its bits. Further sources: add them
// to the values before. One division per layer and column; no pivoting, as the system is diagonally dominant. Every
// column has the bits that it has alone. Local; `work` has room for diffusion_work(levels) doubles.
void diffuse_columns(const DiffusionColumns& at, double* work);

}  // namespace lapwing_coast
