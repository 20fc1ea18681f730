#include "lapwing_coast/setup_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "lapwing/base/error.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Index;
using lapwing::user_error;

std::string text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

void check_depth(const Domain& domain, std::span<const double> depth) {
    const lapwing::Grid& grid = domain.partition().grid();
    const Index cells = grid.size[0] * grid.size[1];
    if (grid.size[2] != 1)
        user_error("grid of the coast model", to_string(grid), "one level", "give the layers as levels of its fields");
    if (static_cast<Index>(depth.size()) != cells)
        user_error("depth", std::to_string(depth.size()) + " values",
                   std::to_string(cells) + ", one per cell of the grid", "pass the depth of the whole grid");
    const auto bad = std::ranges::find_if(depth, [](double d) { return !(std::isfinite(d) && d >= 0); });
    if (bad != depth.end()) user_error("depth", text(*bad), "0 m on land, else more", "correct the depth");
    if (std::ranges::none_of(depth, [](double d) { return d > 0; }))
        user_error("depth", "land everywhere", "at least one wet cell", "correct the depth or the mask");
}

void require_closed(const Domain& domain) {
    const lapwing::Grid& grid = domain.partition().grid();
    if (grid.periodic[0] || grid.periodic[1])
        user_error("grid of the coast model", to_string(grid), "no periodic axis", "make the domain on such a grid");
}

void require_positive(std::string_view name, double value, std::string_view unit) {
    if (!(std::isfinite(value) && value > 0))
        user_error(name, text(value).append(" ").append(unit), "a finite value above 0", "correct the setting");
}

}  // namespace lapwing_coast
