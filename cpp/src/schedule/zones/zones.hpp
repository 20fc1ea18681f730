#pragma once
// Cutting the box of a stage into zones: sides that a message waits for, or that wait for one, and the rest.

#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/extent.hpp"

namespace lapwing {

// Cells from each side of an owned box inwards; -1: the side is like the rest.
struct Margins {
    Index3 lo{-1, -1, -1};
    Index3 hi{-1, -1, -1};
    friend bool operator==(const Margins&, const Margins&) = default;
};

Margins larger(const Margins& a, const Margins& b);
// Returns the margins that stencils of `extent` on these cells read: wider by its reach inwards. Sides without a margin
// stay.
Margins read_by(const Margins& margins, const Extent& extent);

// Pieces of a box between cuts along each axis: number (x, y, z) lies between cuts x and x + 1, ...
class ZoneGrid {
  public:
    // `box` cut where `core` begins and ends.
    ZoneGrid(const Box& box, const Box& core);

    // Cuts the middle along `axis` into bands of `size` cells at least.
    void cut_middle(int axis, Index size);
    // Cuts the middle along `axis` at a position.
    void cut_at(int axis, Index position);

    // Calls visit(zone, x, y, z) for all pieces, x fastest.
    template <class Visit>
    void for_zones(const Visit& visit) const {
        for (int z = 0; z < count(2); ++z) {
            for (int y = 0; y < count(1); ++y) {
                for (int x = 0; x < count(0); ++x) visit(zone(x, y, z), x, y, z);
            }
        }
    }
    // True if number `n` along `axis` is in the core.
    [[nodiscard]] bool in_core(int axis, int n) const;

  private:
    [[nodiscard]] int count(int axis) const { return static_cast<int>(cuts_[axis].size()) - 1; }
    [[nodiscard]] Box zone(int x, int y, int z) const;

    Box core_;
    std::array<std::vector<Index>, 3> cuts_;
};

// The cells of `box`, which a stage computes around or in `owned`, that no margin reaches; along an axis without any,
// it lies where the lower margin ends.
Box core_of(const Box& box, const Box& owned, const Margins& margins);

}  // namespace lapwing
