#include "lapwing_weather/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lapwing_weather {

using lapwing::Index;

double relaxation_weight(Index distance, Index width) {
    if (distance <= 0) return 1.0;
    if (distance >= width) return 0.0;
    return 0.5 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(distance) / static_cast<double>(width)));
}

void relax(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const RelaxationContext*>(context);
    for (const Relaxed& one : at.fields) {
        const Index points_x = at.cells_x - (one.axis == 0 ? 1 : 0), points_y = at.cells_y - (one.axis == 1 ? 1 : 0);
        const Index end_x = std::min(box.hi[0], points_x), end_y = std::min(box.hi[1], points_y);
        for (Index j = box.lo[1]; j < end_y; ++j) {
            const Index from_y = std::min(j, points_y - 1 - j);
            for (Index i = box.lo[0]; i < end_x; ++i) {
                const double weight = relaxation_weight(std::min({from_y, i, points_x - 1 - i}), at.width);
                for (Index k = 0; k < one.levels; ++k) {
                    double& value = one.field(i, j, k);
                    const double given = one.given(i, j, k);
                    value = weight < 1.0 ? value + weight * (given - value) : given;
                }
            }
        }
    }
}

}  // namespace lapwing_weather
