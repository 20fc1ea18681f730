#pragma once
// The flow of a fractional step in rows, for the kernel that computes it and for the search of its limits.

#include <algorithm>

#include "lapwing_coast/tracer/tracer_flow.hpp"
#include "tracer/flow_values.hpp"

namespace lapwing_coast {

// The flow through both interfaces of the cells of a row along one axis, and its share in the fractional step over the
// spacing (1/m, along the vertical 1).
template <class Flow>
struct FlowRow {
    Flow behind, ahead;
    double scale;

    // The net outflow of cell c, m/s.
    [[nodiscard]] double loss(Index c) const { return (ahead[c] - behind[c]) * scale; }
    // Its outflow, m/s.
    [[nodiscard]] double outflow(Index c) const {
        return (std::max(ahead[c], 0.0) + std::max(-behind[c], 0.0)) * scale;
    }
};

template <class Planes>
struct FlowRows {
    Planes behind, ahead;
    double scale;

    [[nodiscard]] auto row(Index p, Index r) const {
        return FlowRow<decltype(behind(p, r))>{behind(p, r), ahead(p, r), scale};
    }
};

inline Layers layers_of(const LayerFlow& at) { return {at.levels, !at.flow_z.unit_rows()}; }

inline bool varies(const LayerFlow& at) { return at.width_x != nullptr && !at.width_x->empty(); }

inline FlowRows<WideFlowRows> wide_flow_rows(const LayerFlow& at, const Fraction& fraction, Axis axis,
                                             const lapwing::Index3& cell) {
    const Layers layers = layers_of(at);
    const View<const double>& flow = axis == lapwing::x ? at.flow_x : at.flow_y;
    const View<const double>& width = (axis == lapwing::x ? *at.width_x : *at.width_y)[0];
    return {wide_rows_at(layers, flow, width, before(layers, cell, axis)), wide_rows_at(layers, flow, width, cell),
            fraction.share(axis)};
}

inline FlowRows<Rows<const double>> flow_rows(const LayerFlow& at, const Fraction& fraction, Axis axis,
                                              const lapwing::Index3& cell) {
    const Layers layers = layers_of(at);
    const View<const double>& flow = axis == lapwing::x ? at.flow_x : axis == lapwing::y ? at.flow_y : at.flow_z;
    const double over_spacing = axis == lapwing::x ? at.over_dx : axis == lapwing::y ? at.over_dy : 1.0;
    return {rows_at(layers, flow, before(layers, cell, axis)), rows_at(layers, flow, cell),
            fraction.share(axis) * over_spacing};
}

// Calls work(FlowRows...) with the rows of the axes that the fractional step moves along, one or two. The rows begin at
// `cell`.
template <class Work>
void with_flows(const LayerFlow& at, const Fraction& fraction, const lapwing::Index3& cell, Work&& work) {
    const auto along = [&](Axis axis) { return flow_rows(at, fraction, axis, cell); };
    if (varies(at) && !fraction.moves_along(lapwing::z)) {
        const auto wide = [&](Axis axis) { return wide_flow_rows(at, fraction, axis, cell); };
        if (fraction.is_together()) return work(wide(lapwing::x), wide(lapwing::y));
        return work(wide(fraction.axis()));
    }
    if (fraction.is_together()) return work(along(lapwing::x), along(lapwing::y));
    work(along(fraction.axis()));
}

// Thickness after the last fractional step.
inline const View<const double>& new_thickness(const LayerFlow& at) {
    return at.thickness[fractions_of(at.split).size()];
}

// The flow through the x or y face of cell (i, j, k), times its width where metrics vary.
inline double flow_through(const LayerFlow& at, Axis axis, Index i, Index j, Index k) {
    const double flow = (axis == lapwing::x ? at.flow_x : at.flow_y)(i, j, k);
    return varies(at) ? flow * (axis == lapwing::x ? *at.width_x : *at.width_y)[0](i, j) : flow;
}

// The loss of cell (i, j, k) along x and along y, and its growth with the surface, m/s, or m3/s where metrics vary.
inline double loss_along_x(const LayerFlow& at, Index i, Index j, Index k) {
    return (flow_through(at, lapwing::x, i, j, k) - flow_through(at, lapwing::x, i - 1, j, k)) * at.over_dx;
}
inline double loss_along_y(const LayerFlow& at, Index i, Index j, Index k) {
    return (flow_through(at, lapwing::y, i, j, k) - flow_through(at, lapwing::y, i, j - 1, k)) * at.over_dy;
}
inline double horizontal_loss(const LayerFlow& at, Index i, Index j, Index k) {
    return loss_along_x(at, i, j, k) + loss_along_y(at, i, j, k);
}
inline double growth(const LayerFlow& at, Index i, Index j, Index k) {
    return (new_thickness(at)(i, j, k) - at.thickness[0](i, j, k)) * (1.0 / at.time_step);
}

}  // namespace lapwing_coast
