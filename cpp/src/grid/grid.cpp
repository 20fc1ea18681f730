#include "lapwing/grid/grid.hpp"

#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

void check(const Grid& grid) {
    for (int a = 0; a < 3; ++a) {
        if (grid.size[a] < 1) {
            user_error("grid size along " + std::string(1, "xyz"[a]), grid.size[a], "at least 1 cell",
                       "give every axis a size; an unused axis has size 1");
        }
    }
    Index cells = 1;
    for (Index size : grid.size) {
        // so that the halos around it have indices too
        if (!__builtin_mul_overflow(cells, size, &cells) && cells <= Index{1} << 60) continue;
        user_error("grid", grid, "at most 2^60 cells in all", "give smaller sizes");
    }
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
    return text + " cells";
}

}  // namespace lapwing
