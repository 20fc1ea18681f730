#include "lapwing_coast/tracer/tracer_flow.hpp"

#include <algorithm>

#include "lapwing_coast/row_vectors.hpp"
#include "tracer/flow_rows.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index3;

template <class Flow>
struct VerticalRow {
    double* __restrict above;                       // m/s
    const double* below;                            // m/s
    Flow x_behind, x, y_behind, y;                  // m2/s
    const double *old_thickness, *after_thickness;  // m
};

// The vertical flow of a layer from that through its bottom.
template <class Flow>
void vertical_row(const VerticalRow<Flow>& row, const FlowNumbers& at, Index n) {
    double* __restrict above = row.above;
    const double over_dx = at.over_dx, over_dy = at.over_dy, over_dt = 1.0 / at.time_step;
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, above, place_of(row.x), place_of(row.y), row.after_thickness, row.old_thickness);
#pragma omp simd
        for (Index c = first; c < first + count; ++c) {
            const double lost = (row.x[c] - row.x_behind[c]) * over_dx + (row.y[c] - row.y_behind[c]) * over_dy;
            above[c] = row.below[c] - lost - (row.after_thickness[c] - row.old_thickness[c]) * over_dt;
        }
    });
}

// Computes the rows of one level, once the level below is known: the bottom is read from the surface, which is 0.
void vertical_rows(const LayerFlow& at, const View<double>& flow_z, const Box& level) {
    const Index i = level.lo[0], k = level.lo[2], top = at.levels - 1;
    if (k == top) return;
    const auto row = [&](Index j, const auto& x, const auto& y) {
        const VerticalRow<decltype(x(i, j))> rows{&flow_z(i, j, k),
                                                  &at.flow_z(i, j, k > 0 ? k - 1 : top),
                                                  x(i - 1, j),
                                                  x(i, j),
                                                  y(i, j - 1),
                                                  y(i, j),
                                                  &at.thickness[0](i, j, k),
                                                  &new_thickness(at)(i, j, k)};
        vertical_row(rows, at, level.size(0));
    };
    const auto plain = [k](const View<const double>& flow) {
        return [&flow, k](Index x, Index y) { return static_cast<const double*>(&flow(x, y, k)); };
    };
    const auto wide = [k](const View<const double>& flow, const View<const double>& width) {
        return [&flow, &width, k](Index x, Index y) { return WideFlow{&flow(x, y, k), &width(x, y)}; };
    };
    for (Index j = level.lo[1]; j < level.hi[1]; ++j) {
        if (varies(at)) {
            row(j, wide(at.flow_x, (*at.width_x)[0]), wide(at.flow_y, (*at.width_y)[0]));
        } else {
            row(j, plain(at.flow_x), plain(at.flow_y));
        }
    }
}

void vertical_column(const LayerFlow& at, const View<double>& flow_z, Index i, Index j) {
    double through = 0.0;  // m/s
    for (Index k = 0; k + 1 < at.levels; ++k) {
        through = through - horizontal_loss(at, i, j, k) - growth(at, i, j, k);
        flow_z(i, j, k) = through;
    }
}

// Nothing flows through the surface.
void close_surface(const View<double>& flow_z, const Box& box, Index levels) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) flow_z(i, j, levels - 1) = 0.0;
}

void vertical(const LayerFlow& at, const View<double>& flow_z, const Box& box) {
    if (!layers_of(at).fastest) return vertical_rows(at, flow_z, box);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) vertical_column(at, flow_z, i, j);
}

template <class... Flows>
void thickness_row(double* __restrict next, const double* thickness, double time_step, Index n, const Flows... flows) {
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, next);
#pragma omp simd
        for (Index c = first; c < first + count; ++c) next[c] = thickness[c] - time_step * (... + flows.loss(c));
    });
}

template <class... Flows>
void leaving_row(double* __restrict leaving, const double* thickness, double time_step, Index n, const Flows... flows) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) leaving[c] = time_step * (... + flows.outflow(c)) / thickness[c];
}

// The thickness after fractional step `f` from that before, and, of one along x and y at once, `leaving`.
void move_on(const LayerFlow& at, std::size_t f, const View<double>& after, const std::vector<View<double>>& leaving,
             const Box& box) {
    const Fraction& fraction = fractions_of(at.split)[f];
    const bool together = fraction.is_together();
    const Layers layers = layers_of(at);
    for_planes(layers, fraction.axis(), box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const auto next = rows_at(layers, after, cell);
        const auto share = together ? rows_at(layers, leaving.front(), cell) : next;
        const auto thickness = rows_at(layers, at.thickness[f], cell);
        with_flows(at, fraction, cell, [&](const auto&... flows) {
            for (Index p = 0; p < planes; ++p)
                for (Index r = 0; r < rows; ++r) {
                    thickness_row(next(p, r), thickness(p, r), at.time_step, n, flows.row(p, r)...);
                    if (together) leaving_row(share(p, r), thickness(p, r), at.time_step, n, flows.row(p, r)...);
                }
        });
    });
}

// A column with water from outside, as much as lets its surface rise as prescribed.
void prescribed_column(const LayerFlow& at, const View<double>& flow_z, const std::vector<View<double>>& between,
                       Index i, Index j) {
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
        flow_z(i, j, k) = above;
        for (std::size_t f = 0; f + 1 < fractions.size(); ++f) {
            const double x = loss_along_x(at, i, j, k), y = loss_along_y(at, i, j, k);
            const double lost = fractions[f].share(lapwing::x) * x + fractions[f].share(lapwing::y) * y +
                                fractions[f].share(lapwing::z) * (above - below - source);  // m/s
            between[f](i, j, k) = at.thickness[f](i, j, k) - at.time_step * lost;
        }
        below = above;
    }
}

}  // namespace

void VerticalFlow::operator()(Box box, View<double> flow_z, const std::vector<View<double>>& between,
                              const std::vector<View<double>>& leaving, View<const double> flow_x,
                              View<const double> flow_y, View<const double> before,
                              const std::vector<View<const double>>& after, const Views& width_x,
                              const Views& width_y) const {
    LayerFlow at{numbers, flow_x, flow_y, &width_x, &width_y, flow_z, {before}};
    std::ranges::copy(between, at.thickness.begin() + 1);
    at.thickness[between.size() + 1] = after.empty() ? before : after.front();
    close_surface(flow_z, box, at.levels);
    for_parts(layers_of(at), box, [&](const Box& part) {
        vertical(at, flow_z, part);
        for (std::size_t f = 0; f < between.size(); ++f) move_on(at, f, between[f], leaving, part);
    });
    for (const Box& cells : prescribed) {
        const Box mine = intersect(box, cells);
        for (Index j = mine.lo[1]; j < mine.hi[1]; ++j)
            for (Index i = mine.lo[0]; i < mine.hi[0]; ++i) prescribed_column(at, flow_z, between, i, j);
    }
}

}  // namespace lapwing_coast
