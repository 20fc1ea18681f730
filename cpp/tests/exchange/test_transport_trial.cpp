// The trial of transports, with times that are made up: what it takes on quiet and on busy machines.
#include "exchange/transport_trial.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

using namespace lapwing;

namespace {

struct Found {
    int winner = -1;
    int samples = 0;
};

// Runs a trial to its end, or to `most` seconds; `sample(way)`: seconds of an exchange, which runs once more before it.
Found tried(std::vector<double> handicaps, int usual, const std::function<double(int)>& sample, double most = 1e30) {
    TransportTrial trial(std::move(handicaps), usual);
    Found found;
    double spent = 0;
    for (bool over = false; !over; ++found.samples) {
        const double seconds = sample(trial.way());
        spent += 2 * seconds;
        over = trial.took(seconds) || trial.out_of_time(spent, most);
    }
    found.winner = trial.stop();
    return found;
}

Found tried(const std::vector<double>& seconds, int usual = 0) {
    return tried(std::vector<double>(seconds.size(), 1.0), usual, [&](int way) { return seconds[way]; });
}

// Samples of ways on a machine with other work: each differs by some percent, many wait for a slice of the core's time
// that other work gets, and for some turns, as for other cores, a way takes longer.
class Machine {
  public:
    Machine(std::vector<double> seconds, double busy, std::mt19937& random)
        : seconds_(std::move(seconds)), busy_(busy), slow_(seconds_.size(), 0), random_(random) {}

    double sample(int way) {
        if (slow_[way] > 0) --slow_[way];
        if (slow_[way] == 0 && chance(0.03)) slow_[way] = std::uniform_int_distribution(1, 5)(random_);
        double taken = seconds_[way] * std::lognormal_distribution(0.0, 0.04)(random_) * (slow_[way] > 0 ? 1.7 : 1.0);
        if (chance(busy_)) taken += std::exponential_distribution(1 / 4e-3)(random_);
        return taken;
    }

  private:
    bool chance(double share) { return std::uniform_real_distribution(0.0, 1.0)(random_) < share; }

    std::vector<double> seconds_;
    double busy_;
    std::vector<int> slow_;  // turns that are left
    std::mt19937& random_;
};

// The largest ratio of the time of what was taken to the time of the best, of choices among the usual way and four.
double worst_of(int choices, double busy, double least, double most, std::mt19937& random) {
    double worst = 0;
    for (int n = 0; n < choices; ++n) {
        std::vector<double> seconds{3e-3};
        for (int way = 1; way < 5; ++way)
            seconds.push_back(3e-3 * std::exp(std::uniform_real_distribution(std::log(least), std::log(most))(random)));
        Machine machine(seconds, busy, random);
        const auto sample = [&](int way) { return machine.sample(way); };
        const Found found = tried(std::vector<double>(5, 1.0), 0, sample, trial_seconds(3e-3));
        worst = std::max(worst, seconds[found.winner] / *std::ranges::min_element(seconds));
    }
    return worst;
}

}  // namespace

TEST_CASE("the usual way stays unless another one takes nine tenths of its time") {
    REQUIRE(tried({1e-3, 0.95e-3, 2e-3}).winner == 0);
    REQUIRE(tried({1e-3, 1e-3, 1e-3}).winner == 0);
    REQUIRE(tried({1e-3, 0.88e-3, 2e-3}).winner == 1);
    REQUIRE(tried({1e-3, 0.88e-3, 0.5e-3}).winner == 2);
    REQUIRE(tried({1e-3, 2e-3, 0.95e-3}, 1).winner == 2);
    REQUIRE(tried({1e-3}).winner == 0);
}

TEST_CASE("without a usual way the fastest is taken") {
    REQUIRE(tried({1e-3, 0.99e-3, 2e-3}, -1).winner == 1);
    REQUIRE(tried({1e-3}, -1).winner == 0);
}

TEST_CASE("a handicap counts") {
    const auto sample = [](int way) { return way == 0 ? 1e-3 : 0.8e-3; };
    REQUIRE(tried({1.0, 1.2}, 0, sample).winner == 0);
    REQUIRE(tried({1.0, 1.1}, 0, sample).winner == 1);
}

TEST_CASE("hopeless ways leave after five turns, others that cannot win after twenty, and a change needs thirty") {
    REQUIRE(tried({1e-3, 1.2e-3, 3e-3}).samples == 5 * 3 + 15 * 2);
    REQUIRE(tried({1e-3, 1.2e-3, 2e-3}).samples == 20 * 3);
    REQUIRE(tried({1e-3, 1.2e-3, 0.5e-3}).samples == 20 * 3 + 10 * 2);
}

// Three turns in which a slower way was faster would have been enough for a long exchange.
TEST_CASE("a way that is faster for a few turns only is not taken") {
    for (const int lucky : {1, 3, 5, 12}) {
        const auto sample = [&, turn = std::vector<int>(2, 0)](int way) mutable {
            return way == 1 && turn[way]++ < lucky ? 2e-3 : way == 1 ? 9e-3 : 3e-3;
        };
        REQUIRE(tried({1, 1}, 0, sample).winner == 0);
    }
}

TEST_CASE("a trial that is stopped keeps the usual way unless another one has won") {
    TransportTrial trial({1, 1}, 0);
    for (int turn = 1; turn <= 29; ++turn)
        for (int n = 0; n < 2; ++n) static_cast<void>(trial.took(trial.way() == 0 ? 2e-3 : 1e-3));
    REQUIRE(trial.turns() == 29);
    REQUIRE(trial.stop() == 0);
}

TEST_CASE("a trial has time for the turns that a change needs, however long an exchange takes") {
    for (const double usual : {1e-3, 3e-3, 8e-3, 20e-3, 1.0}) {
        for (const int ways : {2, 5, 10}) {
            CAPTURE(usual, ways);
            const auto sample = [&](int way) { return way == 1 ? 0.3 * usual : usual; };
            REQUIRE(tried(std::vector<double>(ways, 1.0), 0, sample, trial_seconds(usual)).winner == 1);
        }
    }
}

TEST_CASE("the worst of a thousand choices is near the best, on quiet and on busy machines") {
    std::mt19937 random(1);
    for (const double busy : {0.0, 0.1, 0.3}) {
        CAPTURE(busy);
        CHECK(worst_of(1000, busy, 1.0, 3.5, random) <= 1.15);  // the usual way is the best
        CHECK(worst_of(1000, busy, 0.3, 0.8, random) <= 1.15);  // it is not
        CHECK(worst_of(1000, busy, 0.3, 3.5, random) <= 1.15);
    }
}
