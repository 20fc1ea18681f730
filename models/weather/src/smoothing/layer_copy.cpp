#include "lapwing_weather/smoothing/layer_copy.hpp"

#include <algorithm>

namespace lapwing_weather {

using lapwing::Index;
using lapwing::View;

namespace {

void copy(const View<const double>& from, const View<double>& to, const lapwing::Box& box, Index levels) {
    if (box.lo[0] >= box.hi[0]) return;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = 0; k < levels; ++k)
            std::copy(from.row(j, k) + box.lo[0], from.row(j, k) + box.hi[0], to.row(j, k) + box.lo[0]);
}

}  // namespace

void LayerCopy::operator()(lapwing::Box box, const Views& to, const ConstViews& from) const {
    for (std::size_t f = 0; f < points.size(); ++f)
        copy(from[f], to[f], walls.inside(box, points[f].axis), points[f].levels());
}

}  // namespace lapwing_weather
