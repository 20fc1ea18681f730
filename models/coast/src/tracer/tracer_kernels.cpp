#include "lapwing_coast/tracer/tracer_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/grid/narrow_rows.hpp"

#include "tracer/tracer_rows.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;
using lapwing::with_row_length;
using View = lapwing::View<double>;

// Values of rows and of their neighbours along the axis of the advection; element n of each row belongs to cell n.
struct InterfaceRows {
    Rows<double> interface;
    Rows<const double> behind, here, ahead, two_ahead;  // tracer
    Rows<const double> flow_behind, flow, flow_ahead;
    Rows<const double> thickness, thickness_ahead;
    Rows<const double> open_behind, open_ahead;
    Rows<const double> leaving, leaving_ahead;
};

// Twice the slope of p2; `courant` is the share of the upwind cell that leaves it.
[[gnu::always_inline]] inline double third_order(double downstream, double upstream, double courant) {
    return (1.0 - courant) * ((2.0 - courant) * downstream + (1.0 + courant) * upstream) * (1.0 / 3.0);
}

// Twice a limited slope; `courant` is the share of the upwind cell that leaves it along this axis, `leaving` along
// all axes of the fractional step.
template <Scheme scheme>
[[gnu::always_inline]] inline double limited(double downstream, double upstream, double courant, double leaving,
                                             bool together) {
    const double d = std::abs(downstream), g = std::abs(upstream);
    const double rest = 1.0 - courant;
    const double emptied = 2.0 * (1.0 - leaving) * g / (leaving + 1e-10);
    double slope = 0.0;
    if constexpr (scheme == Scheme::p2_pdm) slope = std::min(std::min(third_order(d, g, courant), 2.0 * d), emptied);
    if constexpr (scheme == Scheme::superbee) slope = rest * std::max(std::min(d, 2.0 * g), std::min(2.0 * d, g));
    if constexpr (scheme == Scheme::muscl) slope = rest * std::min(2.0 * std::min(d, g), 0.5 * (d + g));
    if (together) slope = std::min(slope, emptied);
    return downstream * upstream > 0.0 ? std::copysign(slope, downstream) : 0.0;
}

// Values of one row, where they begin.
struct InterfaceRow {
    double* __restrict interface;
    const double *behind, *here, *ahead, *two_ahead;
    const double *flow_behind, *flow, *flow_ahead;
    const double *thickness, *thickness_ahead;
    const double *open_behind, *open_ahead;
    const double *leaving, *leaving_ahead;
};

[[gnu::always_inline]] inline InterfaceRow row_of(const InterfaceRows& at, Index p, Index r) {
    return {at.interface(p, r), at.behind(p, r),          at.here(p, r),        at.ahead(p, r),
            at.two_ahead(p, r), at.flow_behind(p, r),     at.flow(p, r),        at.flow_ahead(p, r),
            at.thickness(p, r), at.thickness_ahead(p, r), at.open_behind(p, r), at.open_ahead(p, r),
            at.leaving(p, r),   at.leaving_ahead(p, r)};
}

// What an interface kernel is compiled for.
struct Kind {
    Scheme scheme;
    bool together;
    int open_step;  // of `open` along the row: 1 along x, 0 along the levels
};

// `count` cells from `first` on. All values are loaded whichever way it flows, and chosen from afterwards, so that the
// loop has no branch.
template <Kind kind, int count>
[[gnu::always_inline]] inline void interface_cells(const InterfaceRow& row, Index first, double scale) {
    double* __restrict interface = row.interface;
#pragma omp simd
    for (Index i = first; i < first + count; ++i) {
        const double c = row.here[i], c_ahead = row.ahead[i];
        const bool onward = row.flow[i] >= 0.0;
        const double here = onward ? c : c_ahead;  // in the cell it flows out of
        if constexpr (kind.scheme == Scheme::upstream) {
            interface[i] = here;
            continue;
        }
        const double c_behind = row.behind[i], c_two_ahead = row.two_ahead[i];
        const double behind = row.open_behind[i * kind.open_step] > 0.0 ? c_behind : c;
        const double two_ahead = row.open_ahead[i * kind.open_step] > 0.0 ? c_two_ahead : c_ahead;
        const double next = onward ? c_ahead : c, before = onward ? behind : two_ahead;
        const double q_behind = row.flow_behind[i], q_ahead = row.flow_ahead[i];
        const double other = onward ? -q_behind : q_ahead;  // out of the cell's other side
        const double out = scale * (std::abs(row.flow[i]) + (other > 0.0 ? other : 0.0));  // m
        const double h = row.thickness[i], h_ahead = row.thickness_ahead[i];
        const double thickness = onward ? h : h_ahead;
        const double courant = out / thickness;
        if constexpr (kind.scheme == Scheme::p2) {
            interface[i] = here + 0.5 * third_order(next - here, here - before, courant);
        } else {
            double leaving = courant;
            if constexpr (kind.together) {
                const double share = row.leaving[i], share_ahead = row.leaving_ahead[i];
                leaving = onward ? share : share_ahead;
            }
            interface[i] =
                here + 0.5 * limited<kind.scheme>(next - here, here - before, courant, leaving, kind.together);
        }
    }
}

// A row in parts that fill a vector; the last one computes cells again, as nothing is written that is read.
template <Kind kind>
[[gnu::always_inline]] inline void interface_row(const InterfaceRow& row, Index n, double scale) {
    if (n >= 8) {
        for (Index first = 0; first + 8 <= n; first += 8) interface_cells<kind, 8>(row, first, scale);
        if (n % 8 > 0) interface_cells<kind, 8>(row, n - 8, scale);
        return;
    }
    if (n >= 4) interface_cells<kind, 4>(row, 0, scale);
    if (n > 4) interface_cells<kind, 4>(row, n - 4, scale);
    if (n == 2 || n == 3) interface_cells<kind, 2>(row, 0, scale);
    if (n == 1 || n == 3) interface_cells<kind, 1>(row, n - 1, scale);
}

Layers layers_of(const AdvectionContext& context) { return {context.levels, !context.tracer.unit_rows()}; }

constexpr double always_open = 1.0;

Rows<const double> open_at(const AdvectionContext& context, const Index3& cell) {
    if (context.axis == 2) return {&always_open, 0, 0};
    const Layers layers = layers_of(context);
    auto rows = rows_at(layers, context.open, {cell[0], cell[1], 0});
    if (!layers.fastest) rows.plane_step = 0;  // the same in all layers
    return rows;
}

InterfaceRows interface_at(const AdvectionContext& c, const Index3& cell) {
    const Layers layers = layers_of(c);
    const auto rows = [&](const View& view, Index steps) {
        return rows_at(layers, view, moved(layers, cell, c.axis, steps));
    };
    const View& leaving = c.together ? c.leaving : c.thickness;  // not read where it is not together
    return {rows_at<double>(layers, c.interface, cell),
            rows(c.tracer, -1),
            rows(c.tracer, 0),
            rows(c.tracer, 1),
            rows(c.tracer, 2),
            rows_at(layers, c.flow, before(layers, cell, c.axis)),
            rows(c.flow, 0),
            rows(c.flow, 1),
            rows(c.thickness, 0),
            rows(c.thickness, 1),
            open_at(c, moved(layers, cell, c.axis, -1)),
            open_at(c, moved(layers, cell, c.axis, 1)),
            rows(leaving, 0),
            rows(leaving, 1)};
}

template <Kind kind>
void interface_planes(const AdvectionContext& context, const Box& box) {
    const Layers layers = layers_of(context);
    for_planes(layers, context.axis, columns_of(layers, box),
               [&](const Index3& cell, Index planes, Index rows, Index n) {
                   const InterfaceRows at = interface_at(context, cell);
                   with_row_length(n, [&](auto length) {
                       for (Index p = 0; p < planes; ++p)
                           for (Index r = 0; r < rows; ++r)
                               interface_row<kind>(row_of(at, p, r), length, context.scale);
                   });
               });
}

template <Scheme scheme, bool together>
void interfaces(const AdvectionContext& context, const Box& box) {
    if (context.tracer.unit_rows() && context.axis != 2) {
        interface_planes<Kind{scheme, together, 1}>(context, box);
    } else {
        interface_planes<Kind{scheme, together, 0}>(context, box);
    }
}

template <Scheme scheme>
void interfaces(const AdvectionContext& context, const Box& box) {
    if (context.together) return interfaces<scheme, true>(context, box);
    interfaces<scheme, false>(context, box);
}

void interfaces_of(const AdvectionContext& at, const Box& box) {
    switch (at.scheme) {
        case Scheme::upstream:
            return interfaces<Scheme::upstream, false>(at, box);
        case Scheme::p2:
            return interfaces<Scheme::p2, false>(at, box);
        case Scheme::superbee:
            return interfaces<Scheme::superbee>(at, box);
        case Scheme::muscl:
            return interfaces<Scheme::muscl>(at, box);
        case Scheme::p2_pdm:
            return interfaces<Scheme::p2_pdm>(at, box);
    }
}

// What the update of a row needs along one axis; element n of each belongs to cell n.
struct UpdateRow {
    const double *interface_behind, *interface, *flow_behind, *flow;
    double scale;

    [[nodiscard]] double change(Index i, double c) const {
        return flow[i] * (interface[i] - c) - flow_behind[i] * (interface_behind[i] - c);
    }
};

struct UpdateRows {
    Rows<const double> interface_behind, interface, flow_behind, flow;
    double scale;

    [[nodiscard, gnu::always_inline]] UpdateRow row(Index p, Index r) const {
        return {interface_behind(p, r), interface(p, r), flow_behind(p, r), flow(p, r), scale};
    }
};

UpdateRows update_at(const AdvectionContext& c, const Index3& cell) {
    const Layers layers = layers_of(c);
    const Index3 behind = before(layers, cell, c.axis);
    return {rows_at(layers, c.interface, behind), rows_at(layers, c.interface, cell), rows_at(layers, c.flow, behind),
            rows_at(layers, c.flow, cell), c.scale};
}

[[gnu::always_inline]] inline void update_row(double* __restrict tracer, const double* new_thickness,
                                              const UpdateRow row, Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double c = tracer[i];
        tracer[i] = c - row.scale * row.change(i, c) / new_thickness[i];
    }
}

inline void update_row(double* __restrict tracer, const double* new_thickness, const UpdateRow x, const UpdateRow y,
                       Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double c = tracer[i];
        tracer[i] = c - (x.scale * x.change(i, c) + y.scale * y.change(i, c)) / new_thickness[i];
    }
}

// Updates the cells of `box` along the axes of the contexts, one or two.
template <class... Contexts>
void update_planes(const Box& box, const AdvectionContext& c, const Contexts&... others) {
    const Layers layers = layers_of(c);
    for_planes(layers, c.axis, columns_of(layers, box), [&](const Index3& cell, Index planes, Index rows, Index n) {
        const auto tracer = rows_at<double>(layers, c.tracer, cell);
        const auto new_thickness = rows_at(layers, c.new_thickness, cell);
        const auto update = [&](const auto&... axes) {
            with_row_length(n, [&](auto length) {
                for (Index p = 0; p < planes; ++p)
                    for (Index r = 0; r < rows; ++r)
                        update_row(tracer(p, r), new_thickness(p, r), axes.row(p, r)..., length);
            });
        };
        update(update_at(c, cell), update_at(others, cell)...);
    });
}

}  // namespace

void tracer_interface(void* context, Box box) { interfaces_of(*static_cast<const AdvectionContext*>(context), box); }

void tracer_update(void* context, Box box) { update_planes(box, *static_cast<const AdvectionContext*>(context)); }

void tracer_update_together(void* context, Box box) {
    const auto& [x, y] = *static_cast<const TogetherContext*>(context);
    update_planes(box, x, y);
}

}  // namespace lapwing_coast
