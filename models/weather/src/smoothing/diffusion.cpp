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

}  // namespace lapwing_weather
