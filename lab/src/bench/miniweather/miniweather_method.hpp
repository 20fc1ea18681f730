#pragma once
// One way to step miniWeather's equations, as the benchmark sees it.

#include <array>
#include <span>
#include <string>

#include "miniweather/miniweather_kernel.hpp"

namespace lapwing::bench {

// The stages of Runge and Kutta's along one axis: each begins at the state of the first and takes its tendency from the
// one before. Levels are 0, the state, and two in between.
struct MiniweatherStage {
    std::size_t at, after;
    double share;  // of the time step
};
inline constexpr std::array<MiniweatherStage, 3> miniweather_stages{{{0, 1, 1.0 / 3}, {1, 2, 0.5}, {2, 0, 1.0}}};
inline constexpr std::size_t miniweather_levels = 3;

// The axes in the order of a step: x first in even steps, z first in odd ones.
[[nodiscard]] constexpr std::array<int, 2> miniweather_axes(std::size_t step) {
    return step % 2 == 0 ? std::array{0, 1} : std::array{1, 0};
}

class MiniweatherMethod {
  public:
    virtual ~MiniweatherMethod() = default;
    // Begins with this state of the box of the rank, x fastest, variables slowest. Collective.
    virtual void begin(std::span<const double> state) = 0;
    // Runs `steps` steps. Collective.
    virtual void run(int steps) = 0;
    // The state after the last step. Local.
    virtual void read(std::span<double> state) const = 0;
    // True if it steps as it always will, and a description of how, if trials find that. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
};

}  // namespace lapwing::bench
