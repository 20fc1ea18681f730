#pragma once
// Diffusion of one row, inline: a row takes little longer than a call.

#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// Returns, from the values around one point and the links between them, the second difference of second differences.
[[gnu::always_inline]] inline double fourth_difference(double m2, double m1, double here, double p1, double p2,
                                                       double link_m2, double link_m1, double link, double link_p1) {
    const double d_m2 = link_m2 * (m1 - m2), d_m1 = link_m1 * (here - m1);
    const double d = link * (p1 - here), d_p1 = link_p1 * (p2 - p1);
    return link * ((d_p1 - d) - (d - d_m1)) - link_m1 * ((d - d_m1) - (d_m1 - d_m2));
}

// Writes the tendency (per s) of `count` values of row (j, k) from column i on:
//   -K (d4/dx4 + d4/dy4), as minus the second difference of second differences along each axis.
// Reads two cells to all four sides. Local.
[[gnu::always_inline]] inline void diffuse_row(const Diffusion& at, const lapwing::View<const double>& field,
                                               lapwing::Index i, lapwing::Index j, lapwing::Index k,
                                               lapwing::Index count, double* __restrict tendency) {
    const double* here = field.row(j, k) + i;
    const double *south = field.row(j - 1, k) + i, *south2 = field.row(j - 2, k) + i;
    const double *north = field.row(j + 1, k) + i, *north2 = field.row(j + 2, k) + i;
    const double* x = at.x.from(i);
    const double* y = at.y.from(j);
    const double y_m2 = y[-2], y_m1 = y[-1], y_0 = y[0], y_p1 = y[1], along_x = at.along_x, along_y = at.along_y;
#pragma omp simd
    for (lapwing::Index m = 0; m < count; ++m) {
        const double in_x = fourth_difference(here[m - 2], here[m - 1], here[m], here[m + 1], here[m + 2], x[m - 2],
                                              x[m - 1], x[m], x[m + 1]);
        const double in_y = fourth_difference(south2[m], south[m], here[m], north[m], north2[m], y_m2, y_m1, y_0, y_p1);
        tendency[m] = -(along_x * in_x + along_y * in_y);
    }
}

}  // namespace lapwing_weather
