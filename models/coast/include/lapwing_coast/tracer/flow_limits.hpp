#pragma once
// The distance of a flow from what the advection of tracers allows, and the cell.

#include <limits>
#include <span>
#include <string>

#include "lapwing/mpi/domain.hpp"

#include "lapwing_coast/tracer/tracer_flow.hpp"

namespace lapwing_coast {

// An extreme value and where it is. Among equal ones it belongs to the cell that comes first by levels, then by rows,
// however the grid is cut, and there to the first fractional step.
struct Extreme {
    double value = 0.0;
    lapwing::Index3 cell{-1, -1, -1};  // (i, j, k); -1: nowhere
    int fraction = 0;                  // of the split: its number, from 0
};

// NaN counts as the worst.
struct FlowLimits {
    // The largest share of a cell that leaves it in one fractional step.
    Extreme share{};
    // The thinnest layer before any fractional step, or after the last one: `fraction` then is their number; m.
    Extreme thickness{std::numeric_limits<double>::infinity()};
    // The largest difference between how much the surface rises and how much water comes in, as a share of the
    // uppermost layer: rounding, where flow and thicknesses belong together. Not of cells with a prescribed sea level.
    Extreme surface{};

    [[nodiscard]] bool share_is_kept() const { return share.value <= 1.0; }
    [[nodiscard]] bool thickness_is_kept() const { return thickness.value > 0.0; }
    [[nodiscard]] bool surface_is_kept() const { return surface.value <= 1e-9; }
    [[nodiscard]] bool all_are_kept() const { return share_is_kept() && thickness_is_kept() && surface_is_kept(); }
};

// Returns the limits in the columns of `box`; `prescribed`: cells whose sea level is. Local; reads what VerticalFlow
// reads, and what it writes.
FlowLimits flow_limits(const LayerFlow& flow, const Box& box, std::span<const Box> prescribed);

// The worse of each limit. Local.
FlowLimits worse(const FlowLimits& a, const FlowLimits& b);

// Returns the limits of all ranks. Collective, six reductions.
FlowLimits of_all_ranks(const lapwing::Domain& domain, const FlowLimits& mine);

// Throws StateError on all ranks, naming the step, the limit, what was found and its cell, unless all are kept.
// Collective; one reduction when all is well.
void check_limits(const lapwing::Domain& domain, const FlowLimits& mine, Split split, Index step_number);

// "x and y", along which a fractional step goes, and "(i, j, k)". Local.
std::string axes_of(const Fraction& fraction);
std::string text(const lapwing::Index3& cell);

}  // namespace lapwing_coast
