#include "step/auto/strategy_trial.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/base/simulated.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr int all_rounds = 8;          // the first of them only finds out how long a turn must be
constexpr double turn_seconds = 3e-3;  // at first: long against the clock and what a scheduler does
// that are measured in a turn at first; simulated time is exact, but simulating it takes long
constexpr int least_steps = 4, most_steps = simulated ? 24 : 100;
constexpr double least_gain = 0.98;  // of the first candidate's time: a smaller gain may be noise

// Those that cannot win cost as much as those that can, so they leave early; the others get their time, as it takes
// many steps until ranks that wait for each other have found their pace.
constexpr bool halves_after(int round) { return round == 2 || round == 4; }

double median(std::vector<double> values) {
    const auto middle = values.begin() + (values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The least number of steps in whole periods that is not below `steps`.
int whole_periods(double steps, int period) { return period * static_cast<int>(std::ceil(steps / period)); }

}  // namespace

StrategyTrial::StrategyTrial(std::vector<int> periods, int cycle) : cycle_(cycle), seconds_(periods.size()) {
    for (const int period : periods) {
        field_.push_back(static_cast<int>(candidates_.size()));
        candidates_.push_back({period, whole_periods(least_steps, period), {}});
    }
    times_.resize(field_.size());
}

bool StrategyTrial::took(const Domain& domain, std::int64_t ticks) {
    if (step_ >= first_measured() && step_ < after_measured()) ticks_ += ticks;
    if (++step_ < steps_in_turn()) return false;
    times_[turn_] = seconds_of(ticks_) / current().measured_steps;
    step_ = 0;
    ticks_ = 0;
    if (++turn_ < field_.size()) return false;
    turn_ = 0;
    return end_round(domain);
}

bool StrategyTrial::end_round(const Domain& domain) {
    times_ = reduced(domain.comm(), times_, MPI_MAX, "the times of strategies");
    for (std::size_t n = 0; n < field_.size(); ++n) {
        Candidate& one = candidates_[field_[n]];
        if (round_ > 0) {
            one.samples.push_back(times_[n]);
        } else {
            const double steps = std::clamp<double>(turn_seconds / times_[n], least_steps, most_steps);
            one.measured_steps = whole_periods(steps, one.period);
        }
    }
    if (halves_after(round_)) halve();
    if (++round_ < all_rounds) return false;
    decide();
    return true;
}

int StrategyTrial::rounds() { return all_rounds; }

bool StrategyTrial::stayed(int candidate) const { return std::ranges::count(field_, candidate) > 0; }

double StrategyTrial::ratio(int candidate) const {
    const std::vector<double>& samples = candidates_[candidate].samples;
    std::vector<double> of_rounds;
    for (std::size_t r = 0; r < samples.size(); ++r) of_rounds.push_back(samples[r] / candidates_[0].samples[r]);
    return median(of_rounds);
}

void StrategyTrial::halve() {
    std::ranges::stable_sort(field_.begin() + 1, field_.end(), {}, [&](int one) { return ratio(one); });
    field_.resize(1 + field_.size() / 2);
    std::ranges::sort(field_);
    times_.resize(field_.size());
    for (const int one : field_) candidates_[one].measured_steps *= 2;
}

void StrategyTrial::decide() {
    for (std::size_t c = 0; c < candidates_.size(); ++c) seconds_[c] = median(candidates_[c].samples);
    if (field_.size() < 2) return;
    const int best =
        *std::ranges::min_element(field_.begin() + 1, field_.end(), {}, [&](int one) { return ratio(one); });
    if (ratio(best) < least_gain) winner_ = best;
}

}  // namespace lapwing
