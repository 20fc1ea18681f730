#pragma once
// The wet cells of a grid, seen from above.

#include <cstdint>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// The wet columns (i, j) of a grid. Counts over boxes cost four look-ups in a summed-area table, which is made once and
// has eight bytes per column. On a grid of more than 32 million columns the table has every 32nd row only: less than
// half a byte per column, bits included, and each look-up counts the bits of up to 31 rows.
class Mask {
  public:
    // `wet` has nx * ny values, x fastest; nonzero is wet. `band`: rows from one row of the table to the next, a power
    // of two up to 128, 0: by the size of the grid. Throws UserError when the size differs from nx * ny, no cell is
    // wet, or there are no such bands. Local.
    Mask(Index nx, Index ny, std::span<const std::uint8_t> wet, Index band = 0);

    [[nodiscard]] Index nx() const { return nx_; }
    [[nodiscard]] Index ny() const { return ny_; }
    [[nodiscard]] bool wet(Index i, Index j) const { return count({{i, j, 0}, {i + 1, j + 1, 1}}) != 0; }

    // Wet columns in the box (its z range plays no part; what lies outside the grid is dry).
    [[nodiscard]] Index count(const Box& box) const;

    // The smallest box around the wet columns of `box`, with its z range; empty when all are dry.
    [[nodiscard]] Box wet_bounds(const Box& box) const;

    // A number that differs, except for bad luck, between masks that differ: to compare those of ranks. It depends on
    // the bands.
    [[nodiscard]] std::uint64_t fingerprint() const;

  private:
    void sum_band(Index band, std::span<const std::uint8_t> wet);
    void pack_band(Index band, std::span<const std::uint8_t> wet);
    [[nodiscard]] std::uint64_t packed(Index i, Index j, std::span<const std::uint8_t> wet) const;
    [[nodiscard]] Index count_in_bands(Index i0, Index i1, Index j0, Index j1) const;
    [[nodiscard]] Index word(Index i, Index j) const;

    Index nx_, ny_;
    int shift_;                // a band has 2^shift_ rows
    std::vector<Index> sums_;  // [ny / rows + 1][nx + 1]: wet columns below the band and left of i
    // Where bands have several rows, [band][i / 64][row]: rows of 64 columns lie next to each other.
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> left_;  // wet columns left of the word in the rows of the band below its row
};

}  // namespace lapwing
