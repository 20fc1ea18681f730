#include "lapwing_coast/tracer/tracer_flow.hpp"

#include "tracer/flow_rows.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;

struct VerticalRow {
    double* __restrict above;                       // m/s
    const double* below;                            // m/s
    const double *x_behind, *x, *y_behind, *y;      // m2/s
    const double *old_thickness, *after_thickness;  // m
};

// The vertical flow of a layer from that through its bottom.
void vertical_row(const VerticalRow& row, const FlowContext& at, Index n) {
    double* __restrict above = row.above;
    const double over_dx = at.over_dx, over_dy = at.over_dy, over_dt = 1.0 / at.time_step;
#pragma omp simd
    for (Index c = 0; c < n; ++c) {
        const double lost = (row.x[c] - row.x_behind[c]) * over_dx + (row.y[c] - row.y_behind[c]) * over_dy;
        above[c] = row.below[c] - lost - (row.after_thickness[c] - row.old_thickness[c]) * over_dt;
    }
}

// Of the rows of one level, once the level below is known: the bottom is read from the surface, which is 0.
void vertical_rows(const FlowContext& at, const Box& level) {
    const Index i = level.lo[0], k = level.lo[2], top = at.levels - 1;
    if (k == top) return;
    for (Index j = level.lo[1]; j < level.hi[1]; ++j)
        vertical_row(
            {&at.flow_z(i, j, k), &at.flow_z(i, j, k > 0 ? k - 1 : top), &at.flow_x(i - 1, j, k), &at.flow_x(i, j, k),
             &at.flow_y(i, j - 1, k), &at.flow_y(i, j, k), &at.thickness[0](i, j, k), &new_thickness(at)(i, j, k)},
            at, level.size(0));
}

void vertical_column(const FlowContext& at, Index i, Index j) {
    double through = 0.0;  // m/s
    for (Index k = 0; k + 1 < at.levels; ++k) {
        through = through - horizontal_loss(at, i, j, k) - growth(at, i, j, k);
        at.flow_z(i, j, k) = through;
    }
}

// Nothing flows through the surface.
void close_surface(const FlowContext& at, const Box& box) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) at.flow_z(i, j, at.levels - 1) = 0.0;
}

void vertical(const FlowContext& at, const Box& box) {
    if (!layers_of(at).fastest) return vertical_rows(at, box);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) vertical_column(at, i, j);
}

template <class... Flows>
void thickness_row(double* __restrict next, const double* thickness, double time_step, Index n, const Flows... flows) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) next[c] = thickness[c] - time_step * (... + flows.loss(c));
}

template <class... Flows>
void leaving_row(double* __restrict leaving, const double* thickness, double time_step, Index n, const Flows... flows) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) leaving[c] = time_step * (... + flows.outflow(c)) / thickness[c];
}

// Thickness after fractional step `f` from that before, and `leaving` if there is one.
void move_on(const FlowContext& at, std::size_t f, const Box& box) {
    const Fraction& fraction = fractions_of(at.split)[f];
    const bool together = f == 0 && at.split == Split::horizontal_together;
    const Layers layers = layers_of(at);
    for_planes(layers, axis_of(fraction), box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const auto next = rows_at<double>(layers, at.thickness[f + 1], cell);
        const auto leaving = together ? rows_at<double>(layers, at.leaving, cell) : next;
        const auto thickness = rows_at(layers, at.thickness[f], cell);
        with_flows(at, fraction, cell, [&](const auto&... flows) {
            for (Index p = 0; p < planes; ++p)
                for (Index r = 0; r < rows; ++r) {
                    thickness_row(next(p, r), thickness(p, r), at.time_step, n, flows.row(p, r)...);
                    if (together) leaving_row(leaving(p, r), thickness(p, r), at.time_step, n, flows.row(p, r)...);
                }
        });
    });
}

// A column with water from outside, as much as lets its surface rise as prescribed.
void prescribed_column(const FlowContext& at, Index i, Index j) {
    double missing = 0.0, deep = 0.0;  // m/s, m
    for (Index k = 0; k < at.levels; ++k) {
        missing += horizontal_loss(at, i, j, k) + growth(at, i, j, k);
        deep += new_thickness(at)(i, j, k);
    }
    const auto fractions = fractions_of(at.split);
    double below = 0.0;  // m/s
    for (Index k = 0; k < at.levels; ++k) {
        const double source = missing * (new_thickness(at)(i, j, k) / deep);  // m/s
        const double above =
            k + 1 < at.levels ? below - horizontal_loss(at, i, j, k) - growth(at, i, j, k) + source : 0.0;
        at.flow_z(i, j, k) = above;
        for (std::size_t f = 0; f + 1 < fractions.size(); ++f) {
            const double x = (at.flow_x(i, j, k) - at.flow_x(i - 1, j, k)) * at.over_dx;
            const double y = (at.flow_y(i, j, k) - at.flow_y(i, j - 1, k)) * at.over_dy;
            const double lost = fractions[f].share(0) * x + fractions[f].share(1) * y +
                                fractions[f].share(2) * (above - below - source);  // m/s
            at.thickness[f + 1](i, j, k) = at.thickness[f](i, j, k) - at.time_step * lost;
        }
        below = above;
    }
}

}  // namespace

void tracer_flow(void* context, Box box) {
    const auto& at = *static_cast<const FlowContext*>(context);
    close_surface(at, box);
    for_parts(layers_of(at), box, [&](const Box& part) {
        vertical(at, part);
        for (std::size_t f = 0; f + 1 < fractions_of(at.split).size(); ++f) move_on(at, f, part);
    });
    for (const Box& cells : at.prescribed) {
        const Box mine = intersect(box, cells);
        for (Index j = mine.lo[1]; j < mine.hi[1]; ++j)
            for (Index i = mine.lo[0]; i < mine.hi[0]; ++i) prescribed_column(at, i, j);
    }
}

}  // namespace lapwing_coast
