#pragma once
// A transpose as a message plan: every cell from its owner in one distribution to its owner in another.

#include <optional>
#include <span>
#include <vector>

#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// The cells of a transpose that move.
struct TransposeShare {
    std::optional<Box> active{};  // only these cells; otherwise all that both distributions have
    // Group `group` of `groups`, consecutive levels each: part number `group` of every box of the side whose levels are
    // spread (levels_spread), so that all ranks have work in every group, if their boxes have that many levels.
    int groups = 1;
    int group = 0;
};

// The plan between two distributions of one grid, in one phase, one message per pair of ranks. Messages store values in
// the order of `fields`: best in the order of the targets, so that a value changes its place while it is packed, in a
// buffer that is dense and small, and whole runs arrive. Cells that only one of them has stay where they are. Cost: the
// rank's own partners and boxes; with groups the boxes of all ranks. Throws UserError for a rank outside, bad fields,
// another grid or number of ranks on one side, an active box that is empty or leaves the grid, or no such group. Local,
// no MPI; equal arguments give matching plans.
MessagePlan transpose_plan(const Partition& from, const Partition& to, int rank, std::span<const FieldSpec> fields,
                           const TransposeShare& share = {});

// True if groups are parts of the boxes of `to`, where `from` has at least as many levels. Else they are parts of
// the boxes of `from`. Cost: the boxes of all ranks. Local.
bool levels_spread_in_target(const Partition& from, const Partition& to);

// Part number `group` of `groups` of the levels of a box; empty where it has fewer levels. Local.
Box level_group(const Box& box, int groups, int group);

// The work of one rank, or of several together, in a transpose.
struct TransposeCensus {
    Index messages = 0;      // sent
    Index bytes = 0;         // sent
    Index copied = 0;        // bytes that stay on their rank
    Index buffer_bytes = 0;  // buffers of a method that packs both ends

    TransposeCensus& operator+=(const TransposeCensus& other);
    friend bool operator==(const TransposeCensus&, const TransposeCensus&) = default;
};

// Returns the work of one rank, from its plan. Local.
TransposeCensus census_of(const MessagePlan& plan);

}  // namespace lapwing
