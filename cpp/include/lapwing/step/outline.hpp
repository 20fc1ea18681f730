#pragma once
// The work of one rank in a step, as numbers: its tasks, how many cells they compute, and the messages between them.

#include <string>
#include <vector>

#include "lapwing/schedule/task_list.hpp"
#include "lapwing/step/step.hpp"

namespace lapwing {

// A message at one of its ends.
struct MessageOutline {
    int peer = 0;
    Index bytes = 0;
    Index rows = 0;  // pieces that lie in a row in the memory of the fields at this end
};

// The messages that may travel at the same time, and the copies within the rank.
struct PhaseOutline {
    std::vector<MessageOutline> sends, receives;
    Index copied_bytes = 0, copied_rows = 0;
};

// A task: of computing, the cells of all levels and the rows that they lie in.
struct TaskOutline {
    Task task;
    int stage = -1;  // compute, reduce: number among the names of the stages
    double cells = 0, rows = 0;
};

// A step of the steady state.
struct StepOutline {
    std::vector<TaskOutline> tasks;
    bool in_order = true;
    // The phases of each entry of the schedule. A stage has none, or the phases of the halos that it returns.
    std::vector<std::vector<PhaseOutline>> exchanges;
    std::vector<std::string> names;  // of each entry: the fields that travel, or the stage
    std::vector<char> from_before;   // of each entry: whether it may leave in the step before
};

// All that a rank does, again and again.
struct RankOutline {
    int rank = 0;
    std::vector<std::string> stages;
    std::vector<StepOutline> steps;
    std::vector<int> peers;            // whom it sends to or receives from, ascending
    std::vector<Box> regions;          // of stages that compute some cells only
    std::vector<std::string> unknown;  // stages whose work is not in the tasks: collectives, loops until a test holds
};

// The outline of a step on the rank of its domain. Local.
RankOutline outline_of(const Step& step, const Domain& domain);

}  // namespace lapwing
