#include "schedule/strategy_candidates.hpp"

#include <algorithm>
#include <numeric>

namespace lapwing {

namespace {

// Parts of the middle in which messages are seen soon enough, and tasks still cost nothing.
constexpr int fine_tiles = 4;
// Shares of the middle behind the first phase: the best one is small where the second phase takes longer, and large
// where the sides are enough to hide it.
constexpr double small_share = 0.3;
constexpr double large_share = 0.7;

}  // namespace

std::vector<Strategy> late_candidates() {
    return {{},
            {.order = Order::edge_first},
            {.order = Order::dataflow},
            {.order = Order::dataflow, .tiles = fine_tiles},
            {.order = Order::six_alpha, .alpha = small_share},
            {.order = Order::six_alpha, .alpha = large_share}};
}

std::vector<Strategy> deep_candidates() {
    std::vector<Strategy> all;
    for (const int repetitions : {1, 2, 4, 8}) {
        all.push_back({.repetitions = repetitions});
        all.push_back({.order = Order::dataflow, .tiles = fine_tiles, .repetitions = repetitions});
    }
    return all;
}

std::vector<Strategy> tiled_candidates() {
    std::vector<Strategy> all;
    for (const int repetitions : {0, 2, 4, 8}) all.push_back({.order = Order::tiled, .repetitions = repetitions});
    return all;
}

bool has_room(const Box& owned, const Box& allocated, const Extent& width) {
    if (!allocated.contains(grow(owned, width))) return false;
    return owned.size(0) >= std::max(width.lo[0], width.hi[0]) && owned.size(1) >= std::max(width.lo[1], width.hi[1]);
}

int period_of(const Strategy& strategy, int cycle) { return std::lcm(std::max(1, strategy.repetitions), cycle); }

}  // namespace lapwing
