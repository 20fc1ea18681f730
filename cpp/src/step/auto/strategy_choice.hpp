#pragma once
// The programs that a step can be run by, and how `auto` takes the fastest of them.

#include <memory>
#include <string>
#include <vector>

#include "step/auto/strategy_trial.hpp"
#include "step/step_program.hpp"

namespace lapwing {

// One program, or with strategy `auto` several that alternate until the fastest is known.
class StrategyChoice {
  public:
    // Collective; throws as StepProgram. What it refers to outlives it.
    StrategyChoice(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy,
                   ThreadTeam* team);

    // The program of the coming step. Local.
    [[nodiscard]] StepProgram& program() const { return *programs_[program_]; }
    // True if programs still alternate. Local.
    [[nodiscard]] bool trying() const { return trial_ != nullptr; }
    // Steps that are left of the turn of its program. Local.
    [[nodiscard]] int left_in_turn() const { return trial_->left_in_turn(); }
    // Notes the ticks of a step; true if another program comes next, which `change` installs. Collective at the end of
    // a turn of all programs.
    bool took(std::int64_t ticks);
    void change() { program_ = next_; }
    // The next run of each node of all programs computes all land. Local.
    void require_land() {
        for (const auto& program : programs_) program->require_land();
    }

    // Takes this strategy and measures no more. Collective; throws as StepProgram.
    void settle(const Strategy& strategy);

    // Returns, as text, what was found and why, or how far the trial is; empty without a trial. Local.
    [[nodiscard]] std::string found() const;

  private:
    void add(const Strategy& strategy);
    void add_candidates();
    [[nodiscard]] bool outgrows_cache() const;
    // The first field whose halo or boxes are too narrow for the strategy on any rank, and the halo that it needs, as
    // text; empty: there is room. Collective.
    [[nodiscard]] std::string lacking_halo(const Strategy& deep) const;
    void begin_trial();
    [[nodiscard]] std::string times() const;

    Domain& domain_;
    const StepStages& stages_;
    ExchangePool& pool_;
    ThreadTeam* team_;
    std::vector<std::unique_ptr<StepProgram>> programs_;
    std::size_t program_ = 0, next_ = 0;    // numbers of programs
    std::unique_ptr<StrategyTrial> trial_;  // null: the strategy was given, or found
    std::string found_, left_out_;          // a readable account
};

}  // namespace lapwing
