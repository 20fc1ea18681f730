#include "lapwing_weather/dynamics/hybrid_levels.hpp"

#include <cmath>
#include <sstream>

#include "lapwing/base/error.hpp"

namespace lapwing_weather {

namespace {

std::string shown(const char* name, std::size_t half, double value) {
    std::ostringstream out;
    out << name << "[" << half << "] = " << value;
    return out.str();
}

void check_ends(const HybridLevels& levels) {
    const std::size_t last = levels.a.size() - 1;
    if (levels.b[0] != 0 || !(levels.a[0] >= 0))
        lapwing::user_error("levels", shown("a", 0, levels.a[0]) + ", " + shown("b", 0, levels.b[0]),
                            "b = 0 and a of 0 Pa or more at the top, through which no air goes",
                            "correct the half levels");
    if (levels.a[last] != 0 || levels.b[last] != 1)
        lapwing::user_error("levels", shown("a", last, levels.a[last]) + ", " + shown("b", last, levels.b[last]),
                            "a = 0, b = 1 at the surface", "list half levels from the top to the surface");
}

}  // namespace

void check(const HybridLevels& levels, double least, double largest) {
    if (levels.a.size() < 2 || levels.a.size() != levels.b.size())
        lapwing::user_error("levels",
                            std::to_string(levels.a.size()) + " a and " + std::to_string(levels.b.size()) + " b",
                            "as many of both, one per half level, at least two", "complete the lists");
    check_ends(levels);
    for (const double pressure : {least, largest}) {
        for (std::size_t half = 1; half < levels.a.size(); ++half) {
            const double above = levels.a[half - 1] + levels.b[half - 1] * pressure;
            const double below = levels.a[half] + levels.b[half] * pressure;
            if (std::isfinite(below) && below > above) continue;
            std::ostringstream got;
            got << above << " Pa at half level " << half - 1 << " and " << below << " Pa below it, at half level "
                << half << ", where the surface has " << pressure << " Pa";
            lapwing::user_error("levels", got.str(), "pressure that grows downwards", "correct the half levels");
        }
    }
}

}  // namespace lapwing_weather
