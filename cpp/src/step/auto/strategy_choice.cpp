#include "step/auto/strategy_choice.hpp"

#include <cstdio>

#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "schedule/strategy_candidates.hpp"

namespace lapwing {

StrategyChoice::StrategyChoice(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy)
    : domain_(domain), stages_(stages), pool_(pool) {
    // one rank has nothing to hide, and loops are run undivided
    const bool choose = strategy.automatic && domain.ranks() > 1 && !iterates(stages.specs());
    if (!choose) {
        add(strategy.automatic ? Strategy{} : strategy);
        return;
    }
    for (const Strategy& late : late_candidates()) add(late);
    for (const Strategy& deep : deep_candidates()) {
        if (has_room_for(deep)) add(deep);
    }
    begin_trial();
}

void StrategyChoice::add(const Strategy& strategy) {
    programs_.push_back(std::make_unique<StepProgram>(domain_, stages_, pool_, strategy, Tiling{}));
}

bool StrategyChoice::has_room_for(const Strategy& deep) const {
    const int fields = static_cast<int>(stages_.fields().size());
    const auto widths = halo_widths(stages_.specs(), fields, schedule_for(stages_.specs(), fields, deep));
    Index room = 1;
    for (std::size_t f = 0; f < widths.size(); ++f) {
        for (const Block& block : stages_.fields()[f]->blocks()) {
            if (!has_room(block.owned, block.allocated, widths[f])) room = 0;
        }
    }
    return minimum(domain_, room) == 1;
}

void StrategyChoice::begin_trial() {
    const int cycle = static_cast<int>(stages_.specs().size());
    std::vector<int> periods;
    for (const auto& program : programs_) periods.push_back(period_of(program->strategy(), cycle));
    trial_ = std::make_unique<StrategyTrial>(std::move(periods), cycle);
}

bool StrategyChoice::took(std::int64_t ticks) {
    const bool over = trial_->took(domain_, ticks);
    next_ = over ? trial_->winner() : trial_->candidate();
    if (over) {
        note_times();
        trial_.reset();
    }
    return next_ != program_;
}

void StrategyChoice::note_times() {
    found_ = concat("auto took ", programs_[next_]->strategy(), ":");
    for (std::size_t n = 0; n < programs_.size(); ++n) {
        char text[96];
        std::snprintf(text, sizeof text, "%s %s %.3g us", n == 0 ? "" : ",",
                      to_string(programs_[n]->strategy()).c_str(), 1e6 * trial_->seconds()[n]);
        found_ += text;
    }
    found_ += " per step";
}

}  // namespace lapwing
