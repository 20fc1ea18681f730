#pragma once
// The coast model in two dimensions: depth-integrated flow with tides on a C-grid.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <lapwing/domain.hpp>
#include <lapwing/field.hpp>
#include <lapwing/step.hpp>

#include "lapwing_coast/continuity.hpp"
#include "lapwing_coast/depth.hpp"
#include "lapwing_coast/momentum.hpp"
#include "lapwing_coast/open_boundary.hpp"

namespace lapwing_coast {

struct CoastSettings {
    double time_step = 20.0;    // s
    double spacing_x = 2000.0;  // m
    double spacing_y = 2000.0;  // m
    double gravity = 9.81;      // m/s2
    double coriolis = 1.2e-4;   // 1/s
    double drag = 0.0025;       // bottom drag coefficient, 1
    double ramp = 0.0;          // duration of the growth of the tide from rest, s
};

// The longest stable time step (s): an explicit gravity wave may not cross a cell's diagonal
// within one step. `depth` is the largest, m. Local.
double longest_time_step(const CoastSettings& settings, double depth);

// The fields of the model on the boxes of one rank and the step that moves them on. A step is
// momentum x, momentum y, continuity and boundaries; every other step swaps the two momenta.
class Coast {
  public:
    // At rest. `depth` holds the undisturbed depth of the whole grid (m, 0: land), x fastest.
    // Collective; throws UserError on all ranks for sizes that do not fit the grid, a depth or a
    // setting that makes no sense, a time step that is too long, or arguments that differ. `strategy` and `transport`
    // are those of its lapwing::Step.
    Coast(lapwing::Domain& domain, const CoastSettings& settings, std::span<const double> depth,
          std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport);
    Coast(const Coast&) = delete;  // the kernels' contexts point into it
    Coast& operator=(const Coast&) = delete;

    // Runs `steps` time steps. All ranks alike.
    void advance(lapwing::Index steps);

    // The stages of a step by position in the cycle, for callers that run them by other means than `advance`: they set
    // the time of each step with `tick` before it. The contexts live as long as the model does. Local.
    [[nodiscard]] std::vector<std::vector<lapwing::Stage>> cycle();
    void tick();

    // Goes on from `step_number`; the caller has put the state of that moment into the fields. All
    // ranks alike, no messages.
    void resume(lapwing::Index step_number);

    // Throws StateError on all ranks when a value is not finite or a wet cell has run dry.
    // Collective.
    void check_state() const;

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] const CoastSettings& settings() const { return settings_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    lapwing::Field sea_level;    // at cell centres, m
    lapwing::Field transport_x;  // at x faces, m2/s
    lapwing::Field transport_y;  // at y faces, m2/s
    lapwing::Field depth;        // undisturbed, at cell centres, m

  private:
    void fill_depths(const Depth& whole);
    void make_contexts();
    [[nodiscard]] lapwing::Stage momentum_stage(int axis);
    [[nodiscard]] lapwing::Stage continuity_stage();
    [[nodiscard]] std::vector<lapwing::Stage> stages(const std::array<int, 2>& order);

    lapwing::Domain& domain_;
    CoastSettings settings_;
    std::vector<Boundary> boundaries_;
    std::array<lapwing::Field, 2> face_depth_;                     // at x and y faces, m; 0: closed
    std::array<std::vector<MomentumContext>, 2> momentum_;         // [axis][block]
    std::vector<ContinuityContext> continuity_;                    // [block]
    std::vector<std::vector<BoundaryContext>> boundary_contexts_;  // [boundary][block]
    std::unique_ptr<lapwing::Step> step_;
    lapwing::Index step_number_ = 0;
    double time_ = 0;  // of the step that is being computed, s
};

}  // namespace lapwing_coast
