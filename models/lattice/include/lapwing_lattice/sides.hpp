#pragma once
// The conditions at the six sides of the grid.

#include <array>
#include <cstddef>

#include "lapwing/base/settings.hpp"
#include "lapwing/grid/box.hpp"

namespace lapwing_lattice {

// The condition of a side where the grid is not periodic.
enum class SideKind {
    wall,      // at rest: populations come back (half-way bounce-back)
    velocity,  // moves with a velocity, or lets fluid in with it: they come back with momentum
    pressure   // of a given density: anti-bounce-back
};

inline constexpr lapwing::Names<SideKind, 3> side_kinds{
    {{SideKind::wall, "wall"}, {SideKind::velocity, "velocity"}, {SideKind::pressure, "pressure"}}};
constexpr const auto& names_of(SideKind) { return side_kinds; }

struct Side {
    SideKind kind = SideKind::wall;
    std::array<double, 3> velocity{};
    double density = 1.0;

    static constexpr std::tuple declared{
        lapwing::Setting{"kind", &Side::kind, "what stands there"},
        lapwing::Setting{"velocity", &Side::velocity, "cells per step"},
        lapwing::Setting{"density", &Side::density, "of a pressure side; pressure is a third of it"}};
};

// x low, x high, y low, y high, z low, z high.
using Sides = std::array<Side, 6>;

// The number of the side through which a link leaves the grid from a cell; 6: through none, so that it ends at an
// obstacle. Through two sides: the one that holds the flow more, a wall before a velocity before a pressure. Local.
std::size_t side_of(const Sides& sides, const lapwing::Index3& size, const lapwing::Index3& beyond);

}  // namespace lapwing_lattice
