// The trial of `auto`, with times that are made up: what it takes, what leaves early, how long it lasts.
#include "step/auto/strategy_trial.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "lapwing/base/ticks.hpp"

#include "schedule/strategy_candidates.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

std::int64_t ticks_in(double seconds) { return static_cast<std::int64_t>(std::llround(seconds / seconds_of(1))); }

struct Outcome {
    int winner = -1;
    std::map<int, int> steps{};  // of each candidate
    std::vector<double> seconds{};
    std::vector<double> ratios{};  // by which it was decided
    std::vector<bool> stayed{};
};

// A trial in which a step of each candidate takes so many seconds on the last rank, and less on the others; twice as
// many from round `slow_from` on.
Outcome tried(const std::vector<double>& seconds, std::vector<int> periods, int cycle, int slow_from = 1000) {
    const Grid grid{{40, 30, 1}, {false, false, false}};
    Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
    const bool slowest = domain.rank() + 1 == world_size();
    StrategyTrial trial(std::move(periods), cycle);
    Outcome outcome;
    for (bool over = false; !over;) {
        const int candidate = trial.candidate();
        ++outcome.steps[candidate];
        const double slowness = trial.round() >= slow_from ? 2.0 : 1.0;
        over = trial.took(domain, ticks_in(slowness * seconds[candidate] * (slowest ? 1.0 : 0.5)));
    }
    outcome.winner = trial.winner();
    outcome.seconds = trial.seconds();
    for (int n = 0; n < std::ssize(seconds); ++n) {
        outcome.ratios.push_back(trial.ratio(n));
        outcome.stayed.push_back(trial.stayed(n));
    }
    domain.close();
    return outcome;
}

}  // namespace

TEST_CASE("the fastest wins, and the slower ones leave early") {
    const Outcome outcome = tried({1e-3, 2e-3, 0.8e-3, 0.9e-3, 3e-3}, {1, 1, 1, 1, 1}, 1);
    REQUIRE(outcome.winner == 2);
    REQUIRE(outcome.seconds[2] == Approx(0.8e-3).epsilon(0.01));
    REQUIRE(outcome.seconds[4] == Approx(3e-3).epsilon(0.01));
    REQUIRE(outcome.steps.at(4) < outcome.steps.at(2) / 2);
    REQUIRE(outcome.steps.at(0) >= 8 * (1 + 4 + 1));  // what all are compared with stays for all rounds
}

// The machine is twice as slow in the rounds after the slow candidates left: by its own median a candidate that left
// early would have won.
TEST_CASE("what it tells explains what it took") {
    const Outcome outcome = tried({1e-3, 0.82e-3, 0.8e-3, 0.84e-3, 0.86e-3, 0.9e-3}, {1, 1, 1, 1, 1, 1}, 1, 4);
    REQUIRE(outcome.winner == 2);
    REQUIRE_FALSE(outcome.stayed[5]);
    REQUIRE(outcome.seconds[5] < outcome.seconds[2]);  // medians of other rounds: no reason for anything
    for (std::size_t n = 1; n < outcome.ratios.size(); ++n) REQUIRE(outcome.ratios[n] >= outcome.ratios[2]);
    REQUIRE(outcome.ratios[2] == Approx(0.8).epsilon(0.01));
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
    for (const Strategy& one : all) {
        REQUIRE(std::ranges::count(all, one) == 1);
        REQUIRE(parse_strategy(to_string(one)) == one);
    }
    const Box owned{{10, 10, 0}, {30, 20, 1}};
    REQUIRE(has_room(owned, grow(owned, Extent::horizontal(10)), Extent::horizontal(10)));
    REQUIRE_FALSE(has_room(owned, grow(owned, Extent::horizontal(9)), Extent::horizontal(10)));   // memory
    REQUIRE_FALSE(has_room(owned, grow(owned, Extent::horizontal(11)), Extent::horizontal(11)));  // beyond the next box
    REQUIRE(period_of(parse_strategy("deep(4)"), 2) == 4);
    REQUIRE(period_of(parse_strategy("deep(3)"), 2) == 6);
    REQUIRE(period_of(Strategy{}, 2) == 2);
}
