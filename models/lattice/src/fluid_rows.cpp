#include "lapwing_lattice/fluid_rows.hpp"

#include <algorithm>

#include "lapwing_lattice/d3q19.hpp"

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;

std::size_t side_of(const Sides& sides, const Index3& size, const Index3& beyond) {
    std::size_t found = 6;
    for (std::size_t a = 0; a < 3; ++a) {
        if (beyond[a] >= 0 && beyond[a] < size[a]) continue;
        const std::size_t side = 2 * a + (beyond[a] < 0 ? 0 : 1);
        if (found == 6 || sides[side].kind < sides[found].kind) found = side;
    }
    return found;
}

namespace {

// The cell itself or the image of it on an axis that closes; beyond the others it stays.
Index3 wrapped(const lapwing::Grid& grid, Index3 cell) {
    for (std::size_t a = 0; a < 3; ++a)
        if (grid.periodic[a]) cell[a] = (cell[a] + grid.size[a]) % grid.size[a];
    return cell;
}

}  // namespace

FluidRows::FluidRows(const Box& box, const lapwing::Grid& grid, const Sides& sides, std::span<const std::uint8_t> solid)
    : box_(box) {
    const auto fluid = [&](const Index3& cell) {  // of the grid
        return solid.empty() || solid[(cell[2] * grid.size[1] + cell[1]) * grid.size[0] + cell[0]] == 0;
    };
    const auto add_links = [&](const Index3& cell) {
        for (std::size_t q = 1; q < directions; ++q) {
            const Index3& c = velocities[q];
            const Index3 from = wrapped(grid, {cell[0] - c[0], cell[1] - c[1], cell[2] - c[2]});
            const std::size_t side = side_of(sides, grid.size, from);
            if (side == 6 && fluid(from)) continue;
            links_.push_back(
                {static_cast<std::int32_t>(cell[0]), static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(side)});
        }
    };
    const auto inside = [&](Index n, int axis) { return n > 0 && n + 1 < grid.size[axis]; };
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const bool open = solid.empty() && inside(j, 1) && inside(k, 2);  // no walls but at the ends of the row
            bool before = false;
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
                const auto number = static_cast<std::int32_t>(i);
                const Index3 cell = wrapped(grid, {i, j, k});
                const bool here = grid.box().contains(cell) && fluid(cell);
                if (here && !before) stretches_.push_back({number, number});
                if (here) {
                    stretches_.back().hi = number + 1;
                    if (!open || !inside(i, 0)) add_links({i, j, k});
                }
                before = here;
            }
            stretch_begin_.push_back(stretches_.size());
            link_begin_.push_back(links_.size());
        }
    }
}

std::span<const Link> FluidRows::links(Index j, Index k, Index lo, Index hi) const {
    const std::span<const Link> all = links(j, k);
    if (all.empty()) return all;
    const auto first = std::ranges::lower_bound(all, lo, {}, &Link::i);
    const auto last = std::ranges::lower_bound(first, all.end(), hi, {}, &Link::i);
    return {first, last};
}

Index FluidRows::fluid_cells(const Box& within) const {
    Index cells = 0;
    for (Index k = within.lo[2]; k < within.hi[2]; ++k)
        for (Index j = within.lo[1]; j < within.hi[1]; ++j)
            for (const Stretch& s : stretches(j, k))
                cells += std::max<Index>(0, std::min<Index>(s.hi, within.hi[0]) - std::max<Index>(s.lo, within.lo[0]));
    return cells;
}

}  // namespace lapwing_lattice
