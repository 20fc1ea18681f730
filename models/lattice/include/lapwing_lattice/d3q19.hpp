#pragma once
// The D3Q19 lattice: where populations fly, and their weights.

#include <array>
#include <cstddef>

#include "lapwing/grid/box.hpp"

namespace lapwing_lattice {

inline constexpr std::size_t directions = 19;

// Population q flies velocities[q] cells in a step. After the one at rest, opposite ones lie next to each other:
// q = 2 p - 1 and q = 2 p are pair p = 1..9.
inline constexpr std::array<lapwing::Index3, directions> velocities{{
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
}};

// Populations that fly along x, and against it.
inline constexpr std::array<std::size_t, 5> forwards{1, 7, 9, 11, 13}, backwards{2, 8, 10, 12, 14};

// The population that flies the other way. Local.
constexpr std::size_t opposite(std::size_t q) { return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1; }

// 1/3 at rest, 1/18 along an axis, 1/36 along two. Local.
constexpr double weight(std::size_t q) { return q == 0 ? 1.0 / 3.0 : q < 7 ? 1.0 / 18.0 : 1.0 / 36.0; }

}  // namespace lapwing_lattice
