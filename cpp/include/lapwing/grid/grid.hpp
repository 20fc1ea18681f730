#pragma once
// The grid of a model: the number of cells, and the periodic axes.

#include <array>
#include <string>
#include <string_view>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// A structured grid of size[0] x size[1] x size[2] cells. A model whose vertical axis is never
// cut has size[2] = 1 here and gives its number of levels to the fields instead.
struct Grid {
    Index3 size{1, 1, 1};
    std::array<bool, 3> periodic{false, false, false};

    [[nodiscard]] Box box() const { return {{0, 0, 0}, size}; }
    friend bool operator==(const Grid&, const Grid&) = default;
};

// Returns the periodic axes as text.
inline constexpr std::array<bool, 3> periodic_x{true, false, false}, periodic_y{false, true, false},
    periodic_xy{true, true, false};

// Throws UserError unless every size is at least 1 and there are at most 2^60 cells. Local.
void check(const Grid& grid);

// The place in cell (i, j) where a value lives on the Arakawa C-grid. The x face of cell (i, j) is the face towards i +
// 1, the y face the face towards j + 1, the corner the point between these two: the four points with the indices (i, j)
// belong to one rank.
enum class Location { center, xface, yface, corner };

// Returns the location with this name; throws UserError for an unknown name. Local.
std::string_view to_string(Location location);
Location location_from(std::string_view name);
std::string to_string(const Grid& grid);

}  // namespace lapwing
