#pragma once
// Blocks of different sizes for ranks of different speeds.

#include <span>

#include "lapwing/partition/partition.hpp"

namespace lapwing {

// The partition with its cuts moved, such that rows and columns of blocks with fast ranks are wider: along each axis
// the cells are shared out as the speeds of the ranks between two cuts are, at least one cell each. Every rank keeps
// its place, and all cuts still go through the grid, so that every strategy and transpose works on it. `speeds`: for
// each rank, above 0, in any unit. Throws UserError for another number of speeds, a speed that is not above 0, and a
// partition that is not made of blocks between cuts that go all through the grid, one for each rank. Local.
Partition weighted_blocks(const Partition& partition, std::span<const double> speeds);

}  // namespace lapwing
