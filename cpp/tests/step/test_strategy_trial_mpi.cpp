// The trial of `auto`, with times that are made up: what it takes, what leaves early, how long it lasts.
#include "step/auto/strategy_trial.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "lapwing/base/ticks.hpp"

#include "schedule/strategy_candidates.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

std::int64_t ticks_in(double seconds) { return static_cast<std::int64_t>(std::llround(seconds / seconds_of(1))); }

struct Outcome {
    int winner = -1;
    std::map<int, int> steps{};  // for each candidate
    std::vector<double> seconds{};
    std::vector<double> ratios{};  // by which it was decided
    std::vector<bool> stayed{};
    double dearest = 0;  // share by which any beginning of the run was slower than by the first candidate alone
    double lost = 0;     // steps
    double others = 0;   // s with other candidates
};

// Seconds of a step of a candidate in a round, on the slowest rank.
using Seconds = std::function<double(int candidate, int round)>;

// A trial of `candidates` whose steps take these times on the last rank, and less on other ranks.
Outcome tried(const Seconds& seconds, int candidates, std::vector<int> periods, int cycle) {
    const Grid grid{{40, 30, 1}, {false, false, false}};
    Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
    const bool slowest = domain.rank() + 1 == world_size();
    StrategyTrial trial(std::move(periods), cycle);
    Outcome outcome;
    double run = 0, alone = 0, first = 0;
    for (bool over = false; !over;) {
        const int candidate = trial.candidate();
        ++outcome.steps[candidate];
        const double step = seconds(candidate, trial.round());
        run += step;
        if (candidate == 0) first = step;
        alone += first;
        outcome.dearest = std::max(outcome.dearest, run / alone - 1);
        if (candidate > 0) outcome.others += step;
        over = trial.took(domain, ticks_in(step * (slowest ? 1.0 : 0.5)));
    }
    outcome.winner = trial.winner();
    outcome.lost = trial.lost();
    for (int n = 0; n < candidates; ++n) {
        outcome.seconds.push_back(trial.seconds(n));
        outcome.ratios.push_back(trial.ratio(n));
        outcome.stayed.push_back(trial.stayed(n));
    }
    domain.close();
    return outcome;
}

// The same where a step of each candidate takes `seconds[c]` s; twice as many from round `slow_from` on.
Outcome tried(const std::vector<double>& seconds, std::vector<int> periods, int cycle, int slow_from = 1000) {
    const auto step = [&](int candidate, int round) { return (round >= slow_from ? 2.0 : 1.0) * seconds[candidate]; };
    return tried(step, static_cast<int>(std::ssize(seconds)), std::move(periods), cycle);
}

// Steps of these times on a machine with other work, which in one turn of ten takes up to half of its time.
Seconds disturbed(const std::vector<double>& seconds, std::mt19937& random) {
    return [&, turn = std::pair(-1, -1), slowness = 1.0](int candidate, int round) mutable {
        if (std::exchange(turn, std::pair(candidate, round)) != std::pair(candidate, round)) {
            slowness = std::uniform_real_distribution(1.0, 1.05)(random);
            if (std::uniform_int_distribution(0, 9)(random) == 0)
                slowness = std::uniform_real_distribution(1.0, 2.0)(random);
        }
        return seconds[candidate] * slowness;
    };
}

}  // namespace

TEST_CASE("the fastest wins, and the slower ones leave early") {
    const Outcome outcome = tried({1e-3, 2e-3, 0.8e-3, 0.9e-3, 3e-3}, {1, 1, 1, 1, 1}, 1);
    REQUIRE(outcome.winner == 2);
    REQUIRE(outcome.seconds[2] == Approx(0.8e-3).epsilon(0.01));
    REQUIRE(outcome.seconds[4] == Approx(3e-3).epsilon(0.01));
    REQUIRE(outcome.steps.at(4) < outcome.steps.at(2) / 2);
    REQUIRE(outcome.steps.at(0) > outcome.steps.at(2));  // what all are compared with is measured before each turn
    REQUIRE_FALSE(outcome.stayed[4]);
}

TEST_CASE("a run that ends at any step of the trial has lost at most a twentieth") {
    for (const double step : {1e-6, 1e-4, 1e-2, 1.0}) {
        const double slow = 2 * step, fast = 0.7 * step, same = step;
        REQUIRE(tried({step, slow, slow, slow}, {1, 1, 1, 1}, 1).dearest < 0.0501);
        REQUIRE(tried({step, slow, same, slow, fast}, {1, 8, 4, 1, 1}, 2).dearest < 0.0501);
        REQUIRE(tried({step, 1.4 * step, same, 1.3 * step}, {1, 1, 2, 1}, 1).dearest < 0.0501);
    }
}

TEST_CASE("long steps settle soon, and the trial is bounded in seconds") {
    const std::vector<int> periods(12, 1);
    std::vector<double> seconds(12, 1.1);
    seconds[0] = 1.0;
    seconds[7] = 0.8;
    const Outcome few = tried(seconds, periods, 1);
    REQUIRE(few.others < 20 + 3 * 1.1);
    int steps = 0;
    for (const auto& [candidate, count] : few.steps) steps += count;
    REQUIRE(steps < 300);
    for (double& one : seconds) one *= 1e-2;  // short enough for all rounds
    REQUIRE(tried(seconds, periods, 1).winner == 7);
}

TEST_CASE("what the trial has cost is what it tells") {
    const Outcome outcome = tried({1e-3, 1.4e-3, 1.2e-3}, {1, 1, 1}, 1);
    REQUIRE(outcome.winner == 0);
    REQUIRE(outcome.lost == Approx(outcome.steps.at(1) * 0.4 + outcome.steps.at(2) * 0.2).epsilon(0.05));
}

// The machine is twice as slow in the rounds after the slow candidates left: by its own median a candidate that left
// early would have won.
TEST_CASE("what it tells explains what it took") {
    const Outcome outcome = tried({1e-3, 0.82e-3, 0.8e-3, 0.84e-3, 0.86e-3, 0.9e-3}, {1, 1, 1, 1, 1, 1}, 1, 3);
    REQUIRE(outcome.winner == 2);
    REQUIRE_FALSE(outcome.stayed[5]);
    REQUIRE(outcome.seconds[5] < outcome.seconds[2]);  // medians of other rounds: no reason for anything
    for (std::size_t n = 1; n < outcome.ratios.size(); ++n) REQUIRE(outcome.ratios[n] >= outcome.ratios[2]);
    REQUIRE(outcome.ratios[2] == Approx(0.8).epsilon(0.01));
}

// Lucky in the rounds after which half of the places go: the other left, and what won was slower by what was told.
TEST_CASE("one that had to leave comes back when those that stayed turn out to be slower") {
    const std::vector<double> early{1e-3, 0.60e-3, 0.63e-3, 0.9e-3, 0.9e-3},
        late{1e-3, 0.73e-3, 0.63e-3, 0.9e-3, 0.9e-3};
    for (const int change : {4, 5, 6, 7}) {
        const auto step = [&](int one, int round) { return (round < change ? early : late)[one]; };
        const Outcome outcome = tried(step, 5, {1, 1, 1, 1, 1}, 1);
        REQUIRE(outcome.ratios[outcome.winner] == *std::ranges::min_element(outcome.ratios));
        if (change < 5) REQUIRE(outcome.winner == 2);
    }
}

TEST_CASE("one slow first turn makes none hopeless") {
    const auto step = [turns = 0](int one, int round) mutable {
        if (one == 2 && round == 1 && turns++ < 3) return 1.8e-3;  // all steps of its first turn
        return one == 0 ? 1e-3 : one == 1 ? 0.9e-3 : 0.7e-3;
    };
    REQUIRE(tried(step, 3, {1, 1, 1}, 1).winner == 2);
}

TEST_CASE("on a disturbed machine what is taken has the least ratio that is told, and is near the best") {
    std::mt19937 random(40);
    const std::vector<double> seconds{1e-3, 1.1e-3, 0.8e-3, 0.72e-3, 1.3e-3, 0.66e-3, 0.63e-3, 0.75e-3, 2e-3};
    double worst = 0;
    for (int n = 0; n < 200; ++n) {
        const Outcome outcome = tried(disturbed(seconds, random), 9, std::vector<int>(9, 1), 1);
        REQUIRE(outcome.ratios[outcome.winner] == *std::ranges::min_element(outcome.ratios));
        worst = std::max(worst, seconds[outcome.winner] / 0.63e-3);
    }
    CAPTURE(worst);
    REQUIRE(worst <= 1.15);
}

TEST_CASE("a gain below two percent is none") {
    REQUIRE(tried({1e-3, 0.985e-3}, {1, 1}, 1).winner == 0);
    REQUIRE(tried({1e-3, 0.97e-3}, {1, 1}, 1).winner == 1);
    REQUIRE(tried({1e-3}, {1}, 1).winner == 0);
}

TEST_CASE("a turn is a number of whole cycles, however long a step takes") {
    for (const double step : {1e-6, 1e-4, 1.0}) {
        const Outcome outcome = tried({step, 0.5 * step, 0.9 * step}, {2, 4, 16}, 2);
        REQUIRE(outcome.winner == 1);
        for (const auto& [candidate, steps] : outcome.steps) REQUIRE(steps % 2 == 0);
        REQUIRE(outcome.steps.at(0) <= 2000);
    }
}

TEST_CASE("candidates of auto: each once, by names that make them again, where there is room for their rims") {
    std::vector<Strategy> all = late_candidates();
    REQUIRE(all.front() == Strategy{});
    for (const Strategy& deep : deep_candidates()) all.push_back(deep);
    for (const Strategy& tiled : tiled_candidates()) all.push_back(tiled);
    for (const Strategy& one : all) {
        REQUIRE(std::ranges::count(all, one) == 1);
        REQUIRE(parse_strategy(to_string(one)) == one);
    }
    const Box owned{{10, 10, 0}, {30, 20, 1}};
    REQUIRE(has_room(owned, grow(owned, Extent::horizontal(10)), Extent::horizontal(10)));
    REQUIRE_FALSE(has_room(owned, grow(owned, Extent::horizontal(9)), Extent::horizontal(10)));   // memory
    REQUIRE_FALSE(has_room(owned, grow(owned, Extent::horizontal(11)), Extent::horizontal(11)));  // beyond the next box
    REQUIRE(period_of(parse_strategy("deep:4"), 2) == 4);
    REQUIRE(period_of(parse_strategy("deep:3"), 2) == 6);
    REQUIRE(period_of(Strategy{}, 2) == 2);
}
