#pragma once
// The report of a step: its exchanges and tasks, and where its time went.

#include <string>
#include <vector>

#include "lapwing/grid/extent.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/plan/message_plan.hpp"
#include "lapwing/schedule/schedule.hpp"
#include "lapwing/schedule/task_list.hpp"
#include "lapwing/step/stage.hpp"

namespace lapwing {

class Step;

// The time of a step by what it was spent on, seconds since construction or `reset_times`.
struct StepTimes {
    Index steps = 0;
    double halo_start = 0;  // packing and posting
    double halo_wait = 0;   // waiting and unpacking
    // Seconds for each name of StepReport::stage_names, as the mean of the rank's threads.
    std::vector<double> compute;
    std::vector<Index> calls;  // tasks of each of these, of all threads
};

// Exchanges, messages and bytes of one run of the cycle in its steady state, on this rank, including collectives of
// stages that have a plan.
struct StepVolume {
    double exchanges = 0;  // rounds per step
    double messages = 0;   // messages sent per step
    double bytes = 0;      // bytes sent per step
};

// A task list, and for each task the name of its stage or of the fields that it moves.
struct NamedTasks {
    TaskList list;
    std::vector<std::string> subjects;
    std::vector<int> later;  // steps of the list before the task
    int steps = 1;           // steps that the list runs
};

// Time of an exchange on this rank, seconds summed over `count` runs.
struct ExchangeCost {
    Index count = 0;
    double packing = 0;   // packing, posting, and copies within the rank
    double late = 0;      // until the last neighbour was there
    double transfer = 0;  // the rest: messages on their way, unpacking included
};

// A field's part in an exchange, in one run of it, on this rank.
struct FieldShare {
    std::string name;
    Extent extent;
    int messages = 0;       // messages sent that carry some of it
    Index bytes = 0;        // bytes of it that are sent
    bool needless = false;  // true if no stage reads its halo before it is stale again
};

// One exchange of a schedule: what it moves in one run, and what it has cost since the census began.
struct CensusEntry {
    int position = 0;     // in the cycle
    bool steady = false;  // part of the steady state; false: met only while all halos were stale
    std::string stage;    // the one that could not go on without it, or that sends it unasked
    bool unasked = false;
    std::vector<FieldShare> fields;
    int messages = 0;      // sent
    Index bytes = 0;       // sent
    double handshake = 0;  // cost of the handshake among ranks that are all there, s
    ExchangeCost cost;
};

// Looks at a step, which outlives it. All calls are local.
class StepReport {
  public:
    explicit StepReport(const Step& step) : step_(&step) {}

    // ---- what it runs

    // The name of the strategy in use; how far `auto` is, or what it has found and why, empty without it.
    [[nodiscard]] std::string strategy() const;
    // Threads of each rank that share its kernels. Local.
    [[nodiscard]] int threads() const;
    [[nodiscard]] std::string choice() const;
    [[nodiscard]] const Schedule& schedule() const;
    // The schedule of long runs: the steps that tiles go through together are one node.
    [[nodiscard]] const Schedule& passes() const;
    [[nodiscard]] const std::vector<AnyField*>& fields() const;
    // The lists of stages that it repeats, and the distinct names of these.
    [[nodiscard]] const std::vector<Stages>& cycle() const;
    [[nodiscard]] const std::vector<std::string>& stage_names() const;
    // Describes the exchanges and stages of the steady state.
    [[nodiscard]] std::string describe() const;
    // Returns the task lists of this rank in the steady state of long runs, as text and as data, one for each node of
    // `passes`.
    [[nodiscard]] std::string describe_tasks() const;
    [[nodiscard]] std::vector<NamedTasks> task_lists() const;
    // The messages of an entry of a schedule; null: unknown, or none.
    [[nodiscard]] const MessagePlan* plan_of(const ScheduleEntry& entry) const;
    // Number of tasks of one step of the steady state, at least one cycle.
    [[nodiscard]] double tasks_per_step() const;

    // ---- what it costs

    [[nodiscard]] StepVolume volume() const;
    [[nodiscard]] StepTimes times() const;
    // The exchanges of all task lists by position in the cycle, with what they cost on this rank since `observe` or
    // `reset_times`, and the collectives that have a plan; empty unless it observes.
    [[nodiscard]] std::vector<CensusEntry> census() const;
    // The timeline; null unless `draw_timeline` was called.
    [[nodiscard]] const Timeline* timeline() const;
    // The stage that an event computes, or the fields that it packs or unpacks; empty for a wait.
    [[nodiscard]] std::string subject_of(const TimelineEvent& event) const;

  private:
    [[nodiscard]] CensusEntry census_entry(int node, int entry) const;

    const Step* step_;
};

}  // namespace lapwing
