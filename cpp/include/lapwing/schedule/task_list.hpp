#pragma once
// The tasks of one rank in a step, over boxes, and which must come before which. No memory, no MPI.

#include <span>
#include <string>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/plan/message_plan.hpp"
#include "lapwing/schedule/schedule.hpp"
#include "lapwing/schedule/strategy.hpp"

namespace lapwing {

// A task starts an exchange (packs and posts), awaits one of its phases, or computes a box.
struct Task {
    enum class Kind { start, arrive, compute, reduce };
    Kind kind = Kind::compute;
    int entry = 0;             // number in the schedule's node; `ahead`: in the next node
    bool ahead = false;        // start: of an exchange that the next step waits for; only where one follows at once
    int phase = 0;             // arrive: of the exchange's plan; after the last one all memory is free again
    int block = 0;             // compute: number among the rank's owned boxes
    Box box{};                 // compute
    std::vector<Box> parts{};  // compute: the stretches of water of the box, in order; empty: all of it is computed
    int thread = 0;            // compute: the thread, among those that share the rank's tasks, that does it
    int priority = 0;          // the ready task with the least value is done first
    int lower = -1;            // compute: the task of the same stage below it in x, which may be run in the same call
    int upper = -1;            // the one above
    std::vector<int> after{};  // tasks that must be done before, ascending

    // compute: the boxes for which the kernel is called, one after the other.
    [[nodiscard]] std::span<const Box> computed() const {
        return parts.empty() ? std::span(&box, 1) : std::span(parts);
    }
};

// The land that a rank does not compute in a stage.
struct LeftOut {
    int tiles = 0;    // without any water
    Index cells = 0;  // in these and in the others
};

// The tasks of a rank in one step, and their order.
struct TaskList {
    std::vector<Task> tasks;
    std::vector<LeftOut> left_out;  // one for each entry
    // True if they are done in this order; else ready tasks run, by priority, while arrivals are awaited.
    bool in_order = true;
};

// The places where the memory of a field can be cut along x without touching a cache line twice.
struct CacheLines {
    Index cells = 1;           // along x in a line; 1: x is not contiguous
    std::vector<Index> begin;  // for each owned box: a cell with which a line begins
};

class Water;

// All that a task list depends on: one rank's part in a node of a schedule. What it points to outlives it.
struct RankStep {
    Grid grid;
    std::vector<int> subdomains;  // numbers in the partition of this rank's subdomains
    std::vector<Box> owned;       // their boxes
    const Cycle* cycle = nullptr;
    const ScheduleNode* node = nullptr;
    const ScheduleNode* next = nullptr;     // the node after
    std::vector<const MessagePlan*> plans;  // for each entry of the node; null: a stage
    std::vector<const MessagePlan*> next_plans;
    std::vector<Index> values_per_cell;  // for each field: levels times components
    std::vector<Index> bytes_per_cell;   // for each field, of all its values
    std::vector<CacheLines> lines;       // one for each field
    const Water* water = nullptr;        // null: stages compute land too

    // The stage that an entry computes.
    [[nodiscard]] const StageSpec& stage(const ScheduleEntry& entry) const { return (*cycle)[entry.step][entry.stage]; }
};

// The size of the pieces into which `dataflow` and `tiled` cut the interior that halos do not reach.
struct Tiling {
    Index values = 16384;         // in a tile, about
    Index values_apart = 262144;  // in a tile whose layers lie apart in memory: each costs a new beginning
    Index cache = 1 << 22;        // `tiled`: bytes that the fields of a band of rows or layers may fill
    Index near = 1 << 20;         // `tiled`: bytes that they may fill if bands are cut across too
    int threads = 1;              // threads that share the rank's tasks: each has a part of every stage
    int deepest_rim = 4;          // cuts off no side wider than one part in this number of the box, unless it must
};

// The exchanges at the head of the next node that can leave within this one: nothing before them there touches their
// fields. Numbers of its entries. Local.
std::vector<int> exchanges_ahead(const ScheduleNode& next);

// The task list of a strategy: covers every cell that each stage computes exactly once, except for land that needs no
// computing, reads no halo before it has come, and writes nothing that another task, or a message, has still to read. A
// pure function. Local.
TaskList task_list(const RankStep& step, const Strategy& strategy, const Tiling& tiling = {});

// Describes the list: one line per task; `names` are the fields' names.
std::string to_string(const TaskList& list, const RankStep& step, std::span<const std::string> names);

}  // namespace lapwing
