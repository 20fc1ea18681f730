#pragma once
// The fluid cells of a box, row by row, and the links of these cells that end at walls.

#include <cstdint>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"

#include "lapwing_lattice/sides.hpp"

namespace lapwing_lattice {

// The population `incoming` of cell i of a row has no cell to come from.
struct Link {
    std::int32_t i = 0;
    std::uint8_t incoming = 0;
    std::uint8_t side = 0;  // see side_of
};

// Neighbouring fluid cells of a row.
struct Stretch {
    std::int32_t lo = 0, hi = 0;
};

// The fluid rows around one owned box. Does not change once made.
class FluidRows {
  public:
    // `box`: the owned cells and those around that a kernel may be asked to compute too. `solid`: a value per cell of
    // the grid, x fastest, not 0 where it is solid; empty: fluid everywhere. Cost: the cells of the box. Local.
    FluidRows(const lapwing::Box& box, const lapwing::Grid& grid, const Sides& sides,
              std::span<const std::uint8_t> solid);

    // Returns the stretches of row (j, k), ascending. Local.
    [[nodiscard]] std::span<const Stretch> stretches(lapwing::Index j, lapwing::Index k) const {
        return part(stretches_, stretch_begin_, row(j, k));
    }
    [[nodiscard]] std::span<const Link> links(lapwing::Index j, lapwing::Index k) const {
        return part(links_, link_begin_, row(j, k));
    }
    // Returns the links of cells lo <= i < hi. Local.
    [[nodiscard]] std::span<const Link> links(lapwing::Index j, lapwing::Index k, lapwing::Index lo,
                                              lapwing::Index hi) const;
    // Fluid cells in a box within. Local.
    [[nodiscard]] lapwing::Index fluid_cells(const lapwing::Box& within) const;

  private:
    [[nodiscard]] std::size_t row(lapwing::Index j, lapwing::Index k) const {
        return (k - box_.lo[2]) * box_.size(1) + (j - box_.lo[1]);
    }
    template <class Item>
    [[nodiscard]] static std::span<const Item> part(const std::vector<Item>& all, const std::vector<std::size_t>& begin,
                                                    std::size_t row) {
        return std::span(all).subspan(begin[row], begin[row + 1] - begin[row]);
    }

    lapwing::Box box_;
    std::vector<Stretch> stretches_;
    std::vector<Link> links_;
    std::vector<std::size_t> stretch_begin_{0}, link_begin_{0};
};

}  // namespace lapwing_lattice
