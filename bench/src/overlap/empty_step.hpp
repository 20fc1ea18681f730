#pragma once
// Steps whose kernels do nothing: what is left is the cost of the engine and of the messages.

#include <memory>
#include <string>

#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

namespace lapwing::bench {

// Two stages in turn, each reading a cell around its own of what the other writes.
class EmptyStep {
  public:
    // Fields of `levels` layers. Collective; throws UserError for an unknown strategy.
    EmptyStep(Domain& domain, int levels, const std::string& strategy, const std::string& transport);

    // Seconds per step on this rank, mean over `steps`. Collective.
    [[nodiscard]] double sample(int steps);
    [[nodiscard]] double tasks_per_step() const { return step_->tasks_per_step(); }

  private:
    Domain& domain_;
    Field here_, there_;
    std::unique_ptr<Step> step_;
};

}  // namespace lapwing::bench
