#pragma once
// Finding the fastest of several programs by running real steps with each in turn.

#include <cstdint>
#include <string>
#include <vector>

#include "lapwing/domain.hpp"

namespace lapwing {

// Deals steps out to candidates, in rounds, and takes their times. All results are the same on all ranks, as the
// numbers that they rest on are reduced. The first candidate is the one that others must beat.
class StrategyTrial {
  public:
    // `period`: steps after which every candidate is where it began. Local.
    StrategyTrial(int candidates, int period);

    // The candidate of the coming step. Local.
    [[nodiscard]] int candidate() const { return candidate_; }
    // Whether the coming step is not the last of its candidate's turn. Local.
    [[nodiscard]] bool goes_on() const { return step_ + 1 < steps_per_turn_; }
    [[nodiscard]] bool over() const { return over_; }

    // A step of the candidate took so many ticks. True when that has ended the trial. Collective where a turn of all
    // candidates is over: one reduction.
    bool took(const Domain& domain, std::int64_t ticks);

    // The fastest candidate, and the seconds per step of each: medians over rounds of the slowest rank. Local.
    [[nodiscard]] int winner() const { return winner_; }
    [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

  private:
    void end_turn();
    bool end_round(const Domain& domain);
    void decide();

    int candidates_, period_;
    int warm_steps_, steps_per_turn_;
    int candidate_ = 0, step_ = 0, round_ = 0, winner_ = 0;
    bool over_ = false;
    std::int64_t ticks_ = 0;
    std::vector<double> turn_;                  // seconds per step of each candidate in this round
    std::vector<std::vector<double>> samples_;  // [candidate], of all rounds but the first
    std::vector<double> seconds_;
};

}  // namespace lapwing
