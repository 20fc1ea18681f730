#pragma once
// Cells that hold their own global coordinates, so that a misplaced value names itself.

#include "lapwing/memory/any_field.hpp"

#include <algorithm>
#include <vector>

namespace lapwing::testing {

// The value of a cell that must not be touched.
inline constexpr int untouched = -1;

// Calls visit(value type) for the type of the field.
template <class Visit>
void with_type(ElementType type, Visit&& visit) {
    switch (type) {
        case ElementType::float32:
            return visit(float{});
        case ElementType::float64:
            return visit(double{});
        case ElementType::int32:
            return visit(std::int32_t{});
        case ElementType::int64:
            return visit(std::int64_t{});
        case ElementType::boolean:
            return visit(bool{});
    }
}

template <class Visit>
void for_cells(const Box& box, Visit&& visit) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) visit(Index3{i, j, k});
        }
    }
}

// The coordinates of cell (i, j, k) in the grid, with its component and the number of its field, as
// one number of its own: exact in float32 on grids of up to 16 cells per axis.
inline Index code(const Grid& grid, Index3 cell, int component, int field = 0) {
    for (std::size_t a = 0; a < 3; ++a) {
        if (grid.periodic[a]) cell[a] = (cell[a] % grid.size[a] + grid.size[a]) % grid.size[a];
    }
    const auto base = [&](std::size_t a) { return std::max<Index>(16, grid.size[a]); };
    return 1 + cell[0] + base(0) * (cell[1] + base(1) * (cell[2] + base(2) * (component + 4 * field)));
}

// Owned cells hold their codes, all others `untouched`.
inline void fill_with_codes(const AnyField& field, const Grid& grid, int number = 0) {
    with_type(field.spec().type, [&]<class T>(T) {
        for (std::size_t b = 0; b < field.blocks().size(); ++b) {
            const Block& block = field.blocks()[b];
            const auto view = field.view<T>(static_cast<int>(b));
            for (int c = 0; c < field.spec().components; ++c) {
                for_cells(block.allocated, [&](const Index3& cell) {
                    const bool owned = block.owned.contains(cell);
                    view(cell[0], cell[1], cell[2], c) =
                        static_cast<T>(owned ? code(grid, cell, c, number) : Index{untouched});
                });
            }
        }
    });
}

// True if the halo of `block` needs `cell`, from the definition: it lies outside the owned box, no
// further than the extent reaches, off one axis only unless corners are read, and it has an owner.
inline bool needed(const Partition& partition, const FieldSpec& spec, const Block& block, Index3 cell, int component) {
    const Extent& extent = spec.extent(component);
    const Grid& grid = partition.grid();
    int axes = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        const Index below = block.owned.lo[a] - cell[a], above = cell[a] - block.owned.hi[a] + 1;
        if (below > extent.lo[a] || above > extent.hi[a]) return false;
        axes += below > 0 || above > 0;
        if (grid.periodic[a]) cell[a] = (cell[a] % grid.size[a] + grid.size[a]) % grid.size[a];
    }
    if (axes == 0 || (axes > 1 && !extent.corners)) return false;
    for (const Subdomain& subdomain : partition.subdomains()) {
        if (spec.with_levels(subdomain.box).contains(cell)) return true;
    }
    return false;
}

// One text per cell that does not hold what it should after an exchange of `fill_with_codes`.
inline std::vector<std::string> misplaced(const AnyField& field, const Partition& partition, int number = 0) {
    std::vector<std::string> wrong;
    with_type(field.spec().type, [&]<class T>(T) {
        for (std::size_t b = 0; b < field.blocks().size(); ++b) {
            const Block& block = field.blocks()[b];
            const auto view = field.view<T>(static_cast<int>(b));
            for (int c = 0; c < field.spec().components; ++c) {
                for_cells(block.allocated, [&](const Index3& cell) {
                    const bool filled = block.owned.contains(cell) || needed(partition, field.spec(), block, cell, c);
                    const T want = static_cast<T>(filled ? code(partition.grid(), cell, c, number) : Index{untouched});
                    const T got = view(cell[0], cell[1], cell[2], c);
                    if (got == want) return;
                    wrong.push_back(field.spec().name + " box " + to_string(block.owned) + " cell " +
                                    to_string(Box{cell, cell}) + " component " + std::to_string(c) + ": " +
                                    std::to_string(got) + " instead of " + std::to_string(want));
                });
            }
        }
    });
    return wrong;
}

}  // namespace lapwing::testing
