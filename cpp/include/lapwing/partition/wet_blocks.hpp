#pragma once
// Blocks of a masked grid: blocks without water get no rank, or small blocks are assigned, several per rank.

#include "lapwing/partition/partition_cost.hpp"

namespace lapwing {

// blocks[0] x blocks[1] boxes, dry boxes dropped, the rest trimmed to their wet bounds and given to ranks 0, 1,
// ... row by row. Throws UserError when an axis has fewer cells than blocks, or the mask another size than the grid.
// Local.
Partition wet_block_partition(const Grid& grid, const Mask& mask, const Index3& blocks);

// A partition of blocks, and how many blocks along each axis it was made of.
struct FoundBlocks {
    Partition partition;
    Index3 blocks{1, 1, 1};
    Index searched = 0;  // shapes of blocks
};

// The cheapest such partition on at most `ranks` ranks, of those with at most 4 ranks blocks along x and, for each
// number of them, along y the most blocks that the ranks suffice for, or up to 2000 / ranks (at least two) fewer.
// Throws UserError as above, and for ranks < 1. Local.
FoundBlocks find_wet_blocks(const Grid& grid, const Mask& mask, int ranks, const CostModel& model = {});

// Small wet blocks along a Hilbert curve, which keeps neighbours together, cut into one run per rank such that the
// largest number of wet points in a run is as small as it can be, whatever the speeds. The cheapest of 2 to 8 blocks
// per rank. More ranks than wet points: a rank for every point. Throws UserError as above. Local.
FoundBlocks find_assigned_blocks(const Grid& grid, const Mask& mask, int ranks, const CostModel& model = {});

}  // namespace lapwing
