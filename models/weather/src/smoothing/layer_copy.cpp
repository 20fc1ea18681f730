#include "lapwing_weather/smoothing/layer_copy.hpp"

#include <algorithm>

namespace lapwing_weather {

using lapwing::Index;

void LayerCopy::operator()(lapwing::Box box, const Views& to, const ConstViews& from) const {
    for (std::size_t f = 0; f < points.size(); ++f) {
        const lapwing::Box inside = walls.inside(box, points[f].axis);
        if (inside.lo[0] >= inside.hi[0]) continue;
        for (Index j = inside.lo[1]; j < inside.hi[1]; ++j)
            for (Index k = 0; k < points[f].levels(); ++k)
                std::copy(from[f].row(j, k) + inside.lo[0], from[f].row(j, k) + inside.hi[0],
                          to[f].row(j, k) + inside.lo[0]);
    }
}

}  // namespace lapwing_weather
