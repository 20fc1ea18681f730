#include "lapwing/grid/grid.hpp"

#include <algorithm>
#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr std::array<std::string_view, 3> fold_names{"none", "T", "F"};

void check_fold(const Grid& grid) {
    if (grid.north_fold == NorthFold::none) return;
    const std::string name = concat("north fold through ", grid.north_fold, " points");
    if (!grid.periodic[0] || grid.periodic[1])
        user_error(name, grid, "a grid that is periodic in x and not in y", "make x periodic, and y not");
    if (grid.size[0] % 2 != 0)
        user_error(name, concat(grid.size[0], " cells along x"), "an even number: the two poles are half a row apart",
                   "leave out the columns that the file repeats");
    if (grid.size[1] < 2) user_error(name, "one row", "at least 2 cells along y", "use a larger grid");
}

void check_faces(const Grid& grid) {
    if (grid.faces.none()) return;
    const int count = grid.faces.count();
    const std::string name = concat("grid of ", count, " faces");
    if (grid.periodic[0] || grid.periodic[1] || grid.north_fold != NorthFold::none)
        user_error(name, grid, "no periodic x or y and no north fold", "connect the sides of the faces");
    if (grid.size[0] % count != 0)
        user_error(name, concat(grid.size[0], " cells along x"), concat("a multiple of ", count, ": equal faces"),
                   "give the cells of all faces together");
    const Index columns = grid.size[0] / count;
    if (grid.faces.swap_axes() && columns != grid.size[1])
        user_error(name, concat("faces of ", columns, " x ", grid.size[1], " cells"),
                   "squares, as a side along x meets one along y", "give as many rows as a face has columns");
}

}  // namespace

void check(const Grid& grid) {
    for (int a = 0; a < 3; ++a) {
        if (grid.size[a] < 1) {
            user_error("grid size along " + std::string(1, "xyz"[a]), grid.size[a], "at least 1 cell",
                       "give every axis a size; an unused axis has size 1");
        }
    }
    Index cells = 1;
    for (Index size : grid.size) {
        // the halos around it need indices too
        if (!__builtin_mul_overflow(cells, size, &cells) && cells <= Index{1} << 60) continue;
        user_error("grid", grid, "at most 2^60 cells in all", "give smaller sizes");
    }
    check_fold(grid);
    check_faces(grid);
}

bool turns(const Grid& grid) { return grid.north_fold != NorthFold::none || !grid.faces.none(); }

void require_no_turns(const Grid& grid, const std::string& what, const std::string& remedy) {
    if (turns(grid)) user_error(what, grid, "a grid without a north fold or faces", remedy);
}

Index columns_of_face(const Grid& grid) { return grid.size[0] / std::max(1, grid.faces.count()); }

std::string_view to_string(NorthFold fold) { return fold_names[static_cast<std::size_t>(fold)]; }

NorthFold north_fold_from(std::string_view name) {
    const auto known = std::ranges::find(fold_names, name);
    if (known != fold_names.end()) return static_cast<NorthFold>(known - fold_names.begin());
    user_error("north fold", name, "T, F or none", "name the points that the fold passes through");
}

namespace {
constexpr std::array<std::pair<Location, std::string_view>, 4> location_names{{
    {Location::center, "center"},
    {Location::xface, "xface"},
    {Location::yface, "yface"},
    {Location::corner, "corner"},
}};
}  // namespace

std::string_view to_string(Location location) { return location_names[static_cast<std::size_t>(location)].second; }

Location location_from(std::string_view name) {
    for (const auto& [location, text] : location_names) {
        if (text == name) return location;
    }
    user_error("location", name, "center, xface, yface or corner", "name a point of the C-grid");
}

std::string to_string(const Grid& grid) {
    std::string text;
    for (int a = 0; a < 3; ++a) {
        text += concat(a > 0 ? " x " : "", grid.size[a]);
        if (grid.periodic[a]) text += " (periodic)";
    }
    text += " cells";
    if (grid.north_fold != NorthFold::none) text += concat(", north fold through ", grid.north_fold, " points");
    if (!grid.faces.none()) text += concat(", ", grid.faces);
    return text;
}

}  // namespace lapwing
