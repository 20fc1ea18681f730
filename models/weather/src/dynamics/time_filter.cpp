#include "lapwing_weather/dynamics/time_filter.hpp"

namespace lapwing_weather {

using lapwing::Index;

void time_filter(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const FilterContext*>(context);
    const double strength = *at.strength;
    const Index n = box.size(0);
    for (const ThreeTimes& field : at.fields) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index k = 0; k < field.levels; ++k) {
                const double *before = field.before.row(j, k) + box.lo[0], *after = field.after.row(j, k) + box.lo[0];
                double* __restrict middle = field.middle.row(j, k) + box.lo[0];
#pragma omp simd
                for (Index m = 0; m < n; ++m) middle[m] += strength * ((before[m] - 2.0 * middle[m]) + after[m]);
            }
        }
    }
}

}  // namespace lapwing_weather
