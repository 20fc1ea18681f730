#pragma once
// The wet cells of a grid, seen from above.

#include <cstdint>
#include <span>
#include <vector>

#include "lapwing/grid/banded_sums.hpp"
#include "lapwing/grid/box.hpp"

namespace lapwing {

// The wet columns (i, j) of a grid. Counts over boxes cost four look-ups in a summed-area table, which is made once; it
// takes 8 bytes per column, or less than half a byte and some more work on a grid of more than 32 million columns.
class Mask {
  public:
    // `wet` has nx * ny values, x fastest; nonzero is wet. Throws UserError when the size differs
    // from nx * ny or no cell is wet. Local.
    Mask(Index nx, Index ny, std::span<const std::uint8_t> wet);

    [[nodiscard]] Index nx() const { return nx_; }
    [[nodiscard]] Index ny() const { return ny_; }
    [[nodiscard]] bool wet(Index i, Index j) const { return count({{i, j, 0}, {i + 1, j + 1, 1}}) != 0; }

    // Wet columns in the box (its z range plays no part; what lies outside the grid is dry).
    [[nodiscard]] Index count(const Box& box) const;

    // The smallest box around the wet columns of `box`, with its z range; empty when all are dry.
    [[nodiscard]] Box wet_bounds(const Box& box) const;

    // A hash of the mask, to compare the masks of ranks: different masks have different numbers, except for bad luck.
    [[nodiscard]] std::uint64_t fingerprint() const;

  private:
    Index nx_, ny_;
    std::vector<Index> sums_;  // (nx + 1) * (ny + 1), x fastest: wet columns below and left of (i, j)
    BandedSums bands_;         // instead of them on a large grid
};

}  // namespace lapwing
