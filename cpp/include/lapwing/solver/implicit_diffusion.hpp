#pragma once
// Implicit horizontal diffusion of any even order: a low-pass filter that no time step limits.

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/solver/line_solver.hpp"
#include "lapwing/solver/line_transform.hpp"

namespace lapwing {

// Divides each wave of fields by 1 + strength (kx^2 + ky^2)^(order / 2), in place. That is an implicit (backward Euler)
// step of diffusion, dq/dt = -K (-del2)^(order/2) q with `strength` = K dt in m^order, by second differences: kx^2 =
// (2/dx sin(...))^2 for the wave. With periodic or neumann ends the mean of a level keeps its value to rounding.
class ImplicitDiffusion {
  public:
    // `fields`, on `partition`, all get the same. `order`: even, 2 to 100; 2 diffuses, higher orders are increasingly
    // sharp filters; `strength`: one number or one per level, not negative; `ends` along x and y. Collective over the
    // domain. Throws UserError on all ranks for a bad order or strength, and what a LineSolver throws. Costs as much as
    // a LineSolver, and four transforms.
    ImplicitDiffusion(Domain& domain, const Partition& partition, const std::vector<AnyField*>& fields,
                      std::span<const double> strength, const std::array<double, 2>& spacing, int order,
                      const std::array<Ends, 2>& ends, const LineOptions& options = {});

    // Filters the owned cells of the fields. Local, but all ranks must do so; halos are stale afterwards.
    void apply();

    [[nodiscard]] const LineSolver& lines() const { return *lines_; }

  private:
    void across(const Lines& columns);

    std::unique_ptr<LineTransform> along_x_, along_y_;
    std::unique_ptr<LineSolver> lines_;
    std::map<Index3, std::vector<double>> damping_;  // for each wave, keyed by the first cell of the columns
};

}  // namespace lapwing
