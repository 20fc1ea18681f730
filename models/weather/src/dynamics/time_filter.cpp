#include "lapwing_weather/dynamics/time_filter.hpp"

namespace lapwing_weather {

using lapwing::Index;
using lapwing::View;

namespace {

void filter(double strength, const lapwing::Box& box, Index levels, const View<const double>& before,
            const View<double>& middle, const View<const double>& after) {
    const Index n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = 0; k < levels; ++k) {
            const double *earlier = before.row(j, k) + box.lo[0], *later = after.row(j, k) + box.lo[0];
            double* __restrict here = middle.row(j, k) + box.lo[0];
#pragma omp simd
            for (Index m = 0; m < n; ++m) here[m] += strength * ((earlier[m] - 2.0 * here[m]) + later[m]);
        }
    }
}

}  // namespace

void TimeFilter::operator()(lapwing::Box box, const ConstViews& before, const Views& middle,
                            const ConstViews& after) const {
    for (std::size_t f = 0; f < points.size(); ++f)
        filter(*strength, box, points[f].levels(), before[f], middle[f], after[f]);
}

}  // namespace lapwing_weather
