#pragma once
// Finding the fastest of several programs by running real steps with each in turn.

#include <cstdint>
#include <vector>

#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Deals steps out to candidates, in rounds, and takes their times; the slower half leaves after some rounds. All
// results are the same on all ranks, as the numbers that they rest on are reduced. The first candidate is the one that
// others must beat, and stays.
class StrategyTrial {
  public:
    // `periods`: of each candidate, the steps after which it is where it began; whole cycles of `cycle` steps. Local.
    StrategyTrial(std::vector<int> periods, int cycle);

    // The candidate of the coming step. Local.
    [[nodiscard]] int candidate() const { return field_[turn_]; }
    // Whether the coming step is not the last of its candidate's turn. Local.
    [[nodiscard]] bool goes_on() const { return step_ + 1 < steps_in_turn(); }

    // A step of the candidate took so many ticks. True when that has ended the trial. Collective where a turn of all
    // candidates is over: one reduction.
    bool took(const Domain& domain, std::int64_t ticks);

    // The fastest candidate; and the seconds per step of each: a median over its rounds, of the slowest rank. Local.
    [[nodiscard]] int winner() const { return winner_; }
    [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
    // The time of a candidate over that of the first, both in the same rounds: a median. By this they are judged, as
    // what else the machine does goes into both. Local.
    [[nodiscard]] double ratio(int candidate) const;
    // Whether it was there until the end. Local.
    [[nodiscard]] bool stayed(int candidate) const;
    // The round that goes on, from 1, and how many there are. Local.
    [[nodiscard]] int round() const { return round_ + 1; }
    [[nodiscard]] static int rounds();

  private:
    struct Candidate {
        int period = 1;
        int measured_steps = 1;       // in a turn
        std::vector<double> samples;  // s per step of the slowest rank, of all rounds that it was in but the first
    };
    [[nodiscard]] const Candidate& current() const { return candidates_[candidate()]; }
    // A turn begins without messages on their way, and ends so: a period before what is measured, a cycle after it.
    [[nodiscard]] int first_measured() const { return current().period; }
    [[nodiscard]] int after_measured() const { return first_measured() + current().measured_steps; }
    [[nodiscard]] int steps_in_turn() const { return after_measured() + cycle_; }
    bool end_round(const Domain& domain);
    void halve();
    void decide();

    int cycle_;
    std::vector<Candidate> candidates_;
    std::vector<int> field_;     // candidates that are still in, ascending
    std::vector<double> times_;  // s per step of each of them in this round
    std::size_t turn_ = 0;
    int step_ = 0, round_ = 0, winner_ = 0;
    std::int64_t ticks_ = 0;
    std::vector<double> seconds_;
};

}  // namespace lapwing
