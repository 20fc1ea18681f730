#pragma once
// Small partitions made of bytes: any boxes, several or none per rank, part of the grid without an owner.

#include <vector>

#include "fuzz_input.hpp"
#include "lapwing/partition/partition.hpp"

namespace lapwing::fuzzing {

inline Grid small_grid(Bytes& bytes, int most_levels) {
    Grid grid;
    grid.size = {bytes.between(1, 8), bytes.between(1, 6), bytes.between(1, most_levels)};
    const int closed = bytes.byte();
    for (std::size_t a = 0; a < 3; ++a) grid.periodic[a] = (closed >> a & 1) != 0;
    return grid;
}

// Cuts a box again and again; one part in eight has no owner.
inline void cut(Bytes& bytes, const Box& box, int depth, int ranks, std::vector<Subdomain>& parts) {
    const int how = bytes.byte();
    const int axis = how % 3;
    if (depth == 0 || how >= 192 || box.size(axis) < 2) {
        if (how % 8 != 7) parts.push_back({bytes.between(0, ranks - 1), box});
        return;
    }
    Box below = box, above = box;
    const auto a = static_cast<std::size_t>(axis);
    below.hi[a] = above.lo[a] = box.lo[a] + bytes.between(1, static_cast<int>(box.size(axis)) - 1);
    cut(bytes, below, depth - 1, ranks, parts);
    cut(bytes, above, depth - 1, ranks, parts);
}

inline Partition small_partition(Bytes& bytes, const Grid& grid) {
    const int ranks = bytes.between(1, 4);
    if (bytes.coin()) {
        Index3 blocks{};
        for (std::size_t a = 0; a < 3; ++a)
            blocks[a] = bytes.between(1, static_cast<int>(std::min<Index>(3, grid.size[a])));
        return block_partition(grid, blocks);
    }
    std::vector<Subdomain> parts;
    cut(bytes, grid.box(), 3, ranks, parts);
    return {grid, ranks, parts};
}

inline Extent small_extent(Bytes& bytes, int most) {
    Extent extent;
    const int widths = bytes.byte() | bytes.byte() << 8;
    for (std::size_t a = 0; a < 3; ++a) {
        extent.lo[a] = (widths >> (2 * a) & 3) % (most + 1);
        extent.hi[a] = (widths >> (2 * a + 8) & 3) % (most + 1);
    }
    extent.corners = (widths & 0x80) != 0;
    return extent;
}

// Calls use(cell) for every cell of the box.
template <class Use>
void each_cell(const Box& box, const Use& use) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(Index3{i, j, k});
}

// The cell of the grid that `cell` is an image of; false where there is none.
inline bool wrap(const Grid& grid, Index3& cell) {
    for (std::size_t a = 0; a < 3; ++a) {
        if (grid.periodic[a]) cell[a] = (cell[a] % grid.size[a] + grid.size[a]) % grid.size[a];
        if (cell[a] < 0 || cell[a] >= grid.size[a]) return false;
    }
    return true;
}

}  // namespace lapwing::fuzzing
