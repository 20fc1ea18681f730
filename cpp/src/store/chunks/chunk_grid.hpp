#pragma once
// Chunk grids: how a map is cut into the files of a store. Pure numbers.

#include <string>

#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/field_spec.hpp"

namespace lapwing {

// The chunks of one map: cells along x, y and levels (1 without), of all and of a chunk. It follows from the sizes of
// the map and its values alone, so the files are the same on any number of ranks.
struct ChunkGrid {
    Index3 size, chunk;

    // The chunk whose cells are `box`, whose levels are counted from `level` on. Local.
    [[nodiscard]] Index3 at(const Box& box, Index level = 0) const;
    // The chunks of the first `levels` levels, each of one rank, shared out evenly, x fastest; with fewer chunks than
    // ranks, the ranks that write are spread over all. Local.
    [[nodiscard]] Partition partition(int ranks, Index levels) const;
    friend bool operator==(const ChunkGrid&, const ChunkGrid&) = default;
    friend auto operator<=>(const ChunkGrid&, const ChunkGrid&) = default;
};

// The chunk grid of a map of `size` cells along x, y and levels (1 without): chunks of about `chunk_bytes`, with as
// many layers as fit; a larger layer is cut into even shares of its rows. Local.
ChunkGrid chunk_grid(const Index3& size, Index value_bytes, Index chunk_bytes);

// The cells of a map of a field along x, y and levels. Local.
Index3 map_size(const Grid& grid, const FieldSpec& spec);

}  // namespace lapwing
