#pragma once
// From stages to task lists: a strategy is a pure function. No memory, no MPI.

#include <span>
#include <string>
#include <vector>

#include "lapwing/stage.hpp"

namespace lapwing {

// Either an exchange of `halos` or the computing of stage number `stage`.
struct Task {
    enum class Kind { exchange, compute };
    Kind kind = Kind::compute;
    int stage = -1;           // compute: number of the stage in its step
    std::vector<Read> halos;  // exchange: fields and extents, ascending fields
    friend bool operator==(const Task&, const Task&) = default;
};

// One step of the cycle in one state of the halos: its tasks, and the node that comes next.
struct ScheduleNode {
    int step = 0;  // position in the cycle
    std::vector<Task> tasks;
    int next = 0;
};

// All task lists a run can meet. stale_entry[p] is the node for step p of the cycle when every
// halo is stale: at the start, after a restart, or after a write outside the stages.
struct Schedule {
    std::vector<ScheduleNode> nodes;
    std::vector<int> stale_entry;
};

// A step that alternates is a cycle of several lists of stages (period 2 for an x/y order that
// swaps); one that does not is a cycle of one.
using Cycle = std::vector<std::vector<StageSpec>>;

// Strategy `blocking`: exchange what a stage reads and is stale, then compute. An exchange takes
// along every stale halo that a later stage reads before its field is written again, so rounds
// are few. `fields` is the number of fields. Throws UserError when a stage reads with an extent
// what it writes. Local.
Schedule blocking_schedule(const Cycle& cycle, int fields);

// Where a task stands in a schedule.
struct TaskPlace {
    int node = 0;
    int task = 0;
};

// Whether the exchange at `place` brings `halo` for nothing: no stage that follows reads the field around itself
// before one writes it. Local.
bool is_needless(const Cycle& cycle, const Schedule& schedule, TaskPlace place, const Read& halo);

// The task list of one node for people; `names` are the fields' names.
std::string to_string(const ScheduleNode& node, const std::vector<StageSpec>& stages,
                      std::span<const std::string> names);

}  // namespace lapwing
