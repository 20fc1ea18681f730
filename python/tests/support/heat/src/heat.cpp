#include "heat.hpp"

#include <cmath>

namespace heat {

using lapwing::Box;
using lapwing::Index;
using lapwing::View;

namespace {

struct Spread {
    HeatSettings settings;
    lapwing::Index3 size;  // of the grid

    void operator()(Box box, View<double> next, View<const double> heat) const {
        const auto& [along_x, along_y] = settings.weights;
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
                const double here = heat(i, j);
                const double west = i > 0 ? heat(i - 1, j) : here, east = i + 1 < size[0] ? heat(i + 1, j) : here;
                const double south = j > 0 ? heat(i, j - 1) : here, north = j + 1 < size[1] ? heat(i, j + 1) : here;
                const double change = along_x * (west + east - 2 * here) + along_y * (south + north - 2 * here);
                next(i, j) = here + settings.strength * change;
            }
    }
};

void take(Box box, View<double> heat, View<const double> next) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) heat(i, j) = next(i, j);
}

}  // namespace

Heat::Heat(lapwing::Domain& domain, const HeatSettings& settings, const std::string& strategy)
    : heat(domain, "heat"),
      next(domain, "next"),
      settings_(settings),
      step_(domain,
            {stage("spread", Spread{settings, domain.partition().grid().size}, writes(next),
                   reads(heat, lapwing::cross(1))),
             stage("take", take, writes(heat), reads(next))},
            {.strategy = strategy}) {}

void Heat::begin() {
    heat.fill([&](Index i, Index j, Index) {
        const auto wave = std::sin(0.3 * static_cast<double>(i + 2 * j));
        return settings_.start == Start::wave ? wave : i + j == 0 ? 1.0 : 0.0;
    });
}

}  // namespace heat
