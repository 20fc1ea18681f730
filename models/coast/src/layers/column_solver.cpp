#include "lapwing_coast/layers/column_solver.hpp"

#include <algorithm>

namespace lapwing_coast {

namespace {

// The workspace of each column, and of each of its layers.
struct Workspace {
    double* conductance;   // time step over thickness squared, s/m2; 0 where the column stays
    double* kept;          // share that the drag leaves in the lowest layer, 1
    double* above;         // flux through the top of the layer at hand, value
    Layers<double> share;  // of the flux through the interface above that passes on, 1
    Layers<double> flux;   // through the interface, if nothing flowed through the one above, value
};

constexpr Index rows_of_columns = 3;  // of a workspace, other than those of layers

Workspace divide(const DiffusionColumns& at, double* work) {
    const Index row = chunk_columns;
    double* layers = work + rows_of_columns * row;
    return {work, work + row, work + 2 * row, {layers, row}, {layers + at.levels * row, row}};
}

void prepare(const DiffusionColumns& at, const Workspace& work) {
    const double dt = at.time_step;
    double* __restrict conductance = work.conductance;
    const double* thickness = at.thickness;
#pragma omp simd
    for (Index i = 0; i < at.columns; ++i)
        conductance[i] = thickness[i] > 0.0 ? dt / (thickness[i] * thickness[i]) : 0.0;
    std::fill_n(work.kept, at.columns, 1.0);
    std::fill_n(work.above, at.columns, 0.0);
}

// The drag takes its share of what is in the lowest layer already; `substitute_lowest` does so with what flows in.
void drag_bottom(const DiffusionColumns& at, const Workspace& work) {
    const double dt = at.time_step, *thickness = at.thickness, *drag = at.bottom_drag, thick = at.shape.relative(0);
    double* __restrict kept = work.kept, * __restrict lowest = at.value(0);
#pragma omp simd
    for (Index i = 0; i < at.columns; ++i) {
        const double share = thick * thickness[i] / (thick * thickness[i] + dt * drag[i]);
        kept[i] = thickness[i] > 0.0 ? share : 1.0;
        lowest[i] *= kept[i];
    }
}

void fill_surface(const DiffusionColumns& at) {
    const double dt = at.time_step, *thickness = at.thickness, *flux = at.surface_flux;
    const double over_thick = at.shape.over(at.levels - 1);
    double* __restrict uppermost = at.value(at.levels - 1);
#pragma omp simd
    for (Index i = 0; i < at.columns; ++i) {
        const double gain = over_thick * (dt * flux[i] / thickness[i]);
        uppermost[i] += thickness[i] > 0.0 ? gain : 0.0;
    }
}

// With C = dt K / (h2 between_k) and r of both layers the flux obeys
//   F_k (1 + C (1/r_k + 1/r_{k+1} - share_{k-1}/r_k)) - C F_{k+1}/r_{k+1} = C (value_{k+1} - value_k + flux_{k-1}/r_k)
void eliminate(const DiffusionColumns& at, const Workspace& work, Index k) {
    const double *value = at.value(k), *value_above = at.value(k + 1);
    const double *diffusivity = at.diffusivity(k), *diffusivity_ahead = at.diffusivity_ahead(k);
    const double *share_below = work.share(k - 1), *flux_below = work.flux(k - 1);
    const double* conductance = work.conductance;
    const double closer = at.shape.over_between(k), over = at.shape.over(k), over_above = at.shape.over(k + 1);
    const double both = over + over_above;
    double* __restrict share = work.share(k), * __restrict flux = work.flux(k);
    const Index far = k + layers_ahead;
    fetch_layer(at.columns, at.value(far + 1), at.diffusivity(far), at.diffusivity_ahead(far));
    for_vectors(at.columns, [&](Index first, auto count) __attribute__((always_inline)) {
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double mean = 0.5 * (diffusivity[i] + diffusivity_ahead[i]);
            const double number = conductance[i] > 0.0 ? closer * (conductance[i] * mean) : 0.0;
            const double passed = number / (1.0 + number * (both - over * share_below[i]));
            share[i] = passed * over_above;
            flux[i] = passed * ((value_above[i] - value[i]) + over * flux_below[i]);
        }
    });
}

// The lowest interface: there is no flux below, and the drag takes its share of what comes through.
void eliminate_lowest(const DiffusionColumns& at, const Workspace& work) {
    const double *value = at.value(0), *value_above = at.value(1);
    const double *diffusivity = at.diffusivity(0), *diffusivity_ahead = at.diffusivity_ahead(0);
    const double *conductance = work.conductance, *kept = work.kept;
    const double closer = at.shape.over_between(0), over = at.shape.over(0), over_above = at.shape.over(1);
    double* __restrict share = work.share(0), * __restrict flux = work.flux(0);
#pragma omp simd
    for (Index i = 0; i < at.columns; ++i) {
        const double mean = 0.5 * (diffusivity[i] + diffusivity_ahead[i]);
        const double number = conductance[i] > 0.0 ? closer * (conductance[i] * mean) : 0.0;
        const double passed = number / (1.0 + number * (over_above + over * kept[i]));
        share[i] = passed * over_above;
        flux[i] = passed * (value_above[i] - value[i]);
    }
}

// Knows the flux through the top of layer k + 1, finds that through its bottom, and is done with the layer.
void substitute(const DiffusionColumns& at, const Workspace& work, Index k) {
    const double *share = work.share(k), *flux = work.flux(k);
    const double over_above = at.shape.over(k + 1);
    double* __restrict above = work.above, * __restrict value_above = at.value(k + 1);
    for_vectors(at.columns, [&](Index first, auto count) __attribute__((always_inline)) {
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double here = flux[i] + share[i] * above[i];
            value_above[i] += over_above * (above[i] - here);
            above[i] = here;
        }
    });
}

void substitute_lowest(const DiffusionColumns& at, const Workspace& work) {
    const double *kept = work.kept, *above = work.above;
    const double over = at.shape.over(0);
    double* __restrict value = at.value(0);
#pragma omp simd
    for (Index i = 0; i < at.columns; ++i) value[i] += kept[i] * (over * above[i]);
}

void diffuse_row(const DiffusionColumns& at, double* memory) {
    const Workspace work = divide(at, memory);
    prepare(at, work);
    if (at.bottom_drag) drag_bottom(at, work);
    if (at.surface_flux) fill_surface(at);
    if (at.levels > 1) eliminate_lowest(at, work);
    for (Index k = 1; k + 1 < at.levels; ++k) eliminate(at, work, k);
    for (Index k = at.levels - 2; k >= 0; --k) substitute(at, work, k);
    substitute_lowest(at, work);
}

// Solves columns of several rows, which lie next to each other in `memory` meanwhile.
void diffuse_rows(const DiffusionColumns& at, double* memory) {
    const Index field = at.levels * chunk_columns;
    const Layers<double> value{memory, chunk_columns, at.columns}, behind{memory + field, chunk_columns, at.columns},
        ahead{memory + 2 * field, chunk_columns, at.columns};
    copy_layers(at.value, value, at.columns, at.rows, at.levels);
    copy_layers(at.diffusivity, behind, at.columns, at.rows, at.levels - 1);
    copy_layers(at.diffusivity_ahead, ahead, at.columns, at.rows, at.levels - 1);
    DiffusionColumns row = at;
    row.columns = at.columns * at.rows;
    row.rows = 1;
    row.value = value;
    row.diffusivity = {behind.first, chunk_columns};
    row.diffusivity_ahead = {ahead.first, chunk_columns};
    diffuse_row(row, memory + 3 * field);
    copy_layers(value, at.value, at.columns, at.rows, at.levels);
}

}  // namespace

Index diffusion_work(Index levels) { return (rows_of_columns + 5 * levels) * chunk_columns; }

void diffuse_columns(const DiffusionColumns& at, double* work) {
    if (at.rows == 1) {
        diffuse_row(at, work);
    } else {
        diffuse_rows(at, work);
    }
}

}  // namespace lapwing_coast
