#pragma once
// Chains of stages that a tile runs through while its fields are in a cache, and how tiles are cut for them.

#include <vector>

#include "lapwing/schedule/task_list.hpp"
#include "schedule/zones/thread_parts.hpp"

namespace lapwing {

// Stages after one another whose tiles follow each other. Tile n of a stage begins `size` cells times n after the box,
// less what the stage lies behind the first: so far that it reads what tiles up to n of earlier stages wrote, and
// writes what no later tile of them reads.
struct TileChain {
    std::size_t first = 0, last = 0;  // entries of the node: [first, last)
    Index3 size{0, 0, 0};             // cells of a tile along each axis; 0: uncut
    std::vector<Index3> behind;       // for each entry from `first` on
    std::vector<Index3> inside;       // and how far within its part a thread begins, to read nothing of the part below
    ThreadParts parts;                // how threads share the tiles
};

// The chains of a step, in order; they hold all its entries. A chain ends where its tiles would outgrow the cache, and
// where all ranks wait for each other. Local.
std::vector<TileChain> tile_chains(const RankStep& step, const Tiling& tiling, int rows);

}  // namespace lapwing
