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
    // Returns the links of the points of an axis of `cells` cells, its faces or its centres, for indices from `lo` to
    // `hi`. Local.
    Links(lapwing::Index cells, bool periodic, bool faces, lapwing::Index lo, lapwing::Index hi);
    [[nodiscard]] const double* from(lapwing::Index n) const { return values_.data() + (n - lo_); }

  private:
    lapwing::Index lo_ = 0;
    std::vector<double> values_;
};

// The input of the diffusion of one field on one block; coefficient 0: none.
struct Diffusion {
    double along_x = 0, along_y = 0;  // coefficient over the fourth power of the spacing, 1/s
    Links x, y;
};

// Makes the input for a field at `location`, coefficient in m4/s. Local.
Diffusion diffusion_of(double coefficient, double spacing_x, double spacing_y, const lapwing::Grid& grid,
                       lapwing::Location location, const lapwing::Box& allocated);

}  // namespace lapwing_weather
