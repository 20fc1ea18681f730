#pragma once
// The margins of an owned box: how far from its sides a stage waits for halos, and how far others wait for it.

#include <vector>

#include "schedule/zones/traffic.hpp"
#include "schedule/zones/zones.hpp"

namespace lapwing {

// Everything that moves in a step of one rank: [entry][block], and of the exchanges that leave ahead of the next step.
struct StepTraffic {
    std::vector<std::vector<Traffic>> of_entry;  // empty for stages
    std::vector<int> ahead;                      // entries of the next node
    std::vector<std::vector<Traffic>> of_ahead;  // traffic of each of these
};

StepTraffic step_traffic(const RankStep& step);

// [entry][block]
using StepMargins = std::vector<std::vector<Margins>>;

// Cells that depend on what the exchanges of the list bring, directly or through stages before.
StepMargins waiting_margins(const RankStep& step, const StepTraffic& traffic);

// The number of stages through which the cells of a message are followed back.
enum class Chain { last_stage, to_exchange, whole_step };

// Cells that messages of the list carry away, and those that they are computed from.
StepMargins awaited_margins(const RankStep& step, const StepTraffic& traffic, Chain chain);

}  // namespace lapwing
