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

// A task. If it computes, `cells` counts all levels, and `rows` the rows in which they lie.
struct TaskOutline {
    Task task;
    int stage = -1;  // compute, reduce: number among the names of the stages
    double cells = 0, rows = 0;
};

// A step of the steady state, or the steps that tiles go through together.
struct StepOutline {
    int steps = 1;
    std::vector<TaskOutline> tasks;
    bool in_order = true;
    // The phases of each entry of the schedule. A stage has none, or the phases of the halos that it returns.
    std::vector<std::vector<PhaseOutline>> exchanges;
    std::vector<std::string> names;               // per entry: the fields that travel, or the stage
    std::vector<char> from_before;                // per entry: true if it may leave in the step before
    std::vector<int> later;                       // per entry: steps before it in these
    std::vector<LeftOut> left_out;                // per entry: land, with all levels
    std::vector<std::vector<int>> reads, writes;  // per entry: numbers of fields; none for an exchange
};

// The memory of a field, bytes in a cell of all levels and components.
struct FieldOutline {
    std::string name;
    Index bytes = 0;
};

// All that a rank does, again and again.
struct RankOutline {
    int rank = 0;
    std::vector<FieldOutline> fields;
    std::vector<std::string> stages;
    std::vector<StepOutline> steps;
    std::vector<int> peers;            // whom it sends to or receives from, ascending
    std::vector<Box> regions;          // regions of stages that compute some cells only
    std::vector<std::string> unknown;  // stages whose work is not in the tasks: collectives, loops until a test holds
};

// Returns the steps after which all repeats. Local.
int steps_of(const RankOutline& outline);

// The outline of a step on the rank of its domain. Local.
RankOutline outline_of(const Step& step, const Domain& domain);

}  // namespace lapwing
