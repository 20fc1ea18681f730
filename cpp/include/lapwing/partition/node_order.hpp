#pragma once
// The numbers of ranks, chosen so that neighbours share a node.

#include "lapwing/partition/partition.hpp"

namespace lapwing {

// The partition with its ranks numbered again, such that the `ranks_per_node` ranks of a node are close together.
// Blocks between cuts that go all through the grid, which equal rectangles of `ranks_per_node` blocks can tile, get the
// rectangles with the least surface, x fastest and within a node too. In all other partitions the ranks are halved at a
// number of whole nodes across the longer side of their boxes' middles, and so on down to single ranks. Throws
// UserError for ranks_per_node < 1. Local.
Partition node_ordered(const Partition& partition, int ranks_per_node);

}  // namespace lapwing
