#pragma once
// Undisturbed depths: at cell centres as given, at faces as the scheme needs them.

#include <array>
#include <span>
#include <vector>

#include "lapwing_coast/barotropic/open_boundary.hpp"

namespace lapwing_coast {

// The depth of a whole grid, m; 0 is land.
struct Depth {
    Index nx = 0, ny = 0;
    std::span<const double> centre;  // [ny * nx], x fastest
    std::array<bool, 2> periodic{};  // true if the grid closes on itself along x, y

    [[nodiscard]] double operator()(Index i, Index j) const {
        if (periodic[0]) i = (i % nx + nx) % nx;
        if (periodic[1]) j = (j % ny + ny) % ny;
        return i < 0 || j < 0 || i >= nx || j >= ny ? 0.0 : centre[j * nx + i];
    }
};

// Depth (m) of the face between cell (i, j) and the one `ahead` (1, 0) or (0, 1) of it: the mean of
// both. 0, which is closed, where one is land, on the rim of the grid, and between two cells of
// one boundary, where the sea level is prescribed on both sides. Local.
double face_depth(const Depth& depth, std::span<const Boundary> boundaries, Index i, Index j, int ahead_x, int ahead_y);

}  // namespace lapwing_coast
