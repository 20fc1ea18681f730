#pragma once
// The grid of a model: the number of cells, and the periodic axes.

#include <array>
#include <string>
#include <string_view>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/faces.hpp"

namespace lapwing {

// The fold of a tripolar grid at its upper end of y, where the two halves of the row meet: the index space beyond it is
// the grid turned by half a turn about a pole. It passes through the centers of the last row, and its poles are the
// centers (T points) of columns 0 and nx / 2; or along the upper edge of the last row, with its yfaces and corners, and
// its poles are the corners (F points) to the left of these columns.
enum class NorthFold { none, t_point, f_point };

// A structured grid of size[0] x size[1] x size[2] cells. A model whose vertical axis is never
// cut has size[2] = 1 here and gives its number of levels to the fields instead.
struct Grid {
    Index3 size{1, 1, 1};
    std::array<bool, 3> periodic{false, false, false};
    NorthFold north_fold = NorthFold::none;
    // Face f of n columns is columns f * n to below (f + 1) * n of the grid, as in files of MITgcm.
    Faces faces{};

    [[nodiscard]] Box box() const { return {{0, 0, 0}, size}; }
    friend bool operator==(const Grid&, const Grid&) = default;
};

// Returns the periodic axes as text.
inline constexpr std::array<bool, 3> periodic_x{true, false, false}, periodic_y{false, true, false},
    periodic_xy{true, true, false};

// Throws UserError unless every size is at least 1 and there are at most 2^60 cells, and where a north fold is on a
// grid that is not periodic in x, is periodic in y, has an odd number of cells along x, or a single row; where there
// are faces, unless they have equal sizes and connected sides equal lengths, and where such a grid is periodic along x
// or y or has a north fold. Local.
void check(const Grid& grid);

// True if cells beyond an end of an axis lie in another direction than they do there: beyond a north fold, and between
// faces. Local.
bool turns(const Grid& grid);

// Throws UserError, naming `what` and the remedy, where the grid `turns`. Local.
void require_no_turns(const Grid& grid, const std::string& what, const std::string& remedy);

// The columns of one face, or of a grid without faces. Local.
Index columns_of_face(const Grid& grid);

// The place in cell (i, j) where a value lives on the Arakawa C-grid. The x face of cell (i, j) is the face towards i +
// 1, the y face the face towards j + 1, the corner the point between these two: the four points with the indices (i, j)
// belong to one rank.
enum class Location { center, xface, yface, corner };

// Returns the location with this name; throws UserError for an unknown name. Local.
std::string_view to_string(Location location);
Location location_from(std::string_view name);
std::string to_string(const Grid& grid);
std::string_view to_string(NorthFold fold);        // "none", "T", "F"
NorthFold north_fold_from(std::string_view name);  // throws UserError

}  // namespace lapwing
