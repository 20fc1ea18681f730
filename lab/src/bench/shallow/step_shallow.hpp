#pragma once
// The shallow-water model as a stage of a lapwing::Step.

#include <array>
#include <optional>
#include <string>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/step/step.hpp"
#include "shallow/shallow_method.hpp"

namespace lapwing::bench {

template <class Real>
class StepShallow final : public ShallowMethod {
  public:
    // Collective; throws UserError where the strategy or the transport is not to be had.
    StepShallow(Domain& domain, const ShallowModel& model, const std::string& strategy, const std::string& transport);
    void begin(const Flow& flow) override;
    void run(int steps) override;
    void read(const Flow& flow) override;
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    using Fields = std::array<Field<Real>, 3>;  // h, u and v, or their tendencies
    static Fields declared(Domain& domain, const std::string& mark);
    [[nodiscard]] Stage sweep(const Fields& from, const Fields& to);

    ShallowState<Real> state_;
    std::array<Fields, 2> flow_;  // two time levels
    Fields tendencies_;
    std::optional<Step> step_;
    std::array<std::optional<Exchange>, 2> exchanges_;  // of u and v of each level, for `read`
};

}  // namespace lapwing::bench
