#include "step/auto/strategy_trial.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr int least_rounds = 6;        // the first of them finds out how long a turn must be, and who is hopeless
constexpr int most_rounds = 12;        // there are more than the least until the best is sure
constexpr std::size_t sure_turns = 4;  // of the best, as the numbers of few turns may be luck
constexpr int first_looks = 2;         // at a candidate that seems hopeless: other work may be to blame for one turn
constexpr double turn_seconds = 1e-3;  // at first: long against the clock and what a scheduler does
constexpr int least_steps = 1, first_steps = 4, most_steps = 40;  // steps measured in a turn at first
constexpr double least_gain = 0.98;  // share of the first candidate's time: a smaller gain may be noise
constexpr double hopeless = 1.5;     // multiple of the first candidate's time, in the first turn
constexpr double allowed = 0.05;     // share of all steps that the trial may cost
constexpr double unknown = 2.0;      // the ratio that a candidate may have before its first turn
constexpr double counted = 3.0;      // a ratio beyond is the machine's doing, and would stop the trial for long
constexpr double most_seconds = 20;  // time for candidates other than the first

// Candidates that cannot win cost as much as good ones, so there are places for half of them after these rounds; these
// get more time, as it takes many steps until ranks that wait for each other have found their pace.
constexpr bool halves_after(int round) { return round == 1 || round == 2; }

// The mean of the two in the middle where their number is even: the larger one alone would be worse luck of two turns.
double median(std::vector<double> values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
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
    places_ = field_.size();
    if (!field_.empty()) rest();
}

int StrategyTrial::rounds() { return most_rounds; }

int StrategyTrial::first_measured() const {
    return resting_ ? rest_steps_ - current().measured_steps : current().period;
}

// Waits before a turn until the turn is affordable, and long enough to measure the first candidate too.
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
    lost_ += steps_of(one) * (std::min(both[1] / both[0], counted) - 1);
    seconds_ += steps_of(one) * both[1];
    const bool over = note(one, both[0], both[1]) || seconds_ > most_seconds;
    if (over && (++turn_ == field_.size() || seconds_ > most_seconds)) {
        if (end_round()) return true;
    }
    rest();
    return false;
}

// True unless the same candidate has another turn next.
bool StrategyTrial::note(Candidate& one, double reference, double seconds) {
    const double ratio = seconds / reference;
    if (round_ == 0) {
        if (candidates_[0].durations.empty()) candidates_[0].durations.push_back(reference);
        one.expected = one.looks == 0 ? ratio : std::min(ratio, one.expected);
        return ++one.looks == first_looks || ratio <= hopeless;
    }
    one.expected = ratio;
    one.ratios.push_back(ratio);
    one.durations.push_back(seconds);
    candidates_[0].durations.push_back(reference);
    return true;
}

bool StrategyTrial::end_round() {
    turn_ = 0;
    if (round_ == 0) lengthen();
    if (halves_after(round_)) halve();
    admit();
    ++round_;
    if (round_ < most_rounds && !over()) return false;
    decide();
    return true;
}

bool StrategyTrial::over() const {
    return field_.empty() || seconds_ > most_seconds || (round_ >= least_rounds && sure());
}

// True if another round could change little: the best has been measured often, or none is worth leaving the first.
bool StrategyTrial::sure() const {
    const int one = best();
    return ratio(one) >= least_gain || candidates_[one].ratios.size() >= sure_turns;
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

// Turns as long as the clock and what a scheduler does demand.
void StrategyTrial::lengthen() {
    const double steps = std::clamp<double>(turn_seconds / seconds(0), least_steps, most_steps);
    for (const int one : field_) candidates_[one].measured_steps = whole_periods(steps, candidates_[one].period);
    const auto fair = std::ranges::count_if(field_, [&](int one) { return ratio(one) <= hopeless; });
    places_ = static_cast<std::size_t>(fair);
}

void StrategyTrial::halve() {
    places_ = (places_ + 1) / 2;
    for (Candidate& one : candidates_ | std::views::drop(1)) one.measured_steps *= 2;
}

// The places of a round go to the best of all candidates by their numbers so far, so that one that had to leave
// comes back as soon as those that stayed turn out to be slower.
void StrategyTrial::admit() {
    field_.clear();
    for (int one = 1; one < std::ssize(candidates_); ++one)
        if (ratio(one) <= hopeless) field_.push_back(one);
    std::ranges::stable_sort(field_, {}, [&](int one) { return ratio(one); });
    field_.resize(std::min(field_.size(), places_));
    std::ranges::sort(field_);
}

// Of all, whether they are still in or not: what is taken has the least of the ratios that are told.
int StrategyTrial::best() const {
    int least = 1;
    for (int one = 2; one < std::ssize(candidates_); ++one)
        if (ratio(one) < ratio(least)) least = one;
    return least;
}

void StrategyTrial::decide() {
    if (ratio(best()) < least_gain) winner_ = best();
}

}  // namespace lapwing
