#pragma once
// The splitting of a time step of advection into fractional steps, each along one axis or along x and y at once.

#include <array>
#include <span>

#include "lapwing/base/settings.hpp"

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// Whatever the split, a constant keeps its bits, tracer times thickness is conserved to rounding, and all schemes but
// p2 make no new extreme, as long as no more leaves a cell in a fractional step than is in it: a share of 1 at most.
//
//                        share that leaves a cell            order in time  exchanges a step
//   half_steps           of half a step along x, along y;    2              4
//                        of a whole one along z
//   whole_steps          of a whole step along each axis     1              2
//   horizontal_together  of a whole step along x and y in    1              1
//                        sum; of a whole one along z
//
// So along x and y alone half_steps takes time steps twice as long as the others do. horizontal_together is not for
// p2: without the terms that mix x and y, only a limiter keeps long waves that cross cells diagonally from growing.
enum class Split {
    half_steps,           // x, y, z, y, x; half a step along x and y each time
    whole_steps,          // x, y, z
    horizontal_together,  // x and y in one update from the same values, then z
};

inline constexpr lapwing::Names<Split, 3> splits{{{Split::half_steps, "half_steps"},
                                                  {Split::whole_steps, "whole_steps"},
                                                  {Split::horizontal_together, "horizontal_together"}}};
constexpr const auto& names_of(Split) { return splits; }

// A fractional step: the share of the time step that it takes along each axis, 0 along others.
struct Fraction {
    std::array<double, 3> shares{};

    [[nodiscard]] constexpr double share(Axis axis) const { return shares[axis]; }
    [[nodiscard]] constexpr bool moves_along(Axis axis) const { return share(axis) > 0.0; }
    // True if along x and y at once; the first axis, of other fractions the only one.
    [[nodiscard]] constexpr bool is_together() const { return moves_along(lapwing::x) && moves_along(lapwing::y); }
    [[nodiscard]] constexpr Axis axis() const {
        return moves_along(lapwing::x) ? lapwing::x : moves_along(lapwing::y) ? lapwing::y : lapwing::z;
    }
};

inline constexpr std::size_t most_fractions = 5;

// Returns the fractional steps of a split, in their order; they live as long as the program. Local.
std::span<const Fraction> fractions_of(Split split);

}  // namespace lapwing_coast
