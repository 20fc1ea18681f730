#pragma once
// The same model as stages of a lapwing::Step, in the order of a strategy.

#include <optional>
#include <string>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/step/step.hpp"
#include "overlap/overlap_method.hpp"

namespace lapwing::bench {

class StepOverlap final : public OverlapMethod {
  public:
    // `chunk_bytes`: of a message at most where it communicates alone, 0: all. Collective; throws UserError where the
    // strategy does not fit the model or the transport is not to be had.
    StepOverlap(Domain& domain, const OverlapWork& work, const std::string& strategy, const std::string& transport,
                Index chunk_bytes);
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }

  private:
    void steps(int count, const BeforeEach& before_each) override;
    void communicate() override { exchange_->run(); }
    [[nodiscard]] double kernel_seconds() const override;
    void restart() override { step_->restart_at(0); }

    std::optional<Step> step_;
    std::optional<Exchange> exchange_;
};

}  // namespace lapwing::bench
