#pragma once
// The pieces into which each strategy cuts the stages of a step, and their order.

#include <vector>

#include "lapwing/schedule/task_list.hpp"
#include "schedule/zones/margins.hpp"

namespace lapwing {

// Behind whatever else has the place before it.
constexpr int last_place = 1 << 30;

// A piece of a stage and its place in the order of the strategy: the least of the ready pieces comes first.
struct Zone {
    Box box;
    std::vector<int> place{};
    bool beside_last = false;  // its lower neighbour in x is the zone before it
    int thread = 0;            // the thread that computes it
    std::vector<Box> parts{};  // the stretches of its water; empty: all of it
};

// The form that a strategy gives a step: pieces of each stage, [entry][block], and the places of its exchanges.
struct Zoning {
    std::vector<std::vector<std::vector<Zone>>> zones;
    std::vector<std::vector<int>> start;                // place of each entry's start, where it is an exchange
    std::vector<std::vector<std::vector<int>>> arrive;  // and of its phases
    std::vector<int> start_ahead;                       // place of those that the next step waits for
    std::vector<LeftOut> left_out;                      // one per entry
    bool in_order = true;
};

Zoning blocking_zoning(const RankStep& step);
Zoning phased_zoning(const RankStep& step, const StepTraffic& traffic, const Strategy& strategy);
Zoning edge_first_zoning(const RankStep& step, const StepTraffic& traffic, bool whole_chain);
// `tiles`: parts of the middle of each stage, at least, as far as it has rows.
Zoning dataflow_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int tiles);

// `rows`: of a tile; 0: as many as the cache holds.
Zoning tiled_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int rows);

// The values of a cell that a stage writes, of the field with most of them.
Index values_per_cell(const RankStep& step, const StageSpec& stage);
// The cache lines of the field with the shortest values among the fields that the stage writes.
const CacheLines& lines_of(const RankStep& step, const StageSpec& stage);

// Boxes that a stage computes for an owned box.
std::vector<Box> boxes_of(const RankStep& step, const ScheduleEntry& entry, std::size_t block);

// Zones with the same place, joined where two of them make a box.
std::vector<Zone> joined(std::vector<Zone> zones);

}  // namespace lapwing
