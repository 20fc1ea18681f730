#pragma once
// Finding the fastest of several programs by running real steps with each in turn.

#include <cstdint>
#include <vector>

#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Distributes steps among candidates, in rounds, and takes their times; after some rounds there are places for half of
// them, for the best of all by their numbers so far: one that left returns when those that stayed turn out to be
// slower. The first candidate is the reference that the rest must beat. It runs in between, so long that the cost of
// the others so far, and the possible cost of the next one, is at most a twentieth of all steps: a run that ends within
// the trial has lost no more. All results are the same on all ranks, as the numbers that they rest on are reduced.
class StrategyTrial {
  public:
    // `periods`: for each candidate, the steps after which it is back where it began; whole cycles of `cycle` steps.
    // Local.
    StrategyTrial(std::vector<int> periods, int cycle);

    // The candidate of the coming step. Local.
    [[nodiscard]] int candidate() const { return resting_ ? 0 : field_[turn_]; }
    // Steps that are left of the turn of its candidate. Local.
    [[nodiscard]] int left_in_turn() const { return steps_in_turn() - step_; }

    // Notes the ticks of a step of the candidate; true when that has ended the trial. Collective, with a reduction, at
    // the end of a turn of any candidate but the first, and after the first one's first measurement.
    bool took(const Domain& domain, std::int64_t ticks);

    // The fastest candidate; and the seconds per step of each: a median over its turns, of the slowest rank. Local.
    [[nodiscard]] int winner() const { return winner_; }
    [[nodiscard]] double seconds(int candidate) const;
    // The median ratio of a candidate's time to the time of the first right before it. It decides, as other work of the
    // machine affects both times. Local.
    [[nodiscard]] double ratio(int candidate) const;
    // True if the candidate took part in the last round. Local.
    [[nodiscard]] bool stayed(int candidate) const;
    // The round that goes on, from 1, and how many there are at most. Local.
    [[nodiscard]] int round() const { return round_ + 1; }
    [[nodiscard]] static int rounds();
    // Steps so far, and how many steps of the first candidate longer they took than by it alone. Local.
    [[nodiscard]] int steps() const { return steps_; }
    [[nodiscard]] double lost() const { return lost_; }

  private:
    struct Candidate {
        int period = 1;
        int measured_steps = 1;           // in a turn
        double expected = 1;              // its ratio, by its last turn, or the least of its turns in the first round
        int looks = 0;                    // turns in the first round
        std::vector<double> ratios{};     // one for each of its turns, except for the first, which is short
        std::vector<double> durations{};  // s per step of the slowest rank, in the same turns
    };
    [[nodiscard]] const Candidate& current() const { return candidates_[field_[turn_]]; }
    // A turn begins without messages on their way, and ends so: a period before what is measured, a cycle after it.
    [[nodiscard]] int steps_of(const Candidate& one) const { return one.period + one.measured_steps + cycle_; }
    [[nodiscard]] int steps_in_turn() const { return resting_ ? rest_steps_ : steps_of(current()); }
    [[nodiscard]] int first_measured() const;
    void rest();
    void shorten(const Domain& domain, double seconds);
    bool end_turn(const Domain& domain, double seconds);
    bool note(Candidate& one, double reference, double seconds);
    bool end_round();
    [[nodiscard]] bool over() const;
    [[nodiscard]] bool sure() const;
    void lengthen();
    void halve();
    void admit();
    [[nodiscard]] int best() const;
    void decide();

    int cycle_;
    std::vector<Candidate> candidates_;
    std::vector<int> field_;  // candidates other than the first that are in this round, ascending
    std::size_t places_ = 0;  // in a round
    std::size_t turn_ = 0;
    bool begun_ = false;   // true if the first candidate has been measured
    bool resting_ = true;  // true if the first candidate runs, before a turn of another
    int rest_steps_ = 1;
    int step_ = 0, round_ = 0, winner_ = 0, steps_ = 0;
    std::int64_t ticks_ = 0;
    double reference_ = 0;           // s per step of the first candidate before this turn, on this rank
    double lost_ = 0, seconds_ = 0;  // steps; s of others than the first
};

}  // namespace lapwing
