#pragma once
// The acoustic wave equation as a stage of a lapwing::Step.

#include <array>
#include <optional>
#include <string>

#include "acoustic/acoustic_method.hpp"
#include "lapwing/step/step.hpp"

namespace lapwing::bench {

class StepAcoustic final : public AcousticMethod {
  public:
    // Collective; throws UserError where the strategy or the transport is not to be had.
    StepAcoustic(Domain& domain, const std::string& strategy, const std::string& transport);
    void begin(std::span<const float> u, std::span<const float> courant) override;
    void run(int steps) override { step_->run(steps); }
    void read(std::span<float> u) const override;
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    [[nodiscard]] DeclaredStage leap(std::size_t now) const;

    std::array<Field<float>, 2> u_;  // two time levels: the position of the step is the one that holds the latest
    Field<float> courant_;
    std::optional<Step> step_;
};

}  // namespace lapwing::bench
