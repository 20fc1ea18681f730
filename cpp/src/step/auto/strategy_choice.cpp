#include "step/auto/strategy_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ranges>

#include "base/cache.hpp"
#include "base/thread_team.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "schedule/strategy_candidates.hpp"
#include "step/field_memory.hpp"

namespace lapwing {

namespace {

std::string number(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// Returns the cost of a trial, in steps of the first strategy; a trial that met better strategies early may have gained
// time.
std::string cost_of(const StrategyTrial& trial) {
    return concat("trial of ", trial.steps(), " steps ", trial.lost() < 0 ? "saved" : "cost", " the time of ",
                  number("%.3g", std::abs(trial.lost())));
}

}  // namespace

StrategyChoice::StrategyChoice(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy,
                               ThreadTeam* team)
    : domain_(domain), stages_(stages), pool_(pool), team_(team) {
    if (strategy.automatic && !iterates(stages.specs())) {  // loops are run undivided
        add_candidates();
    } else {
        add(strategy.automatic ? Strategy{} : strategy);
    }
    if (programs_.size() > 1) begin_trial();
}

// One rank has nothing to hide, and data in a cache gains nothing from tiles.
void StrategyChoice::add_candidates() {
    add(Strategy{});
    std::vector<Strategy> rest;
    if (domain_.ranks() > 1) {
        for (const Strategy& late : late_candidates() | std::views::drop(1)) rest.push_back(late);
        for (const Strategy& deep : deep_candidates()) rest.push_back(deep);
    }
    if (outgrows_cache()) {
        for (const Strategy& tiled : tiled_candidates()) rest.push_back(tiled);
    }
    for (const Strategy& one : rest) {
        if (on_grid(one, domain_.partition().grid()) != one) continue;
        if (const std::string lacks = one.repetitions > 0 ? lacking_halo(one) : ""; lacks.empty()) {
            add(one);
        } else {
            left_out_ += concat(left_out_.empty() ? "; left out, as halos are too narrow: " : ", ", one, lacks);
        }
    }
}

// True if the fields of the step on any rank need more memory than a core has of its last cache. Collective.
bool StrategyChoice::outgrows_cache() const {
    Index bytes = 0;
    for (const AnyField* field : stages_.fields())
        for (const Block& block : field->blocks())
            bytes += block.owned.volume() * std::max(1, field->spec().levels) * field->spec().components *
                     size_of(field->spec().type);
    return maximum(domain_, bytes > cache_of_core().far ? 1 : 0) > 0;
}

void StrategyChoice::add(const Strategy& strategy) {
    const CoreCache cache = cache_of_core();
    const Tiling tiling{.cache = cache.far, .near = cache.near, .threads = team_ == nullptr ? 1 : team_->threads()};
    programs_.push_back(std::make_unique<StepProgram>(domain_, stages_, pool_, strategy, tiling, team_));
}

std::string StrategyChoice::lacking_halo(const Strategy& deep) const {
    const auto widths = halos_under(stages_, deep);
    std::vector<Index> room(widths.size(), 1);
    for (std::size_t f = 0; f < widths.size(); ++f) {
        for (const Block& block : stages_.fields()[f]->blocks()) {
            if (!has_room(block.owned, block.allocated, widths[f])) room[f] = 0;
        }
    }
    room = minimum(domain_, room);
    const auto f = static_cast<std::size_t>(std::ranges::find(room, 0) - room.begin());
    if (f == room.size()) return {};
    return concat(" (", stages_.fields()[f]->spec().name, ": ", widths[f], ")");
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
        found_ = times() + left_out_;
        trial_.reset();
    }
    return next_ != program_;
}

void StrategyChoice::settle(const Strategy& strategy) {
    const auto known = std::ranges::find(programs_, strategy, [](const auto& program) { return program->strategy(); });
    const auto number = static_cast<std::size_t>(known - programs_.begin());
    if (number == programs_.size()) add(strategy);  // throws before anything has changed
    next_ = program_ = number;
    trial_.reset();
}

std::string StrategyChoice::found() const {
    if (!trying()) return found_;
    return concat("auto measures: round ", trial_->round(), " of at most ", StrategyTrial::rounds(), "; ",
                  cost_of(*trial_), "; now ", program().strategy(), left_out_);
}

// The numbers that it was decided by: a time alone would also tell in which rounds a candidate was there.
std::string StrategyChoice::times() const {
    std::string text = concat("auto took ", programs_[next_]->strategy(), ": ", programs_[0]->strategy(), " ",
                              number("%.3g", 1e6 * trial_->seconds(0)), " us per step; of that, right behind it,");
    for (int n = 1; n < std::ssize(programs_); ++n) {
        text += concat(n == 1 ? " " : ", ", programs_[n]->strategy(), number(" %.2f", trial_->ratio(n)),
                       trial_->stayed(n) ? "" : " (left early)");
    }
    if (next_ == 0) text += "; a gain below 2 % counts as none";
    text += concat("; ", cost_of(*trial_));
    const double gain = 1 - trial_->ratio(static_cast<int>(next_));
    if (next_ == 0 || trial_->lost() <= 0) return text;
    return text + concat(", paid after ", static_cast<int>(trial_->lost() / gain) + 1);
}

}  // namespace lapwing
