#include "strategy_trial.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/agreement.hpp"
#include "lapwing/simulated.hpp"
#include "lapwing/ticks.hpp"

namespace lapwing {

namespace {

constexpr int rounds = 8;  // the first of them only finds out how long a turn must be
// long against the clock and what a scheduler does; simulated time is exact
constexpr double turn_seconds = simulated ? 0.0 : 2e-3;
constexpr double least_gain = 0.98;  // of the first candidate's time: a smaller gain may be noise

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

StrategyTrial::StrategyTrial(int candidates, int period)
    : candidates_(candidates),
      period_(period),
      warm_steps_(period),
      steps_per_turn_(2 * period),
      turn_(static_cast<std::size_t>(candidates)),
      samples_(static_cast<std::size_t>(candidates)),
      seconds_(static_cast<std::size_t>(candidates)) {}

bool StrategyTrial::took(const Domain& domain, std::int64_t ticks) {
    if (step_ >= warm_steps_) ticks_ += ticks;
    if (++step_ < steps_per_turn_) return false;
    end_turn();
    if (candidate_ < candidates_) return false;
    return end_round(domain);
}

void StrategyTrial::end_turn() {
    turn_[static_cast<std::size_t>(candidate_)] = seconds_of(ticks_) / (steps_per_turn_ - warm_steps_);
    ++candidate_;
    step_ = 0;
    ticks_ = 0;
}

bool StrategyTrial::end_round(const Domain& domain) {
    candidate_ = 0;
    turn_ = reduced(domain.comm(), turn_, MPI_MAX, "the times of strategies");
    if (round_ == 0) {
        const double step = *std::ranges::min_element(turn_);
        const int periods = static_cast<int>(std::ceil(turn_seconds / (step * period_)));
        steps_per_turn_ = warm_steps_ + period_ * std::clamp(periods, 1, 50);
    } else {
        for (std::size_t c = 0; c < samples_.size(); ++c) samples_[c].push_back(turn_[c]);
    }
    if (++round_ < rounds) return false;
    decide();
    return true;
}

void StrategyTrial::decide() {
    over_ = true;
    std::vector<double> ratios;  // to the first candidate in the same round: what else the machine does goes into both
    for (const std::vector<double>& samples : samples_) {
        std::vector<double> of_rounds;
        for (std::size_t r = 0; r < samples.size(); ++r) of_rounds.push_back(samples[r] / samples_[0][r]);
        ratios.push_back(median(of_rounds));
    }
    for (std::size_t c = 0; c < samples_.size(); ++c) seconds_[c] = median(samples_[c]);
    const auto best = std::ranges::min_element(ratios);
    winner_ = *best < least_gain ? static_cast<int>(best - ratios.begin()) : 0;
}

}  // namespace lapwing
