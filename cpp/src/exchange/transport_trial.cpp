#include "exchange/transport_trial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace lapwing {

namespace {

// Another way is clearly faster than the usual one if it takes this share of its time or less, by the typical times and
// by the quick ones, and less time in most turns. Without a usual one, ways that take longer leave.
constexpr double clearly = 0.9, most_of_turns = 0.6, behind = 1.3;

// A way leaves early only if even its least time is this multiple of the usual one's: for some turns any may be slow.
constexpr double hopeless = 2.5;

// A ratio of n samples may be off by this multiple of their spread, over the root of n; by half at most.
constexpr double doubt_of_spread = 4, most_doubt = 0.5;

constexpr int turns_of_round = 5;                          // enough for a quartile
constexpr int early = 4;                                   // rounds before which only hopeless ways leave
constexpr double most_seconds = 1, most_exchanges = 1000;  // of a trial, whichever is longer
constexpr int least_rounds = 6, most_rounds = 24;  // for a change; until it is clear, and else the usual way stays

// Returns the sample below which a share of all lies.
double quantile(std::vector<double> samples, double share) {
    const auto at = samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size()));
    std::ranges::nth_element(samples, at);
    return *at;
}

double quick(const std::vector<double>& samples) { return quantile(samples, 0.25); }
double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }

// Half of what lies between the quartiles, over the median.
double spread(const std::vector<double>& samples) {
    return (quantile(samples, 0.75) - quick(samples)) / 2 / median(samples);
}

}  // namespace

double trial_seconds(double usual) { return std::max(most_seconds, most_exchanges * usual); }

TransportTrial::TransportTrial(std::vector<double> handicaps, int usual, bool middle)
    : usual_(usual), winner_(std::max(usual, 0)), middle_(middle) {
    for (const double handicap : handicaps) {
        order_.push_back(static_cast<int>(ways_.size()));
        ways_.push_back({handicap});
    }
}

bool TransportTrial::took(double seconds) {
    Way& one = ways_[way()];
    one.samples.push_back(one.handicap * seconds);
    if (++place_ < order_.size()) return false;
    place_ = 0;
    std::ranges::reverse(order_);
    if (++turns_ % turns_of_round == 0) end_round();
    return over_;
}

bool TransportTrial::out_of_time(double spent, double most) const { return turns_ > 0 && spent > most; }

int TransportTrial::stop() {
    if (!over_) decide();
    over_ = true;
    return winner_;
}

double TransportTrial::seconds(int way) const {
    const std::vector<double>& samples = ways_[way].samples;
    return middle_ ? median(samples) : quick(samples);
}

void TransportTrial::end_round() {
    const int rounds = turns_ / turns_of_round, best = fastest(order_);
    const double limit = behind * seconds(best);
    std::erase_if(order_,
                  [&](int way) { return way != usual_ && (usual_ < 0 ? seconds(way) > limit : !may_win(way)); });
    over_ = order_.size() == 1 || rounds == (usual_ < 0 ? least_rounds : most_rounds);
    if (!over_ && usual_ >= 0 && rounds >= least_rounds) over_ = best != usual_ && wins(best);
    if (over_) decide();
}

void TransportTrial::decide() {
    std::vector<int> better;
    std::ranges::copy_if(order_, std::back_inserter(better), [&](int way) { return usual_ < 0 || wins(way); });
    if (!better.empty()) winner_ = fastest(better);
}

bool TransportTrial::may_win(int way) const {
    const std::vector<double>&samples = ways_[way].samples, &usual = ways_[usual_].samples;
    if (turns_ < early * turns_of_round) return std::ranges::min(samples) <= hopeless * quick(usual);
    const double least = std::min(median(samples) / median(usual), quick(samples) / quick(usual));
    const double doubt = doubt_of_spread * std::hypot(spread(samples), spread(usual)) / std::sqrt(turns_);
    return least * (1 - std::min(doubt, most_doubt)) <= clearly;
}

bool TransportTrial::wins(int way) const {
    if (way == usual_ || turns_ < least_rounds * turns_of_round) return false;
    const std::vector<double>&samples = ways_[way].samples, &usual = ways_[usual_].samples;
    int faster = 0;
    for (int turn = 0; turn < turns_; ++turn) faster += samples[turn] < usual[turn] ? 1 : 0;
    return median(samples) <= clearly * median(usual) && quick(samples) <= clearly * quick(usual) &&
           faster >= most_of_turns * turns_;
}

int TransportTrial::fastest(const std::vector<int>& ways) const {
    return *std::ranges::min_element(ways, {}, [&](int way) { return seconds(way); });
}

}  // namespace lapwing
