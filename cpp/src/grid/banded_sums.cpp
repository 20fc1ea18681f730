#include "lapwing/grid/banded_sums.hpp"

#include <algorithm>
#include <bit>

namespace lapwing {

BandedSums::BandedSums(Index nx, Index ny, std::span<const std::uint8_t> wet)
    : nx_(nx), ny_(ny), sums_((ny / kRows + 1) * (nx + 1)), tiles_((ny / kRows + 1) * tiles()) {
    for (Index band = 0; band < ny / kRows; ++band) sum_band(band, wet);
    for (Index band = 0; band <= ny / kRows; ++band) pack_band(band, wet);
}

// The row of sums above a band of whole rows.
void BandedSums::sum_band(Index band, std::span<const std::uint8_t> wet) {
    std::vector<std::uint8_t> column(nx_, 0);
    for (Index j = band * kRows; j < (band + 1) * kRows; ++j) {
        for (Index i = 0; i < nx_; ++i) {
            column[i] = static_cast<std::uint8_t>(column[i] + (wet[j * nx_ + i] != 0 ? 1 : 0));
        }
    }
    const std::uint32_t* below = &sums_[band * (nx_ + 1)];
    std::uint32_t* above = &sums_[(band + 1) * (nx_ + 1)];
    std::uint32_t sum = 0;
    for (Index i = 0; i < nx_; ++i) above[i + 1] = below[i + 1] + (sum += column[i]);
}

namespace {

// The bits of some cells, the first in the lowest.
std::uint64_t packed(std::span<const std::uint8_t> wet) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < wet.size(); ++k) bits |= static_cast<std::uint64_t>(wet[k] != 0) << k;
    return bits;
}

}  // namespace

// The tiles of a band; rows beyond the upper end of the grid are dry.
void BandedSums::pack_band(Index band, std::span<const std::uint8_t> wet) {
    std::array<std::uint32_t, kRows> left{};
    for (Index i = 0; i <= nx_; i += kColumns) {
        Tile& tile = tiles_[band * tiles() + i / kColumns];
        tile.left = left;
        std::uint32_t below = 0;
        for (Index row = 0; row < kRows; ++row) {
            const Index j = band * kRows + row;
            if (j < ny_) tile.bits[row] = packed(wet.subspan(j * nx_ + i, std::min(kColumns, nx_ - i)));
            left[row] += below;
            below += std::popcount(tile.bits[row]);
        }
    }
}

// Wet columns left of i and below j, modulo 2^32. The loop has a fixed length, so that it becomes vectors without a
// branch that is hard to guess.
std::uint32_t BandedSums::below(Index i, Index j) const {
    const auto band = static_cast<std::uint64_t>(j) / kRows, rows = static_cast<std::uint64_t>(j) % kRows;
    const auto word = static_cast<std::uint64_t>(i) / kColumns, bit = static_cast<std::uint64_t>(i) % kColumns;
    const Tile& tile = tiles_[band * tiles() + word];
    const std::uint64_t columns = (std::uint64_t{1} << bit) - 1;
    std::uint64_t rest = 0;
    for (std::uint64_t row = 0; row < kRows; ++row) {
        rest += std::popcount(tile.bits[row] & (row < rows ? columns : 0));
    }
    return sums_[band * (nx_ + 1) + i] + tile.left[rows] + static_cast<std::uint32_t>(rest);
}

Index BandedSums::count(Index i0, Index i1, Index j0, Index j1) const {
    return below(i1, j1) - below(i1, j0) - below(i0, j1) + below(i0, j0);
}

std::uint64_t BandedSums::fingerprint() const {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (const Tile& tile : tiles_) {
        for (std::uint64_t bits : tile.bits) hash = (hash ^ bits) * 1099511628211ull;
    }
    for (const Index size : {nx_, ny_}) hash = (hash ^ static_cast<std::uint64_t>(size)) * 1099511628211ull;
    return hash;
}

}  // namespace lapwing
