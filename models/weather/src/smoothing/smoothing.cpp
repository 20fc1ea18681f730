#include "lapwing_weather/smoothing/smoothing.hpp"

#include <algorithm>

namespace lapwing_weather {

using lapwing::Box;
using lapwing::Index;
using lapwing::View;

namespace {

void copy(const View<double>& from, const View<double>& to, const Box& box, Index levels) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = 0; k < levels; ++k)
            std::copy(from.row(j, k) + box.lo[0], from.row(j, k) + box.hi[0], to.row(j, k) + box.lo[0]);
}

}  // namespace

void take_up(void* context, Box box) {
    const auto& at = *static_cast<const SmoothingContext*>(context);
    for (const Smoothed& field : at.fields) copy(field.state, field.copy, box, field.levels);
}

void put_back(void* context, Box box) {
    const auto& at = *static_cast<const SmoothingContext*>(context);
    for (const Smoothed& field : at.fields) {
        const Box inside = at.walls.inside(box, field.axis);
        if (inside.lo[0] < inside.hi[0]) copy(field.copy, field.state, inside, field.levels);
    }
}

}  // namespace lapwing_weather
