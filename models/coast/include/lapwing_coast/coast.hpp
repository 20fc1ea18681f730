#pragma once
// The coast model in two dimensions: depth-integrated flow with tides on a C-grid.

#include <span>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"

namespace lapwing_coast {

// The barotropic mode and the step that moves it on; every other step swaps the two momenta.
class Coast {
  public:
    // At rest. As the constructor of BarotropicMode; `strategy` and `transport` are passed to its lapwing::Step. Halos
    // that are `listed` travel as wide as `literal_halo` after their stages, needed or not.
    Coast(lapwing::Domain& domain, const CoastSettings& settings, std::span<const double> depth,
          std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport,
          const std::vector<lapwing::ListedExchange>& listed = {}, CoastInputs inputs = {});

    // Runs `steps` time steps. Call it on all ranks.
    void advance(lapwing::Index steps);

    // Sets the time of the next step, for callers that run the stages of `step` by other means than `advance`. Local.
    void tick();

    // Goes on from `step_number`; the caller has put the state of that moment into the fields. All
    // ranks alike, no messages.
    void resume(lapwing::Index step_number);

    // Throws StateError on all ranks when a value is not finite or a wet cell has run dry.
    // Collective.
    void check_state() const;

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return step_; }
    BarotropicMode mode;

  private:
    void begin_step(lapwing::Index step);

    lapwing::Domain& domain_;
    lapwing::Step step_;
    lapwing::Index step_number_ = 0;
};

}  // namespace lapwing_coast
