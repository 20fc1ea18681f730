#pragma once
// Horizontal diffusion of fourth order along each axis, explicit, on model layers.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing_weather {

// Between which points of an axis diffusion acts: 1 between point n and n + 1 where both are points of the model, else
// 0, so that nothing is diffused through the ends of an axis that does not close on itself.
class Links {
  public:
    Links() = default;
    // Of the points of an axis of `cells` cells, its faces or its centres, for indices from `lo` to `hi`. Local.
    Links(lapwing::Index cells, bool periodic, bool faces, lapwing::Index lo, lapwing::Index hi);
    [[nodiscard]] const double* from(lapwing::Index n) const { return values_.data() + (n - lo_); }

  private:
    lapwing::Index lo_ = 0;
    std::vector<double> values_;
};

// What the diffusion of one field on one block needs; coefficient 0: none.
struct Diffusion {
    double along_x = 0, along_y = 0;  // coefficient over the fourth power of the spacing, 1/s
    Links x, y;
};

// Of a field at `location`, coefficient in m4/s. Local.
Diffusion diffusion_of(double coefficient, double spacing_x, double spacing_y, const lapwing::Grid& grid,
                       lapwing::Location location, const lapwing::Box& allocated);

// Of the values around one point, and of the links between them: the second difference of second differences.
[[gnu::always_inline]] inline double fourth_difference(double m2, double m1, double here, double p1, double p2,
                                                       double link_m2, double link_m1, double link, double link_p1) {
    const double d_m2 = link_m2 * (m1 - m2), d_m1 = link_m1 * (here - m1);
    const double d = link * (p1 - here), d_p1 = link_p1 * (p2 - p1);
    return link * ((d_p1 - d) - (d - d_m1)) - link_m1 * ((d - d_m1) - (d_m1 - d_m2));
}

// Writes the tendency (per s) of `count` values of row (j, k) from column i on:
//   -K (d4/dx4 + d4/dy4), as minus the second difference of second differences along each axis.
// Reads two cells to all four sides. Local. Inline, as a row is about as short as a call.
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
