#include "lapwing/grid/mask.hpp"

#include <algorithm>
#include <string>

#include "base/bisect.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

Mask::Mask(Index nx, Index ny, std::span<const std::uint8_t> wet) : nx_(nx), ny_(ny), sums_((nx + 1) * (ny + 1), 0) {
    if (nx < 1 || ny < 1 || static_cast<Index>(wet.size()) != nx * ny) {
        user_error("mask", concat(wet.size(), " values"), concat(nx, " x ", ny, " values, one per column"),
                   "give the mask the size of the grid, x fastest");
    }
    const Index row = nx + 1;
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) {
            sums_[(j + 1) * row + i + 1] =
                (wet[j * nx + i] != 0 ? 1 : 0) + sums_[j * row + i + 1] + sums_[(j + 1) * row + i] - sums_[j * row + i];
        }
    }
    if (sums_.back() == 0) {
        user_error("mask", "no wet cell", "at least one wet cell",
                   "check that wet is nonzero (true) in the mask, and land zero");
    }
}

std::uint64_t Mask::fingerprint() const {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (Index value : sums_) hash = (hash ^ value) * 1099511628211ull;
    return (hash ^ nx_) * 1099511628211ull;
}

Index Mask::count(const Box& box) const {
    const auto in = [](Index v, Index n) { return std::clamp<Index>(v, 0, n); };
    const Index i0 = in(box.lo[0], nx_), i1 = in(box.hi[0], nx_);
    const Index j0 = in(box.lo[1], ny_), j1 = in(box.hi[1], ny_);
    if (i1 <= i0 || j1 <= j0) return 0;
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
