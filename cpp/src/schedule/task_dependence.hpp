#pragma once
// The order that tasks must keep: read after write, write after read, write after write, on boxes of fields.

#include <vector>

#include "schedule/zones/margins.hpp"

namespace lapwing {

// Fills `after` of tasks that stand in the order of the schedule's entries. Cost: pairs of tasks on one block.
void find_dependences(std::vector<Task>& tasks, const RankStep& step, const StepTraffic& traffic);

// Takes away what follows from other dependences.
void reduce_dependences(std::vector<Task>& tasks);

}  // namespace lapwing
