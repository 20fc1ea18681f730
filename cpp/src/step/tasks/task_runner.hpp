#pragma once
// Runs a task list: kernels and exchanges in an order that was planned, or as they become ready.

#include <cstdint>
#include <functional>
#include <vector>

#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/schedule/task_list.hpp"
#include "lapwing/step/named_ranges.hpp"
#include "step/exchange_pool.hpp"
#include "step/step_stages.hpp"
#include "step/tasks/ready_tasks.hpp"

namespace lapwing {

class ThreadTeam;

// The objects that the numbers in a task list stand for. They outlive the runner.
struct TaskMeaning {
    const StepStages* stages = nullptr;
    const ScheduleNode* node = nullptr;
    std::vector<StepExchange*> exchanges;       // one for each entry of the node; null: a stage
    std::vector<StepExchange*> next_exchanges;  // exchanges of the next node
    Domain* domain = nullptr;
    ThreadTeam* team = nullptr;  // the threads that share the tasks; null: one thread runs them
};

// The clocks of tasks, and the number of their step.
// Time in the kernels of a stage.
struct KernelClock {
    std::int64_t ticks = 0;
    Index calls = 0;
};

struct TaskClock {
    Index step = 0;                            // counted from 1
    std::function<void(Index)> set_numbers{};  // sets the numbers of a step that kernels point to; empty: nothing does
    Index numbered = 0;                        // the step whose numbers are set
    std::vector<KernelClock> stages;           // by distinct stage name
    std::int64_t waiting = 0;                  // ticks without anything to do
    Timeline* timeline = nullptr;              // null: no ranges are drawn
    NamedRanges ranges{};

    void add(int stage, std::int64_t spent) {
        stages[stage].ticks += spent;
        ++stages[stage].calls;
    }
    [[nodiscard]] bool has_numbers_of(Index number) const { return !set_numbers || numbered == number; }
    // Sets the numbers of step `number`, to which the next tasks belong.
    void enter_step(Index number) {
        if (has_numbers_of(number)) return;
        set_numbers(number);
        numbered = number;
    }
};

// A task, as one sees it who looks on.
struct SeenTask {
    Task::Kind kind = Task::Kind::compute;
    int entry = 0;                     // entry of the node
    int phase = 0;                     // arrive
    StepExchange* exchange = nullptr;  // start, arrive
    int block = 0;                     // compute: number among the rank's owned boxes
    Box box{};                         // compute
};

// An observer of tasks that run in order: a census, or a check.
class TaskObserver {
  public:
    virtual ~TaskObserver() = default;
    // True if it looks at the land that stages otherwise leave out.
    [[nodiscard]] virtual bool sees_land() const { return false; }
    // The tasks of this node of the schedule come next. Local.
    virtual void begin(int number, const ScheduleNode& node) = 0;
    // Calls `work`, which runs the task, with its own actions before and after it. Local if the task is.
    virtual void watch(const SeenTask& task, const std::function<void()>& work) = 0;
    // All tasks of the node are done. Collective.
    virtual void end() {}
};

// Calls the kernel of a stage on a box of this rank. Rethrows its errors with stage, step (0: not counted), box and
// rank: a UserError as a UserError, all else nested in an OutsideError. Local.
void call_kernel(const Stage& stage, std::size_t context, const Box& box, const Domain& domain, Index step);

class TaskRunner {
  public:
    TaskRunner(const TaskList& list, const TaskMeaning& meaning);

    // True if the first exchange has left ahead, and if the first exchange of the next step will.
    struct Ahead {
        bool came = false;
        bool leaves = false;
    };
    // Runs all tasks once. Local calls, but all neighbours must run theirs too.
    void run(Ahead ahead, TaskClock& clock);
    // The same, of a list in order, with nothing ahead, before the eyes of an observer. Collective.
    void run_observed(TaskObserver& observer, TaskClock& clock);

    [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }

  private:
    friend class TaskCrew;
    struct Item {
        Task::Kind kind = Task::Kind::compute;
        bool ahead = false;        // a start for the next step
        bool comes_ahead = false;  // a start that the step before may have done
        int entry = 0;
        int phase = 0;
        int block = 0;
        int later = 0;               // steps of the pass before it
        int name = -1;               // the stage's name
        const char* range = "";      // of the stage, or of what is exchanged
        int lower = -1, upper = -1;  // computing: next to it in x; an arrival: upper is that of the next phase
        const Stage* stage = nullptr;
        Box box{};
        std::vector<Box> parts{};  // the parts of water, if not all of the box is computed
        StepExchange* exchange = nullptr;
        const Reduction* reduction = nullptr;    // reduce: this, or
        const Collective* collective = nullptr;  // this
        int repeat_from = -1;                    // reduce: task to go back to while the number is above this, or -1
        double above = 0;
    };
    // An exchange on its way and the task that its next phase completes.
    struct Flying {
        Exchange* exchange;
        int arrival;  // task, or -1: the next step waits for it
    };

    // Tasks next to each other in x: `first`, its upper neighbour, and so on to `last`.
    struct Row {
        int first = 0, last = 0;
        Box box{};
    };

    void make_item(const Task& task, const TaskMeaning& meaning);
    void link_arrivals(const TaskList& list);
    [[nodiscard]] std::size_t after_reduction(std::size_t number, TaskClock& clock);
    [[nodiscard]] bool goes_on(const Item& item);
    void reset_reductions();
    void run_in_order(TaskClock& clock);
    [[nodiscard]] std::size_t do_next(std::size_t number, TaskClock& clock);
    [[nodiscard]] SeenTask seen(const Item& item) const;
    void run_ready(TaskClock& clock);
    void start(int number, TaskClock& clock);
    void reduce(const Item& item, TaskClock& clock);
    std::int64_t call(const Item& item, const Box& box, int thread, TaskClock& clock) const;
    void compute(const Item& item, const Box& box, TaskClock& clock);
    [[nodiscard]] Row ready_row(int number) const;
    void take_row(const Row& row);
    bool finish_row(const Row& row);
    void await(int number, TaskClock& clock);
    template <class Poll>
    void await(const Poll& poll, TaskClock& clock);
    static constexpr const char* wait_range = "wait";
    bool poll();
    bool finish_arrived();

    Domain* domain_;
    ThreadTeam* team_;
    std::size_t blocks_;  // owned boxes of the rank
    bool in_order_;
    Ahead ahead_;
    std::vector<Item> tasks_;         // in order, or by priority
    std::vector<int> first_task_of_;  // one for each entry
    std::vector<int> arrivals_;       // for each start: the task of the exchange's first phase, or -1
    TaskOrder order_;
    ReadyTasks ready_;
    std::vector<Flying> flying_;
    std::vector<int> arrived_;  // tasks that have happened and are still to be finished
};

// Waits for what is on its way until `poll` is true.
template <class Poll>
void TaskRunner::await(const Poll& poll, TaskClock& clock) {
    const std::int64_t begin = ticks();
    const auto describe = [this] {
        return flying_.empty() ? "a task that nothing will make ready" : flying_[0].exchange->describe();
    };
    clock.ranges.enter(wait_range);
    wait_until(poll, describe, domain_->comm(), domain_->node().polls());
    clock.ranges.leave(wait_range);
    const std::int64_t end = ticks();
    clock.waiting += end - begin;
    if (clock.timeline != nullptr) clock.timeline->add_wait(begin, end);
}

}  // namespace lapwing
