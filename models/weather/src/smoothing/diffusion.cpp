#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

using lapwing::Index;
using lapwing::Location;

Links::Links(Index cells, bool periodic, bool faces, Index lo, Index hi) : lo_(lo - 4) {
    const Index first = faces ? -1 : 0, last = cells - 1;  // points of the model
    for (Index n = lo_; n < hi + 4; ++n) values_.push_back(periodic || (n >= first && n < last) ? 1.0 : 0.0);
}

Diffusion diffusion_of(double coefficient, double spacing_x, double spacing_y, const lapwing::Grid& grid,
                       Location location, const lapwing::Box& allocated) {
    const auto fourth = [](double spacing) { return spacing * spacing * spacing * spacing; };
    return {coefficient / fourth(spacing_x), coefficient / fourth(spacing_y),
            Links(grid.size[0], grid.periodic[0], location == Location::xface, allocated.lo[0], allocated.hi[0]),
            Links(grid.size[1], grid.periodic[1], location == Location::yface, allocated.lo[1], allocated.hi[1])};
}

namespace {

// Of the values around one point, and of the links between them: the second difference of second differences.
[[gnu::always_inline]] inline double fourth_difference(double m2, double m1, double here, double p1, double p2,
                                                       double link_m2, double link_m1, double link, double link_p1) {
    const double d_m2 = link_m2 * (m1 - m2), d_m1 = link_m1 * (here - m1);
    const double d = link * (p1 - here), d_p1 = link_p1 * (p2 - p1);
    return link * ((d_p1 - d) - (d - d_m1)) - link_m1 * ((d - d_m1) - (d_m1 - d_m2));
}

}  // namespace

void diffuse_row(const Diffusion& at, const lapwing::View<const double>& field, Index i, Index j, Index k, Index count,
                 double* __restrict tendency) {
    const double* here = field.row(j, k) + i;
    const double *south = field.row(j - 1, k) + i, *south2 = field.row(j - 2, k) + i;
    const double *north = field.row(j + 1, k) + i, *north2 = field.row(j + 2, k) + i;
    const double* x = at.x.from(i);
    const double* y = at.y.from(j);
    const double y_m2 = y[-2], y_m1 = y[-1], y_0 = y[0], y_p1 = y[1], along_x = at.along_x, along_y = at.along_y;
#pragma omp simd
    for (Index m = 0; m < count; ++m) {
        const double in_x = fourth_difference(here[m - 2], here[m - 1], here[m], here[m + 1], here[m + 2], x[m - 2],
                                              x[m - 1], x[m], x[m + 1]);
        const double in_y = fourth_difference(south2[m], south[m], here[m], north[m], north2[m], y_m2, y_m1, y_0, y_p1);
        tendency[m] = -(along_x * in_x + along_y * in_y);
    }
}

}  // namespace lapwing_weather
