#pragma once
// Sums over the wet cells of a large grid, in little memory.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// A summed-area table that has every 8th row only, and the bits of all cells: 0.75 bytes per column of a grid, where a
// table of all rows has 8. A look-up adds what is in up to 7 rows above a row of the table: one stored number for the
// words on the left, and the bits of a word of each row.
class BandedSums {
  public:
    BandedSums() = default;  // a mask of no columns

    // `wet` has nx * ny values, x fastest; nonzero is wet. Fewer than 2^32 are. Local.
    BandedSums(Index nx, Index ny, std::span<const std::uint8_t> wet);

    [[nodiscard]] bool empty() const { return sums_.empty(); }

    // Counts wet columns with i0 <= i < i1 and j0 <= j < j1, all within the grid.
    [[nodiscard]] Index count(Index i0, Index i1, Index j0, Index j1) const;

    // A hash of the mask: different masks have different numbers, except for bad luck.
    [[nodiscard]] std::uint64_t fingerprint() const;

  private:
    static constexpr Index kRows = 8, kColumns = 64;

    // The columns of a word in the rows of a band: what one look-up needs lies together.
    struct alignas(64) Tile {
        std::array<std::uint64_t, kRows> bits{};
        std::array<std::uint32_t, kRows> left{};  // wet columns left of the tile, in the rows of the band below each
    };

    void sum_band(Index band, std::span<const std::uint8_t> wet);
    void pack_band(Index band, std::span<const std::uint8_t> wet);
    [[nodiscard]] std::uint32_t below(Index i, Index j) const;
    [[nodiscard]] Index tiles() const { return nx_ / kColumns + 1; }

    Index nx_ = 0, ny_ = 0;
    // [ny / kRows + 1][nx + 1]: wet columns below the band and left of i, modulo 2^32, as only differences are used
    std::vector<std::uint32_t> sums_;
    std::vector<Tile> tiles_;  // [band][i / kColumns]
};

}  // namespace lapwing
