#include "step/auto/strategy_trial.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr int all_rounds = 6;          // the first of them finds out how long a turn must be, and who is hopeless
constexpr double turn_seconds = 1e-3;  // at first: long against the clock and what a scheduler does
constexpr int least_steps = 1, first_steps = 4, most_steps = 40;  // that are measured in a turn at first
constexpr double least_gain = 0.98;  // share of the first candidate's time: a smaller gain may be noise
constexpr double hopeless = 1.5;     // multiple of the first candidate's time, in the first turn
constexpr double allowed = 0.05;     // share of all steps that the trial may cost
constexpr double unknown = 2.0;      // the ratio that a candidate may have before its first turn
constexpr double counted = 3.0;      // a ratio beyond is the machine's doing, and would stop the trial for long
constexpr double most_seconds = 20;  // with others than the first

// Candidates that cannot win cost as much as good ones, so they leave early; the rest get more time, as it takes many
// steps until ranks that wait for each other have found their pace.
constexpr bool halves_after(int round) { return round == 1 || round == 2; }

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The least number of steps in whole periods that is not below `steps`.
int whole_periods(double steps, int period) { return period * static_cast<int>(std::ceil(steps / period)); }

}  // namespace

StrategyTrial::StrategyTrial(std::vector<int> periods, int cycle) : cycle_(cycle) {
    for (const int period : periods) {
        if (!candidates_.empty()) field_.push_back(static_cast<int>(candidates_.size()));
        candidates_.push_back({period, whole_periods(first_steps, period), unknown});
    }
    candidates_[0].expected = 1;
    if (!field_.empty()) rest();
}

int StrategyTrial::rounds() { return all_rounds; }

int StrategyTrial::first_measured() const {
    return resting_ ? rest_steps_ - current().measured_steps : current().period;
}

// Before a turn, so long that it may be afforded, and that the first candidate is measured too.
void StrategyTrial::rest() {
    const Candidate& next = current();
    const int turn = steps_of(next);
    const double affords = (lost_ + turn * (std::clamp(next.expected, 1.0, counted) - 1)) / allowed - steps_ - turn;
    rest_steps_ = whole_periods(std::max<double>(next.measured_steps + cycle_, affords), cycle_);
    resting_ = true;
}

bool StrategyTrial::took(const Domain& domain, std::int64_t ticks) {
    ++steps_;
    if (field_.empty()) return true;
    const int first = first_measured();
    if (step_ >= first && step_ < first + current().measured_steps) ticks_ += ticks;
    if (++step_ < steps_in_turn()) return false;
    const double seconds = seconds_of(ticks_) / current().measured_steps;
    step_ = 0;
    ticks_ = 0;
    if (!resting_) return end_turn(domain, seconds);
    if (!begun_) shorten(domain, seconds);
    reference_ = seconds;
    resting_ = false;
    return false;
}

// Long steps need no mean.
void StrategyTrial::shorten(const Domain& domain, double seconds) {
    begun_ = true;
    const double slowest = reduced(domain.comm(), seconds, MPI_MAX, "the time of the first strategy");
    for (const int one : field_) {
        const double steps = std::clamp<double>(turn_seconds / slowest, least_steps, first_steps);
        candidates_[one].measured_steps = whole_periods(steps, candidates_[one].period);
    }
}

bool StrategyTrial::end_turn(const Domain& domain, double seconds) {
    const std::vector<double> both =
        reduced(domain.comm(), std::vector<double>{reference_, seconds}, MPI_MAX, "the times of strategies");
    Candidate& one = candidates_[field_[turn_]];
    one.expected = both[1] / both[0];
    lost_ += steps_of(one) * (std::min(one.expected, counted) - 1);
    seconds_ += steps_of(one) * both[1];
    if (round_ > 0) {
        one.ratios.push_back(one.expected);
        one.durations.push_back(both[1]);
        candidates_[0].durations.push_back(both[0]);
    } else {
        const double steps = std::clamp<double>(turn_seconds / both[0], least_steps, most_steps);
        one.measured_steps = whole_periods(steps, one.period);
        if (candidates_[0].durations.empty()) candidates_[0].durations.push_back(both[0]);
    }
    if (++turn_ == field_.size() || seconds_ > most_seconds) {
        if (end_round()) return true;
    }
    rest();
    return false;
}

bool StrategyTrial::end_round() {
    turn_ = 0;
    if (round_ == 0) std::erase_if(field_, [&](int one) { return candidates_[one].expected > hopeless; });
    if (halves_after(round_)) halve();
    if (++round_ < all_rounds && !field_.empty() && seconds_ <= most_seconds) return false;
    decide();
    return true;
}

bool StrategyTrial::stayed(int candidate) const { return candidate == 0 || std::ranges::count(field_, candidate) > 0; }

double StrategyTrial::ratio(int candidate) const {
    const Candidate& one = candidates_[candidate];
    return one.ratios.empty() ? one.expected : median(one.ratios);
}

double StrategyTrial::seconds(int candidate) const {
    const std::vector<double>& durations = candidates_[candidate].durations;
    if (!durations.empty()) return median(durations);
    return candidate == 0 ? reference_ : ratio(candidate) * seconds(0);
}

void StrategyTrial::halve() {
    std::ranges::stable_sort(field_, {}, [&](int one) { return ratio(one); });
    field_.resize((field_.size() + 1) / 2);
    std::ranges::sort(field_);
    for (const int one : field_) candidates_[one].measured_steps *= 2;
}

void StrategyTrial::decide() {
    if (field_.empty()) return;
    const int best = *std::ranges::min_element(field_, {}, [&](int one) { return ratio(one); });
    if (ratio(best) < least_gain) winner_ = best;
}

}  // namespace lapwing
