#include "lapwing_coast/tracer_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <lapwing/narrow_rows.hpp>

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;
using lapwing::with_row_length;

// Values of planes of rows: those of row r of plane p begin at (p, r).
template <class T>
struct Rows {
    T* first = nullptr;
    Index plane_step = 0, row_step = 0;
    T* operator()(Index plane, Index row) const { return first + plane * plane_step + row * row_step; }
};

// Values of rows and of their neighbours along the axis of the advection; element n of each row belongs to cell n.
struct InterfaceRows {
    Rows<double> interface;
    Rows<const double> behind, here, ahead, two_ahead;  // tracer
    Rows<const double> flow_behind, flow, flow_ahead;
    Rows<const double> thickness, thickness_ahead;
    Rows<const double> open_behind, open_ahead;
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

// Values of one row, where they begin.
struct InterfaceRow {
    double* __restrict interface;
    const double *behind, *here, *ahead, *two_ahead;
    const double *flow_behind, *flow, *flow_ahead;
    const double *thickness, *thickness_ahead;
    const double *open_behind, *open_ahead;
};

inline InterfaceRow row_of(const InterfaceRows& at, Index p, Index r) {
    return {at.interface(p, r), at.behind(p, r),          at.here(p, r),        at.ahead(p, r),
            at.two_ahead(p, r), at.flow_behind(p, r),     at.flow(p, r),        at.flow_ahead(p, r),
            at.thickness(p, r), at.thickness_ahead(p, r), at.open_behind(p, r), at.open_ahead(p, r)};
}

// `count` cells from `first` on. Step of `open` along the row: 1 along x, 0 along the levels. All values are loaded
// whichever way it flows, and chosen from afterwards, so that the loop has no branch.
template <bool upstream_only, int open_step, int count>
[[gnu::always_inline]] inline void interface_cells(const InterfaceRow& row, Index first, double scale) {
    double* __restrict interface = row.interface;
#pragma omp simd
    for (Index i = first; i < first + count; ++i) {
        const double c = row.here[i], c_ahead = row.ahead[i];
        const bool onward = row.flow[i] >= 0.0;
        const double here = onward ? c : c_ahead;  // in the cell it flows out of
        if constexpr (upstream_only) {
            interface[i] = here;
            continue;
        }
        const double c_behind = row.behind[i], c_two_ahead = row.two_ahead[i];
        const double behind = row.open_behind[i * open_step] > 0.0 ? c_behind : c;
        const double two_ahead = row.open_ahead[i * open_step] > 0.0 ? c_two_ahead : c_ahead;
        const double next = onward ? c_ahead : c, before = onward ? behind : two_ahead;
        const double q_behind = row.flow_behind[i], q_ahead = row.flow_ahead[i];
        const double other = onward ? -q_behind : q_ahead;  // out of the cell's other side
        const double out = scale * (std::abs(row.flow[i]) + (other > 0.0 ? other : 0.0));  // m
        const double h = row.thickness[i], h_ahead = row.thickness_ahead[i];
        const double thickness = onward ? h : h_ahead;
        interface[i] = here + 0.5 * limited(next - here, here - before, out / thickness);
    }
}

// A row in parts that fill a vector; the last one computes cells again, as nothing is written that is read.
template <bool upstream_only, int open_step>
[[gnu::always_inline]] inline void interface_row(const InterfaceRow& row, Index n, double scale) {
    if (n >= 8) {
        for (Index first = 0; first + 8 <= n; first += 8)
            interface_cells<upstream_only, open_step, 8>(row, first, scale);
        if (n % 8 > 0) interface_cells<upstream_only, open_step, 8>(row, n - 8, scale);
        return;
    }
    if (n >= 4) interface_cells<upstream_only, open_step, 4>(row, 0, scale);
    if (n > 4) interface_cells<upstream_only, open_step, 4>(row, n - 4, scale);
    if (n == 2 || n == 3) interface_cells<upstream_only, open_step, 2>(row, 0, scale);
    if (n == 1 || n == 3) interface_cells<upstream_only, open_step, 1>(row, n - 1, scale);
}

struct UpdateRows {
    Rows<double> tracer;
    Rows<const double> interface_behind, interface, flow_behind, flow, new_thickness;
};

inline void update_row(const UpdateRows& rows, Index p, Index r, Index n, double scale) {
    double* __restrict tracer = rows.tracer(p, r);
    const double *interface_behind = rows.interface_behind(p, r), *interface = rows.interface(p, r),
                 *flow_behind = rows.flow_behind(p, r), *flow = rows.flow(p, r),
                 *new_thickness = rows.new_thickness(p, r);
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double c = tracer[i];
        const double change = flow[i] * (interface[i] - c) - flow_behind[i] * (interface_behind[i] - c);
        tracer[i] = c - scale * change / new_thickness[i];
    }
}

// Axes along which planes and rows follow each other: rows lie along x or along the levels, whichever is fastest.
struct PlaneAxes {
    std::size_t plane, row;
};

PlaneAxes axes_of(const AdvectionContext& context) {
    return context.tracer.unit_rows() ? PlaneAxes{2, 1} : PlaneAxes{1, 0};
}

// The rows that begin at `cell`.
template <class T = const double>
Rows<T> rows_at(const AdvectionContext& context, const lapwing::View<double>& view, const Index3& cell) {
    double& first = view(cell[0], cell[1], cell[2]);
    const auto step_along = [&](std::size_t axis) {
        Index3 next = cell;
        ++next[axis];
        return &view(next[0], next[1], next[2]) - &first;
    };
    const PlaneAxes axes = axes_of(context);
    return {&first, step_along(axes.plane), step_along(axes.row)};
}

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

Rows<const double> open_at(const AdvectionContext& context, const Index3& cell) {
    if (context.axis == 2) return {&always_open, 0, 0};
    auto rows = rows_at(context, context.open, {cell[0], cell[1], 0});
    if (axes_of(context).plane == 2) rows.plane_step = 0;  // the same in all layers
    return rows;
}

InterfaceRows interface_at(const AdvectionContext& c, const Index3& cell) {
    const Index3 ahead = moved(c, cell, 1), behind = moved(c, cell, -1);
    return {rows_at<double>(c, c.interface, cell),
            rows_at(c, c.tracer, behind),
            rows_at(c, c.tracer, cell),
            rows_at(c, c.tracer, ahead),
            rows_at(c, c.tracer, moved(c, cell, 2)),
            rows_at(c, c.flow, below(c, cell)),
            rows_at(c, c.flow, cell),
            rows_at(c, c.flow, ahead),
            rows_at(c, c.thickness, cell),
            rows_at(c, c.thickness, ahead),
            open_at(c, behind),
            open_at(c, ahead)};
}

UpdateRows update_at(const AdvectionContext& c, const Index3& cell) {
    const Index3 behind = below(c, cell);
    return {rows_at<double>(c, c.tracer, cell), rows_at(c, c.interface, behind), rows_at(c, c.interface, cell),
            rows_at(c, c.flow, behind),         rows_at(c, c.flow, cell),        rows_at(c, c.new_thickness, cell)};
}

// Levels whose cells have all neighbours at the same distance: those near the ends of a column, where the axis is the
// vertical, are alone.
template <class Work>
void for_alike_levels(const AdvectionContext& context, Work&& work) {
    const Index levels = context.levels, edge = context.axis == 2 ? std::min<Index>(2, levels) : 0;
    const Index inner = std::max<Index>(levels - 2 * edge, 0);
    for (Index k = 0; k < edge; ++k) work(k, Index{1});
    if (inner > 0) work(edge, inner);
    for (Index k = edge + inner; k < levels; ++k) work(k, Index{1});
}

// Calls work(first cell, planes, rows of each, their length) for the columns of `box`.
template <class Work>
void for_planes(const AdvectionContext& context, const Box& box, Work&& work) {
    for_alike_levels(context, [&](Index k, Index levels) {
        const Index3 first{box.lo[0], box.lo[1], k};
        if (context.tracer.unit_rows()) {
            work(first, levels, box.size(1), box.size(0));
        } else {
            work(first, box.size(1), box.size(0), levels);
        }
    });
}

template <bool upstream_only, int open_step>
void interface_planes(const AdvectionContext& context, const Box& box) {
    for_planes(context, box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const InterfaceRows at = interface_at(context, cell);
        with_row_length(n, [&](auto length) {
            for (Index p = 0; p < planes; ++p)
                for (Index r = 0; r < rows; ++r)
                    interface_row<upstream_only, open_step>(row_of(at, p, r), length, context.scale);
        });
    });
}

template <bool upstream_only>
void interfaces(const AdvectionContext& context, const Box& box) {
    if (context.tracer.unit_rows() && context.axis != 2) {
        interface_planes<upstream_only, 1>(context, box);
    } else {
        interface_planes<upstream_only, 0>(context, box);
    }
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
    const auto& c = *static_cast<const AdvectionContext*>(context);
    for_planes(c, box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const UpdateRows at = update_at(c, cell);
        with_row_length(n, [&](auto length) {
            for (Index p = 0; p < planes; ++p)
                for (Index r = 0; r < rows; ++r) update_row(at, p, r, length, c.scale);
        });
    });
}

}  // namespace lapwing_coast
