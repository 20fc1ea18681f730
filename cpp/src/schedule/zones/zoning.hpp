#pragma once
// The pieces into which each strategy cuts the stages of a step, and their order.

#include <vector>

#include "schedule/zones/margins.hpp"

namespace lapwing {

// Behind whatever else has the place before it.
constexpr int last_place = 1 << 30;

// A piece of a stage and its place in the order of the strategy: the least of the ready pieces comes first.
struct Zone {
    Box box;
    std::vector<int> place{};
    bool beside_last = false;  // its lower neighbour in x is the zone before it
};

// The form that a strategy gives a step: pieces of each stage, [entry][block], and the places of its exchanges.
struct Zoning {
    std::vector<std::vector<std::vector<Zone>>> zones;
    std::vector<std::vector<int>> start;                // place of each entry's start, where it is an exchange
    std::vector<std::vector<std::vector<int>>> arrive;  // and of its phases
    std::vector<int> start_ahead;                       // place of those that the next step waits for
    bool in_order = true;
};

Zoning blocking_zoning(const RankStep& step);
Zoning phased_zoning(const RankStep& step, const StepTraffic& traffic, const Strategy& strategy);
Zoning edge_first_zoning(const RankStep& step, const StepTraffic& traffic, bool whole_chain);
// `tiles`: parts of the middle of each stage, at least, as far as it has rows.
Zoning dataflow_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int tiles);

// `rows`: of a tile; 0: as many as the cache holds.
Zoning tiled_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int rows);

// Boxes that a stage computes for an owned box.
std::vector<Box> boxes_of(const RankStep& step, const ScheduleEntry& entry, std::size_t block);

// Zones with the same place, joined where two of them make a box.
std::vector<Zone> joined(std::vector<Zone> zones);

}  // namespace lapwing
