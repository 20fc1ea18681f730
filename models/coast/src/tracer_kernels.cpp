#include "lapwing_coast/tracer_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;

// A row of cells that follow each other in memory, along x or along the levels, whichever is fastest.
struct Row {
    Index3 first{};  // cell
    Index length = 0;
};

// Values of one row and of its neighbours along the axis of the advection; element n of each belongs to cell n.
struct InterfaceRow {
    double* __restrict interface;
    const double *behind, *here, *ahead, *two_ahead;  // tracer
    const double *flow_behind, *flow, *flow_ahead;
    const double *thickness, *thickness_ahead;
    const double *open_behind, *open_ahead;  // null: open
};

// Twice the limited slope; `courant` is the share of the upwind cell that leaves it.
inline double limited(double downstream, double upstream, double courant) {
    const double d = std::abs(downstream), g = std::abs(upstream);
    const double rest = 1.0 - courant;
    const double third_order = rest * ((2.0 - courant) * d + (1.0 + courant) * g) * (1.0 / 3.0);
    const double emptied = 2.0 * rest * g / (courant + 1e-10);
    const double slope = std::min(std::min(third_order, 2.0 * d), emptied);
    return downstream * upstream > 0.0 ? std::copysign(slope, downstream) : 0.0;
}

// Step of `open` along the row: 1 along x, 0 along the levels. All values are loaded whichever way it flows, and chosen
// from afterwards, so that the loop has no branch.
template <bool upstream_only, int open_step>
void interface_row(const InterfaceRow& row, Index n, double scale) {
    double* __restrict interface = row.interface;
    for (Index i = 0; i < n; ++i) {
        const double c = row.here[i], c_ahead = row.ahead[i];
        const bool onward = row.flow[i] >= 0.0;
        const double here = onward ? c : c_ahead;  // in the cell it flows out of
        if constexpr (upstream_only) {
            interface[i] = here;
            continue;
        }
        const double behind = row.open_behind[i * open_step] > 0.0 ? row.behind[i] : c;
        const double two_ahead = row.open_ahead[i * open_step] > 0.0 ? row.two_ahead[i] : c_ahead;
        const double next = onward ? c_ahead : c, before = onward ? behind : two_ahead;
        const double other = onward ? -row.flow_behind[i] : row.flow_ahead[i];  // out of the cell's other side
        const double out = scale * (std::abs(row.flow[i]) + (other > 0.0 ? other : 0.0));  // m
        const double thickness = onward ? row.thickness[i] : row.thickness_ahead[i];
        interface[i] = here + 0.5 * limited(next - here, here - before, out / thickness);
    }
}

struct UpdateRow {
    double* __restrict tracer;
    const double *interface_behind, *interface, *flow_behind, *flow, *new_thickness;
};

void update_row(const UpdateRow& row, Index n, double scale) {
    double* __restrict tracer = row.tracer;
    for (Index i = 0; i < n; ++i) {
        const double c = tracer[i];
        const double change = row.flow[i] * (row.interface[i] - c) - row.flow_behind[i] * (row.interface_behind[i] - c);
        tracer[i] = c - scale * change / row.new_thickness[i];
    }
}

const double* at(const lapwing::View<double>& view, const Index3& cell) { return &view(cell[0], cell[1], cell[2]); }

// The cell `steps` further along the axis; the column ends at its surface and its bottom.
Index3 moved(const AdvectionContext& context, Index3 cell, Index steps) {
    const auto axis = static_cast<std::size_t>(context.axis);
    cell[axis] += steps;
    if (context.axis == 2) cell[2] = std::clamp<Index>(cell[2], 0, context.levels - 1);
    return cell;
}

// The interface below: nothing flows through the bottom, as nothing does through the surface, which stands for it.
Index3 below(const AdvectionContext& context, Index3 cell) {
    if (context.axis == 2 && cell[2] == 0) return {cell[0], cell[1], context.levels - 1};
    return moved(context, cell, -1);
}

constexpr double always_open = 1.0;

const double* open_at(const AdvectionContext& context, const Index3& cell) {
    return context.axis == 2 ? &always_open : &context.open(cell[0], cell[1]);
}

InterfaceRow interface_at(const AdvectionContext& c, const Index3& cell) {
    const Index3 ahead = moved(c, cell, 1), behind = moved(c, cell, -1);
    return {&c.interface(cell[0], cell[1], cell[2]),
            at(c.tracer, behind),
            at(c.tracer, cell),
            at(c.tracer, ahead),
            at(c.tracer, moved(c, cell, 2)),
            at(c.flow, below(c, cell)),
            at(c.flow, cell),
            at(c.flow, ahead),
            at(c.thickness, cell),
            at(c.thickness, ahead),
            open_at(c, behind),
            open_at(c, ahead)};
}

UpdateRow update_at(const AdvectionContext& c, const Index3& cell) {
    const Index3 behind = below(c, cell);
    return {&c.tracer(cell[0], cell[1], cell[2]),
            at(c.interface, behind),
            at(c.interface, cell),
            at(c.flow, behind),
            at(c.flow, cell),
            at(c.new_thickness, cell)};
}

// Calls work(first cell, length) for the rows of the columns of `box`. Along the levels, where the axis is the
// vertical, the cells near the ends have neighbours of their own: they are rows of one cell.
template <class Work>
void for_rows(const AdvectionContext& context, const Box& box, Work&& work) {
    const Index levels = context.levels;
    if (context.tracer.unit_rows()) {
        for (Index k = 0; k < levels; ++k)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j) work(Index3{box.lo[0], j, k}, box.size(0));
        return;
    }
    const Index edge = context.axis == 2 ? std::min<Index>(2, levels) : 0;
    const Index inner = std::max<Index>(levels - 2 * edge, 0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            for (Index k = 0; k < edge; ++k) work(Index3{i, j, k}, 1);
            if (inner > 0) work(Index3{i, j, edge}, inner);
            for (Index k = edge + inner; k < levels; ++k) work(Index3{i, j, k}, 1);
        }
}

template <bool upstream_only>
void interfaces(const AdvectionContext& context, const Box& box) {
    const bool open_differs = context.tracer.unit_rows() && context.axis != 2;
    for_rows(context, box, [&](const Index3& cell, Index n) {
        const InterfaceRow row = interface_at(context, cell);
        if (open_differs) {
            interface_row<upstream_only, 1>(row, n, context.scale);
        } else {
            interface_row<upstream_only, 0>(row, n, context.scale);
        }
    });
}

}  // namespace

void tracer_interface(void* context, Box box) {
    const auto& at = *static_cast<const AdvectionContext*>(context);
    if (at.limiter == Limiter::upstream) {
        interfaces<true>(at, box);
    } else {
        interfaces<false>(at, box);
    }
}

void tracer_update(void* context, Box box) {
    const auto& at = *static_cast<const AdvectionContext*>(context);
    for_rows(at, box, [&](const Index3& cell, Index n) { update_row(update_at(at, cell), n, at.scale); });
}

}  // namespace lapwing_coast
