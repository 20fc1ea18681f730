#include "lapwing/grid/mask.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/bisect.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr Index kManyColumns = Index{1} << 25;  // beyond this a table of all rows takes too much memory
constexpr Index kWideBand = 32;                 // rows
constexpr Index kWidestBand = 128;              // rows whose sums fit a byte
constexpr Index kMostInBand = Index{1} << 32;   // columns of a band that 32 bits count
constexpr Index kWordBits = 64;

Index checked_band(Index nx, Index ny, Index band) {
    if (band == 0) return nx * ny <= kManyColumns || nx * kWideBand >= kMostInBand ? 1 : kWideBand;
    if (band < 0 || band > kWidestBand || !std::has_single_bit(static_cast<std::uint64_t>(band))) {
        user_error("band of a mask", concat(band, " rows"), "a power of two up to 128, or 0", "leave it out");
    }
    return band;
}

}  // namespace

Mask::Mask(Index nx, Index ny, std::span<const std::uint8_t> wet, Index band) : nx_(nx), ny_(ny), shift_(0) {
    if (nx < 1 || ny < 1 || static_cast<Index>(wet.size()) != nx * ny) {
        user_error("mask", concat(wet.size(), " values"), concat(nx, " x ", ny, " values, one per column"),
                   "give the mask the size of the grid, x fastest");
    }
    shift_ = std::countr_zero(static_cast<std::uint64_t>(checked_band(nx, ny, band)));
    sums_.resize(((ny >> shift_) + 1) * (nx + 1));
    for (Index b = 0; b < ny >> shift_; ++b) sum_band(b, wet);
    if (shift_ > 0) {
        const Index bands = ((ny - 1) >> shift_) + 1;
        bits_.resize(word(0, bands << shift_));
        left_.resize(bits_.size());
        for (Index b = 0; b < bands; ++b) pack_band(b, wet);
    }
    if (count({{0, 0, 0}, {nx, ny, 1}}) == 0) {
        user_error("mask", "no wet cell", "at least one wet cell",
                   "check that wet is nonzero (true) in the mask, and land zero");
    }
}

// The row of sums above a band of whole rows.
void Mask::sum_band(Index band, std::span<const std::uint8_t> wet) {
    std::vector<std::uint8_t> column(nx_, 0);
    for (Index j = band << shift_; j < (band + 1) << shift_; ++j) {
        for (Index i = 0; i < nx_; ++i) {
            column[i] = static_cast<std::uint8_t>(column[i] + (wet[j * nx_ + i] != 0 ? 1 : 0));
        }
    }
    const Index* below = &sums_[band * (nx_ + 1)];
    Index* above = &sums_[(band + 1) * (nx_ + 1)];
    Index sum = 0;
    for (Index i = 0; i < nx_; ++i) above[i + 1] = below[i + 1] + (sum += column[i]);
}

// The bits of a band, and what is left of each word. A band at the upper end of the grid may have dry rows beyond it.
void Mask::pack_band(Index band, std::span<const std::uint8_t> wet) {
    std::array<std::uint32_t, kWidestBand> left{};  // of the rows below each
    for (Index i = 0; i <= nx_; i += kWordBits) {
        std::uint32_t below = 0;
        for (Index j = band << shift_; j < (band + 1) << shift_; ++j) {
            const Index at = word(i, j), row = j - (band << shift_);
            bits_[at] = packed(i, j, wet);
            left_[at] = left[row];
            left[row] += below;
            below += std::popcount(bits_[at]);
        }
    }
}

// The bits of the columns from i on in row j.
std::uint64_t Mask::packed(Index i, Index j, std::span<const std::uint8_t> wet) const {
    if (j >= ny_) return 0;
    const std::uint8_t* cell = wet.data() + j * nx_ + i;
    const Index columns = std::min(kWordBits, nx_ - i);
    std::uint64_t bits = 0;
    for (Index k = 0; k < columns; ++k) bits |= static_cast<std::uint64_t>(cell[k] != 0) << k;
    return bits;
}

std::uint64_t Mask::fingerprint() const {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (Index value : sums_) hash = (hash ^ value) * 1099511628211ull;
    for (std::uint64_t bits : bits_) hash = (hash ^ bits) * 1099511628211ull;
    return (hash ^ nx_) * 1099511628211ull;
}

// Where the bits of column i in row j are.
Index Mask::word(Index i, Index j) const {
    const Index words = nx_ / kWordBits + 1;
    return (((j >> shift_) * words + i / kWordBits) << shift_) + (j & ((Index{1} << shift_) - 1));
}

// By four look-ups of which each adds the rows of its band below j. Inlined it would slow down the grids without bands.
[[gnu::noinline]] Index Mask::count_in_bands(Index i0, Index i1, Index j0, Index j1) const {
    const auto below = [&](Index i, Index j) {
        const Index rows = j & ((Index{1} << shift_) - 1);
        Index sum = sums_[(j >> shift_) * (nx_ + 1) + i];
        if (rows == 0) return sum;
        const Index at = word(i, j);
        const std::uint64_t columns = (std::uint64_t{1} << (i % kWordBits)) - 1;
        sum += left_[at];
        for (Index n = at - rows; n < at; ++n) sum += std::popcount(bits_[n] & columns);
        return sum;
    };
    return below(i1, j1) - below(i1, j0) - below(i0, j1) + below(i0, j0);
}

Index Mask::count(const Box& box) const {
    const auto in = [](Index v, Index n) { return std::clamp<Index>(v, 0, n); };
    const Index i0 = in(box.lo[0], nx_), i1 = in(box.hi[0], nx_);
    const Index j0 = in(box.lo[1], ny_), j1 = in(box.hi[1], ny_);
    if (i1 <= i0 || j1 <= j0) return 0;
    if (shift_ > 0) return count_in_bands(i0, i1, j0, j1);
    const Index row = nx_ + 1;
    return sums_[j1 * row + i1] - sums_[j0 * row + i1] - sums_[j1 * row + i0] + sums_[j0 * row + i0];
}

Box Mask::wet_bounds(const Box& box) const {
    Box bounds = intersect(box, {{0, 0, box.lo[2]}, {nx_, ny_, box.hi[2]}});
    if (count(bounds) == 0) return {};
    for (int axis = 0; axis < 2; ++axis) {
        // The dry lines at either end: mostly none, and there may be many.
        const Index lo = bounds.lo[axis], hi = bounds.hi[axis];
        const auto wet = [&](Index from, Index to) {
            Box part = bounds;
            part.lo[axis] = from;
            part.hi[axis] = to;
            return count(part) > 0;
        };
        const Index below = near_first_that(hi - lo, [&](Index dry) { return wet(lo, lo + dry + 1); });
        const Index above = near_first_that(hi - lo - below, [&](Index dry) { return wet(hi - dry - 1, hi); });
        bounds.lo[axis] = lo + below;
        bounds.hi[axis] = hi - above;
    }
    return bounds;
}

}  // namespace lapwing
