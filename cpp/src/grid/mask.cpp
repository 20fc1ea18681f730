#include "lapwing/grid/mask.hpp"

#include <algorithm>
#include <string>

#include "base/bisect.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

// Beyond the first a table of all rows takes too much memory; up to the second the banded one counts right.
constexpr Index kManyColumns = Index{1} << 25, kMostColumns = (Index{1} << 32) - 1;

std::vector<Index> all_sums(Index nx, Index ny, std::span<const std::uint8_t> wet) {
    const Index row = nx + 1;
    std::vector<Index> sums(row * (ny + 1), 0);
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) {
            sums[(j + 1) * row + i + 1] =
                (wet[j * nx + i] != 0 ? 1 : 0) + sums[j * row + i + 1] + sums[(j + 1) * row + i] - sums[j * row + i];
        }
    }
    return sums;
}

}  // namespace

Mask::Mask(Index nx, Index ny, std::span<const std::uint8_t> wet) : nx_(nx), ny_(ny) {
    if (nx < 1 || ny < 1 || static_cast<Index>(wet.size()) != nx * ny) {
        user_error("mask", concat(wet.size(), " values"), concat(nx, " x ", ny, " values, one per column"),
                   "give the mask the size of the grid, x fastest");
    }
    if (nx * ny > kManyColumns && nx * ny <= kMostColumns) {
        bands_ = BandedSums(nx, ny, wet);
    } else {
        sums_ = all_sums(nx, ny, wet);
    }
    if (count({{0, 0, 0}, {nx, ny, 1}}) == 0) {
        user_error("mask", "no wet cell", "at least one wet cell",
                   "check that wet is nonzero (true) in the mask, and land zero");
    }
}

std::uint64_t Mask::fingerprint() const {
    if (!bands_.empty()) return bands_.fingerprint();
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (Index value : sums_) hash = (hash ^ value) * 1099511628211ull;
    return (hash ^ nx_) * 1099511628211ull;
}

Index Mask::count(const Box& box) const {
    const auto in = [](Index v, Index n) { return std::clamp<Index>(v, 0, n); };
    const Index i0 = in(box.lo[0], nx_), i1 = in(box.hi[0], nx_);
    const Index j0 = in(box.lo[1], ny_), j1 = in(box.hi[1], ny_);
    if (i1 <= i0 || j1 <= j0) return 0;
    if (sums_.empty()) return bands_.count(i0, i1, j0, j1);
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
