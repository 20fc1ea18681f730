#pragma once
// Which rank gets which number: neighbours on one node.

#include "lapwing/partition/partition.hpp"

namespace lapwing {

// The partition with its ranks numbered again, such that the `ranks_per_node` ranks of a node are close together: the
// ranks are halved at a number of whole nodes across the longer side of their boxes' middles, and so on down to single
// ranks. Throws UserError for ranks_per_node < 1. Local.
Partition node_ordered(const Partition& partition, int ranks_per_node);

}  // namespace lapwing
