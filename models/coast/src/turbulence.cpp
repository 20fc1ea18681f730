#include "lapwing_coast/turbulence.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing_coast {

namespace {

using lapwing::Index;
using Constants = TurbulenceConstants;

constexpr double square(double x) { return x * x; }

// The columns at hand: their fields, and what is the same in all layers of one.
struct Columns {
    Index columns, levels;
    Layers<double> tke, dissipation, viscosity, diffusivity;
    Layers<const double> buoyancy, flow_x, flow_x_behind, flow_y, flow_y_behind;
    double* wet;                                  // 1; 0 on land
    double* over_thickness;                       // 1/m
    double* exchange;                             // time step over thickness squared, s/m2
    double *bottom_source, *surface_source;       // of dissipation there, per k2, s/m4
    double *shear_x_behind, *shear_x;             // squared shear per squared difference of the flow, half of it, 1/m4
    double *shear_y_behind, *shear_y;             // (shear_x_behind and shear_x are one row, one apart)
    double *tke_above, *dissipation_above;        // of the interface above, in the sweep down
    Layers<double> tke_share, dissipation_share;  // what a value takes of the one above, 1
};

constexpr Index rows_per_chunk = 12;  // rows of a workspace that are not of layers, one of them two long

Columns columns_at(const TurbulenceContext& at, Index i, Index j, Index columns) {
    const auto row = [&](Index n) { return at.work + n * chunk_columns; };
    double* layers = row(rows_per_chunk + 1);
    return {.columns = columns,
            .levels = at.levels,
            .tke = layers_at<double>(at.tke, i, j),
            .dissipation = layers_at<double>(at.dissipation, i, j),
            .viscosity = layers_at<double>(at.viscosity, i, j),
            .diffusivity = layers_at<double>(at.diffusivity, i, j),
            .buoyancy = layers_at(at.buoyancy, i, j),
            .flow_x = layers_at(at.flow_x, i, j),
            .flow_x_behind = layers_at(at.flow_x, i - 1, j),
            .flow_y = layers_at(at.flow_y, i, j),
            .flow_y_behind = layers_at(at.flow_y, i, j - 1),
            .wet = row(0),
            .over_thickness = row(1),
            .exchange = row(2),
            .bottom_source = row(3),
            .surface_source = row(4),
            .shear_x_behind = row(11),
            .shear_x = row(11) + 1,
            .shear_y_behind = row(5),
            .shear_y = row(6),
            .tke_above = row(7),
            .dissipation_above = row(8),
            .tke_share = {layers, chunk_columns},
            .dissipation_share = {layers + at.levels * chunk_columns, chunk_columns}};
}

void measure_layers(const TurbulenceContext& at, const Columns& c, Index i, Index j) {
    const double *depth = at.depth.row(j) + i, *sea_level = at.sea_level.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels), dt = at.time_step;
    const double z0 = at.bottom_roughness, z0s = at.surface_roughness;
    const double source = square(square(Constants::c_mu0)) / Constants::sigma_eps * dt;
    double* __restrict wet = c.wet, * __restrict over = c.over_thickness, * __restrict exchange = c.exchange;
    double* __restrict bottom = c.bottom_source, * __restrict surface = c.surface_source;
#pragma omp simd
    for (Index n = 0; n < c.columns; ++n) {
        const double thickness = share * (depth[n] + sea_level[n]);  // m
        const bool water = depth[n] > 0.0 && thickness > 0.0;
        const double h = water ? thickness : 1.0;
        wet[n] = water ? 1.0 : 0.0;
        over[n] = 1.0 / h;
        exchange[n] = dt * over[n] * over[n];
        bottom[n] = source / (h * (z0 + 0.5 * h));
        surface[n] = source / (h * (z0s + 0.5 * h));
    }
}

// `faces` faces from cell (i, j) on, each towards the cell `ahead` of it.
void measure_faces(const TurbulenceContext& at, const lapwing::View<double>& face_depth, std::array<Index, 2> ahead,
                   Index i, Index j, Index faces, double* __restrict shear) {
    const double *depth = face_depth.row(j) + i, *level = at.sea_level.row(j) + i,
                 *level_ahead = at.sea_level.row(j + ahead[1]) + i + ahead[0];
    const double share = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index n = 0; n < faces; ++n) {
        const double h = share * (depth[n] + 0.5 * (level[n] + level_ahead[n]));  // m
        const double weight = 0.5 / square(square(h));
        shear[n] = depth[n] > 0.0 && h > 0.0 ? weight : 0.0;
    }
}

// Eliminates the k and eps of interface k from the equations above. Both equations are multiplied by the old k, which
// saves a division; another is saved by inverting both pivots at once.
void eliminate(const TurbulenceContext& at, const Columns& c, Index k) {
    const double from_below = k > 0 ? 0.5 : 0.0, from_above = k + 2 < c.levels ? 0.5 : 0.0;
    const double at_bottom = k > 0 ? 0.0 : 1.0, at_surface = k + 2 < c.levels ? 0.0 : 1.0;
    const double dt = at.time_step, compression = at.compression, least_tke = at.least_tke,
                 least_dissipation = at.least_dissipation;
    const double *viscosity_below = c.viscosity[k > 0 ? k - 1 : 0], *viscosity = c.viscosity[k],
                 *viscosity_above = c.viscosity[k + 1], *diffusivity = c.diffusivity[k], *buoyancy = c.buoyancy[k],
                 *buoyancy_above = c.buoyancy[k + 1];
    const double *x_behind = c.flow_x_behind[k], *x_behind_above = c.flow_x_behind[k + 1], *x = c.flow_x[k],
                 *x_above = c.flow_x[k + 1], *y_behind = c.flow_y_behind[k], *y_behind_above = c.flow_y_behind[k + 1],
                 *y = c.flow_y[k], *y_above = c.flow_y[k + 1];
    const double* zero = c.tke_above;  // the sweep down fills it
    const double *tke_below = k > 0 ? c.tke[k - 1] : zero, *dissipation_below = k > 0 ? c.dissipation[k - 1] : zero,
                 *tke_share_below = k > 0 ? c.tke_share[k - 1] : zero,
                 *dissipation_share_below = k > 0 ? c.dissipation_share[k - 1] : zero;
    double* __restrict tke = c.tke[k], * __restrict dissipation = c.dissipation[k], * __restrict tke_share = c.tke_share[k], * __restrict dissipation_share = c.dissipation_share[k];
#pragma omp simd
    for (Index i = 0; i < c.columns; ++i) {
        const double e = std::max(tke[i], least_tke), eps = std::max(dissipation[i], least_dissipation);
        const double shear2 =
            (c.shear_x_behind[i] * square(x_behind_above[i] - x_behind[i]) + c.shear_x[i] * square(x_above[i] - x[i])) +
            (c.shear_y_behind[i] * square(y_behind_above[i] - y_behind[i]) +
             c.shear_y[i] * square(y_above[i] - y[i]));                                           // 1/s2
        const double n2 = c.over_thickness[i] * (buoyancy_above[i] - buoyancy[i]) - compression;  // 1/s2
        const double production = viscosity[i] * shear2, buoyant = -diffusivity[i] * n2;          // m2/s3
        const double made = production + buoyant;
        const double gain = made > 0.0 ? made : production, loss = made > 0.0 ? eps : eps - buoyant;
        const double c3_buoyant = (n2 < 0.0 ? Constants::c3_unstable : Constants::c3_stable) * buoyant;
        const double c1_production = Constants::c1 * production, eps_made = c1_production + c3_buoyant;
        const double eps_gain = eps_made > 0.0 ? eps_made : c1_production,
                     eps_loss = eps_made > 0.0 ? Constants::c2 * eps : Constants::c2 * eps - c3_buoyant;

        const double down = c.exchange[i] * from_below * (viscosity_below[i] + viscosity[i]),
                     up = c.exchange[i] * from_above * (viscosity[i] + viscosity_above[i]);
        constexpr double slower = 1.0 / Constants::sigma_eps;
        const double eps_down = slower * down, eps_up = slower * up;
        const double source = (at_bottom * c.bottom_source[i] + at_surface * c.surface_source[i]) * (e * e);
        const double tke_pivot = e * (1.0 + up + down * (1.0 - tke_share_below[i])) + dt * loss;
        const double eps_pivot = e * (1.0 + eps_up + eps_down * (1.0 - dissipation_share_below[i])) + dt * eps_loss;
        const double over_both = 1.0 / (tke_pivot * eps_pivot);
        const double over_tke = over_both * eps_pivot, over_eps = over_both * tke_pivot;
        const bool water = c.wet[i] > 0.0;
        const double new_tke = e * ((e + dt * gain) + down * tke_below[i]) * over_tke,
                     new_eps =
                         (e * ((eps + source) + eps_down * dissipation_below[i]) + dt * eps * eps_gain) * over_eps;
        tke_share[i] = water ? e * up * over_tke : 0.0;
        dissipation_share[i] = water ? e * eps_up * over_eps : 0.0;
        tke[i] = water ? new_tke : tke[i];
        dissipation[i] = water ? new_eps : dissipation[i];
    }
}

// Finds the k and eps of interface k from those above, and what they mix.
void substitute(const TurbulenceContext& at, const Columns& c, Index k) {
    constexpr double limit =
        Constants::c_mu0 * Constants::c_mu0 * Constants::c_mu0 / (1.4142135623730951 * Constants::largest_eddy);
    const double least_tke = at.least_tke, least_dissipation = at.least_dissipation, compression = at.compression;
    const double background_viscosity = at.background_viscosity, background_diffusivity = at.background_diffusivity;
    const double *buoyancy = c.buoyancy[k], *buoyancy_above = c.buoyancy[k + 1];
    const double *tke_share = c.tke_share[k], *dissipation_share = c.dissipation_share[k];
    double* __restrict tke = c.tke[k], * __restrict dissipation = c.dissipation[k], * __restrict viscosity = c.viscosity[k], * __restrict diffusivity = c.diffusivity[k], * __restrict tke_above = c.tke_above, * __restrict dissipation_above = c.dissipation_above;
#pragma omp simd
    for (Index i = 0; i < c.columns; ++i) {
        const double new_tke = tke[i] + tke_share[i] * tke_above[i],
                     new_eps = dissipation[i] + dissipation_share[i] * dissipation_above[i];
        tke_above[i] = new_tke;
        dissipation_above[i] = new_eps;
        const double n2 = c.over_thickness[i] * (buoyancy_above[i] - buoyancy[i]) - compression;  // 1/s2
        const double e = std::max(new_tke, least_tke);
        const double smallest = limit * e * std::sqrt(std::max(n2, 0.0));  // m2/s3
        const double eps = std::max(std::max(new_eps, least_dissipation), smallest);
        const double time = e / eps;  // s
        const double number = std::max(time * time * n2, Canuto2001::least_buoyancy_number);
        const StabilityFunctions functions = stability_functions(number);
        const double mixing = e * time;  // m2/s
        const bool water = c.wet[i] > 0.0;
        tke[i] = water ? e : new_tke;
        dissipation[i] = water ? eps : new_eps;
        viscosity[i] = water ? functions.viscosity * mixing + background_viscosity : viscosity[i];
        diffusivity[i] = water ? functions.diffusivity * mixing + background_diffusivity : diffusivity[i];
    }
}

void write_surface(const TurbulenceContext& at, const Columns& c, const double* stress) {
    constexpr double c_mu0 = Constants::c_mu0;
    const double length = Constants::kappa * at.surface_roughness;  // m
    const double least_tke = at.least_tke, least_dissipation = at.least_dissipation;
    const double background_viscosity = at.background_viscosity, background_diffusivity = at.background_diffusivity;
    double* __restrict tke = c.tke[c.levels - 1], * __restrict dissipation = c.dissipation[c.levels - 1], * __restrict viscosity = c.viscosity[c.levels - 1], * __restrict diffusivity = c.diffusivity[c.levels - 1];
#pragma omp simd
    for (Index i = 0; i < c.columns; ++i) {
        const double e = std::max(stress[i] / (c_mu0 * c_mu0), least_tke);
        const double q = std::sqrt(e);  // m/s
        const double eps = std::max(c_mu0 * c_mu0 * c_mu0 * e * q / length, least_dissipation);
        const bool water = c.wet[i] > 0.0;
        tke[i] = water ? e : tke[i];
        dissipation[i] = water ? eps : dissipation[i];
        viscosity[i] = water ? c_mu0 * q * length + background_viscosity : viscosity[i];
        diffusivity[i] = water ? c_mu0 * q * length + background_diffusivity : diffusivity[i];
    }
}

void step_chunk(const TurbulenceContext& at, Index i, Index j, Index columns) {
    const Columns c = columns_at(at, i, j, columns);
    measure_layers(at, c, i, j);
    measure_faces(at, at.face_depth_x, {1, 0}, i - 1, j, columns + 1, c.shear_x_behind);
    measure_faces(at, at.face_depth_y, {0, 1}, i, j - 1, columns, c.shear_y_behind);
    measure_faces(at, at.face_depth_y, {0, 1}, i, j, columns, c.shear_y);
    for (double* row : {c.tke_above, c.dissipation_above}) std::fill_n(row, columns, 0.0);
    for (Index k = 0; k + 1 < c.levels; ++k) eliminate(at, c, k);
    for (Index k = c.levels - 2; k >= 0; --k) substitute(at, c, k);
    double* stress = at.work + 9 * chunk_columns;
    at.surface_stress.fill(i, j, columns, stress);
    write_surface(at, c, stress);
}

}  // namespace

Index turbulence_work(Index levels) { return (rows_per_chunk + 1 + 2 * levels) * chunk_columns; }

void turbulence(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const TurbulenceContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index columns) { step_chunk(at, i, j, columns); });
}

}  // namespace lapwing_coast
