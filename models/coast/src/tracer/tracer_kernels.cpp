#include "lapwing_coast/tracer/tracer_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/grid/narrow_rows.hpp"

#include "lapwing_coast/row_vectors.hpp"
#include "tracer/flow_values.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index3;
using lapwing::with_row_length;

// Values of rows and of their neighbours along the axis of the advection; element n of each row belongs to cell n.
template <class Planes>
struct InterfaceRows {
    Rows<double> interface;
    Rows<const double> behind, here, ahead, two_ahead;  // tracer
    Planes flow_behind, flow, flow_ahead;
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

// Pointers to the first values of one row.
template <class Flow>
struct InterfaceRow {
    double* __restrict interface;
    const double *behind, *here, *ahead, *two_ahead;
    Flow flow_behind, flow, flow_ahead;
    const double *thickness, *thickness_ahead;
    const double *open_behind, *open_ahead;
    const double *leaving, *leaving_ahead;
};

template <class Planes>
[[gnu::always_inline]] inline auto row_of(const InterfaceRows<Planes>& at, Index p, Index r) {
    return InterfaceRow<decltype(at.flow(p, r))>{
        at.interface(p, r),   at.behind(p, r),     at.here(p, r),       at.ahead(p, r),        at.two_ahead(p, r),
        at.flow_behind(p, r), at.flow(p, r),       at.flow_ahead(p, r), at.thickness(p, r),    at.thickness_ahead(p, r),
        at.open_behind(p, r), at.open_ahead(p, r), at.leaving(p, r),    at.leaving_ahead(p, r)};
}

// The variants that an interface kernel is compiled for.
struct Kind {
    Scheme scheme;
    bool together;
    int open_step;  // of `open` along the row: 1 along x, 0 along the levels
};

// `count` cells from `first` on. All values are loaded whichever way it flows, and chosen from afterwards, so that the
// loop has no branch.
template <Kind kind, int count, class Flow>
[[gnu::always_inline]] inline void interface_cells(const InterfaceRow<Flow>& row, Index first, double scale) {
    double* __restrict interface = row.interface;
#pragma omp simd
    for (Index i = first; i < first + count; ++i) {
        const double c = row.here[i], c_ahead = row.ahead[i];
        const double q = row.flow[i];
        const bool onward = q >= 0.0;
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
        const double other = onward ? -q_behind : q_ahead;                       // out of the cell's other side
        const double out = scale * (std::abs(q) + (other > 0.0 ? other : 0.0));  // m
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

// Computes a row in parts that fill a vector. The last part may compute cells again: no cell that is read is written.
template <Kind kind, class Flow>
[[gnu::always_inline]] inline void interface_row(const InterfaceRow<Flow>& row, Index n, double scale) {
    if (n >= 8) {
        for (Index part = 0; part < n; part += 8) {
            const Index first = std::min(part, n - 8);
            fetch(first, 8, row.two_ahead, place_of(row.flow_ahead), row.thickness_ahead, row.interface);
            interface_cells<kind, 8>(row, first, scale);
        }
        return;
    }
    if (n >= 4) interface_cells<kind, 4>(row, 0, scale);
    if (n > 4) interface_cells<kind, 4>(row, n - 4, scale);
    if (n == 2 || n == 3) interface_cells<kind, 2>(row, 0, scale);
    if (n == 1 || n == 3) interface_cells<kind, 1>(row, n - 1, scale);
}

// The fields of an interface kernel on its box.
struct InterfaceFields {
    AxisStep step;
    Layers layers;
    View<double> interface;
    View<const double> tracer, flow, thickness, open, leaving;  // `leaving` is not read where it is not together
    const Views& width;
};

constexpr double always_open = 1.0;

Rows<const double> open_at(const InterfaceFields& c, const Index3& cell) {
    if (c.step.axis == lapwing::z) return {&always_open, 0, 0};
    auto rows = rows_at(c.layers, c.open, {cell[0], cell[1], 0});
    if (!c.layers.fastest) rows.plane_step = 0;  // the same in all layers
    return rows;
}

// `flow_at` gives the rows of the flow that begin at a cell.
template <class FlowAt>
auto interface_at(const InterfaceFields& c, const Index3& cell, const FlowAt& flow_at) {
    const Axis axis = c.step.axis;
    const auto rows = [&](const View<const double>& view, Index steps) {
        return rows_at(c.layers, view, moved(c.layers, cell, axis, steps));
    };
    return InterfaceRows<decltype(flow_at(cell))>{rows_at(c.layers, c.interface, cell),
                                                  rows(c.tracer, -1),
                                                  rows(c.tracer, 0),
                                                  rows(c.tracer, 1),
                                                  rows(c.tracer, 2),
                                                  flow_at(before(c.layers, cell, axis)),
                                                  flow_at(cell),
                                                  flow_at(moved(c.layers, cell, axis, 1)),
                                                  rows(c.thickness, 0),
                                                  rows(c.thickness, 1),
                                                  open_at(c, moved(c.layers, cell, axis, -1)),
                                                  open_at(c, moved(c.layers, cell, axis, 1)),
                                                  rows(c.leaving, 0),
                                                  rows(c.leaving, 1)};
}

template <Kind kind, class FlowAt>
void interface_planes(const InterfaceFields& c, const Box& box, const FlowAt& flow_at) {
    for_planes(c.layers, c.step.axis, columns_of(c.layers, box),
               [&](const Index3& cell, Index planes, Index rows, Index n) {
                   const auto at = interface_at(c, cell, flow_at);
                   with_row_length(n, [&](auto length) {
                       for (Index p = 0; p < planes; ++p)
                           for (Index r = 0; r < rows; ++r) interface_row<kind>(row_of(at, p, r), length, c.step.scale);
                   });
               });
}

template <Kind kind>
void interface_planes(const InterfaceFields& c, const Box& box) {
    if (c.width.empty()) {
        interface_planes<kind>(c, box, [&](const Index3& cell) { return rows_at(c.layers, c.flow, cell); });
    } else {
        interface_planes<kind>(c, box,
                               [&](const Index3& cell) { return wide_rows_at(c.layers, c.flow, c.width[0], cell); });
    }
}

template <Scheme scheme, bool together>
void interfaces(const InterfaceFields& c, const Box& box) {
    if (!c.layers.fastest && c.step.axis != lapwing::z) {
        interface_planes<Kind{scheme, together, 1}>(c, box);
    } else {
        interface_planes<Kind{scheme, together, 0}>(c, box);
    }
}

template <Scheme scheme>
void interfaces(const InterfaceFields& c, const Box& box, bool together) {
    if (together) return interfaces<scheme, true>(c, box);
    interfaces<scheme, false>(c, box);
}

void interfaces_of(Scheme scheme, const InterfaceFields& c, const Box& box, bool together) {
    switch (scheme) {
        case Scheme::upstream:
            return interfaces<Scheme::upstream, false>(c, box);
        case Scheme::p2:
            return interfaces<Scheme::p2, false>(c, box);
        case Scheme::superbee:
            return interfaces<Scheme::superbee>(c, box, together);
        case Scheme::muscl:
            return interfaces<Scheme::muscl>(c, box, together);
        case Scheme::p2_pdm:
            return interfaces<Scheme::p2_pdm>(c, box, together);
    }
}

// The input of the update of a row along one axis; element n of each belongs to cell n.
template <class Flow>
struct UpdateRow {
    const double *interface_behind, *interface;
    Flow flow_behind, flow;
    double scale;

    [[nodiscard]] double change(Index i, double c) const {
        return flow[i] * (interface[i] - c) - flow_behind[i] * (interface_behind[i] - c);
    }
};

template <class Planes>
struct UpdateRows {
    Rows<const double> interface_behind, interface;
    Planes flow_behind, flow;
    double scale;

    [[nodiscard, gnu::always_inline]] auto row(Index p, Index r) const {
        return UpdateRow<decltype(flow(p, r))>{interface_behind(p, r), interface(p, r), flow_behind(p, r), flow(p, r),
                                               scale};
    }
};

// The arrays that an update reads along one axis on its box.
struct UpdateFields {
    const AxisStep& step;
    View<const double> interface, flow;

    [[nodiscard]] UpdateRows<Rows<const double>> rows(const Layers& layers, const Index3& cell) const {
        const Index3 behind = before(layers, cell, step.axis);
        return {rows_at(layers, interface, behind), rows_at(layers, interface, cell), rows_at(layers, flow, behind),
                rows_at(layers, flow, cell), step.scale};
    }
};

// The same where metrics vary.
struct WideUpdateFields {
    const AxisStep& step;
    View<const double> interface, flow;
    const View<const double>& width;

    [[nodiscard]] UpdateRows<WideFlowRows> rows(const Layers& layers, const Index3& cell) const {
        const Index3 behind = before(layers, cell, step.axis);
        return {rows_at(layers, interface, behind), rows_at(layers, interface, cell),
                wide_rows_at(layers, flow, width, behind), wide_rows_at(layers, flow, width, cell), step.scale};
    }
};

template <class Flow>
[[gnu::always_inline]] inline void update_row(double* __restrict tracer, const double* new_thickness,
                                              const UpdateRow<Flow> row, Index n) {
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, tracer, new_thickness, row.interface, place_of(row.flow));
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double c = tracer[i];
            tracer[i] = c - row.scale * row.change(i, c) / new_thickness[i];
        }
    });
}

template <class Flow>
inline void update_row(double* __restrict tracer, const double* new_thickness, const UpdateRow<Flow> x,
                       const UpdateRow<Flow> y, Index n) {
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, tracer, new_thickness, x.interface, place_of(x.flow), y.interface, place_of(y.flow));
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double c = tracer[i];
            tracer[i] = c - (x.scale * x.change(i, c) + y.scale * y.change(i, c)) / new_thickness[i];
        }
    });
}

// Updates the cells of `box` along one axis or two.
template <class First, class... Others>
void update_planes(const Box& box, const View<double>& tracer, const View<const double>& new_thickness,
                   const First& first, const Others&... others) {
    const Layers layers{first.step.levels, !tracer.unit_rows()};
    for_planes(layers, first.step.axis, columns_of(layers, box),
               [&](const Index3& cell, Index planes, Index rows, Index n) {
                   const auto c = rows_at(layers, tracer, cell);
                   const auto thickness = rows_at(layers, new_thickness, cell);
                   const auto update = [&](const auto&... axes) {
                       with_row_length(n, [&](auto length) {
                           for (Index p = 0; p < planes; ++p)
                               for (Index r = 0; r < rows; ++r)
                                   update_row(c(p, r), thickness(p, r), axes.row(p, r)..., length);
                       });
                   };
                   update(first.rows(layers, cell), others.rows(layers, cell)...);
               });
}

}  // namespace

void TracerInterface::operator()(Box box, View<double> interface, View<const double> tracer, View<const double> flow,
                                 View<const double> thickness, const std::vector<View<const double>>& open,
                                 const std::vector<View<const double>>& leaving, const Views& width) const {
    const bool together = !leaving.empty();
    const InterfaceFields fields{step,
                                 {step.levels, !tracer.unit_rows()},
                                 interface,
                                 tracer,
                                 flow,
                                 thickness,
                                 open.empty() ? View<const double>() : open.front(),
                                 together ? leaving.front() : thickness,
                                 width};
    interfaces_of(scheme, fields, box, together);
}

void TracerUpdate::operator()(Box box, View<double> tracer, View<const double> interface, View<const double> flow,
                              View<const double> new_thickness, const Views& width) const {
    if (width.empty()) return update_planes(box, tracer, new_thickness, UpdateFields{step, interface, flow});
    update_planes(box, tracer, new_thickness, WideUpdateFields{step, interface, flow, width[0]});
}

void TracerUpdateTogether::operator()(Box box, View<double> tracer, View<const double> interface_x,
                                      View<const double> flow_x, View<const double> interface_y,
                                      View<const double> flow_y, View<const double> new_thickness, const Views& width_x,
                                      const Views& width_y) const {
    if (width_x.empty())
        return update_planes(box, tracer, new_thickness, UpdateFields{along_x, interface_x, flow_x},
                             UpdateFields{along_y, interface_y, flow_y});
    update_planes(box, tracer, new_thickness, WideUpdateFields{along_x, interface_x, flow_x, width_x[0]},
                  WideUpdateFields{along_y, interface_y, flow_y, width_y[0]});
}

}  // namespace lapwing_coast
