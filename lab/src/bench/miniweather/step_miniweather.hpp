#pragma once
// miniWeather's equations as stages of a lapwing::Step.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/step/step.hpp"
#include "miniweather/miniweather_method.hpp"

namespace lapwing::bench {

class StepMiniweather final : public MiniweatherMethod {
  public:
    // Any partition of the grid. Collective; throws UserError where the strategy or the transport is not to be had.
    StepMiniweather(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
                    const std::string& transport);
    void begin(std::span<const double> state) override;
    void run(int steps) override { step_->run(steps); }
    void read(std::span<double> state) const override;
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    [[nodiscard]] Stage advanced(int axis, const MiniweatherStage& of) const;
    [[nodiscard]] Stages stages(std::size_t step) const;

    std::shared_ptr<const MiniweatherModel> model_;
    std::vector<Field<double>> levels_;
    std::optional<Step> step_;
};

}  // namespace lapwing::bench
