#pragma once
// Finding the fastest of several ways of an exchange by the times of alternating samples; no clock and no MPI.

#include <cstddef>
#include <vector>

namespace lapwing {

// Returns the time of a trial, s, where the usual exchange takes this long: enough for the turns that a change needs,
// among ten ways that are as slow as the usual one.
double trial_seconds(double usual);

// Takes times of samples, turn after turn of one sample of each way that is still in. Begins from the way that a
// machine is known for: it stays unless another one is clearly faster in several rounds of turns, as few turns tell
// about the moment. The more the samples differ, the more rounds there are. A way leaves when it cannot be clearly
// faster.
class TransportTrial {
  public:
    // `handicaps`: the factor on the time of each way, one at least. `usual`: number of the way that is known, which is
    // in all turns; -1: the fastest one is taken. `middle`: the median time counts instead of the lower quartile, for
    // samples that are sometimes lucky. Local.
    TransportTrial(std::vector<double> handicaps, int usual, bool middle = false);

    // The way of the coming sample. Every other turn goes backwards, so that a drift favours none. Local.
    [[nodiscard]] int way() const { return order_[place_]; }
    // Notes the time of a sample of it, s; true when that has ended the trial. Local.
    bool took(double seconds);

    // Turns of which all samples are there. Local.
    [[nodiscard]] int turns() const { return turns_; }

    // True if a trial with this time, as trial_seconds tells it, has to stop now that it has taken `spent`, both in s:
    // after four times as long if there have not been the turns that a change needs. Local.
    [[nodiscard]] bool out_of_time(double spent, double most) const;

    // Ends the trial, after a whole turn at least, and returns the way to take. Local.
    int stop();
    // The typical time of a way that had a turn, handicap included, s. Local.
    [[nodiscard]] double seconds(int way) const;

  private:
    struct Way {
        double handicap = 1;
        std::vector<double> samples{};  // s, handicap included, in order of time
    };
    void end_round();
    void decide();
    [[nodiscard]] bool may_win(int way) const;
    [[nodiscard]] bool wins(int way) const;
    [[nodiscard]] int fastest(const std::vector<int>& ways) const;

    std::vector<Way> ways_;
    int usual_, winner_;
    bool middle_;
    std::vector<int> order_;  // ways that are in, in the order of this turn
    std::size_t place_ = 0;
    int turns_ = 0;
    bool over_ = false;
};

}  // namespace lapwing
