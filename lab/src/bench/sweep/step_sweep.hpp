#pragma once
// Sweeps as stages of a lapwing::Step.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/step/step.hpp"
#include "memory/owned_values.hpp"
#include "sweep/sweep_method.hpp"

namespace lapwing::bench {

template <class Kernel>
class StepSweep final : public SweepMethod<typename Kernel::Value> {
  public:
    using Value = typename Kernel::Value;

    // Collective; throws UserError where the strategy or the transport is not to be had.
    StepSweep(Domain& domain, const Kernel& kernel, const std::string& strategy, const std::string& transport)
        : kernel_(kernel),
          levels_{declared(domain, "now"), declared(domain, "next")},
          factor_(declared(domain, "factor")) {
        const std::vector<Stages> cycle{{sweep(0)}, {sweep(1)}};
        step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
    }
    void begin(std::span<const Value> values, std::span<const Value> factor) override {
        step_->restart_at(0);
        for (const Field<Value>& level : levels_) {
            store<Value>(values, level.memory());
            level.modified();
        }
        store<Value>(factor, factor_.memory());
        factor_.modified();
    }
    void run(int steps) override { step_->run(steps); }
    void read(std::span<Value> values) const override { load<Value>(levels_[step_->position()].memory(), values); }
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    // With a halo that the factor, which no cell reads around itself, does not need: all fields are laid out alike.
    static Field<Value> declared(Domain& domain, const char* name) {
        const Extent halo = star_of(Kernel::reach);
        return {domain, name, FieldOptions{.halo = halo, .own_pages = true, .rows = RowLayout::on_lines}};
    }
    [[nodiscard]] Stage sweep(std::size_t now) const {
        const auto kernel = [kernel = kernel_](Box box, View<const Value> values, View<const Value> factor,
                                               View<Value> next) { kernel.step(box, {values, factor, next}); };
        return stage("sweep", kernel, reads(levels_[now], star_of(Kernel::reach)), reads(factor_),
                     updates(levels_[1 - now]));
    }

    Kernel kernel_;
    std::array<Field<Value>, 2> levels_;  // two time levels: the position of the step is the one that holds the latest
    Field<Value> factor_;
    std::optional<Step> step_;
};

}  // namespace lapwing::bench
