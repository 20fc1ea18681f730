#pragma once
// Runs a task list: kernels and exchanges in an order that was planned, or as they become ready.

#include <cstdint>
#include <functional>
#include <vector>

#include "lapwing/mpi/timeline.hpp"
#include "lapwing/schedule/task_list.hpp"
#include "lapwing/step/named_ranges.hpp"
#include "step/exchange_pool.hpp"
#include "step/step_stages.hpp"

namespace lapwing {

// The meaning of the numbers in a task list. The objects that it points to outlive the runner.
struct TaskMeaning {
    const StepStages* stages = nullptr;
    const ScheduleNode* node = nullptr;
    std::vector<StepExchange*> exchanges;       // one for each entry of the node; null: a stage
    std::vector<StepExchange*> next_exchanges;  // exchanges of the next node
    Domain* domain = nullptr;
};

// The clocks of tasks, and the number of their step.
struct TaskClock {
    Index step = 0;                            // counted from 1
    std::function<void(Index)> set_numbers{};  // sets the numbers of a step that kernels point to; empty: nothing does
    Index numbered = 0;                        // the step whose numbers are set
    std::vector<std::int64_t> compute;         // ticks by distinct stage name
    std::int64_t waiting = 0;                  // ticks without anything to do
    Timeline* timeline = nullptr;              // null: no ranges are drawn
    NamedRanges ranges{};

    // What runs next is part of step `number`.
    void enter_step(Index number) {
        if (!set_numbers || numbered == number) return;
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
    // The tasks of this node of the schedule come next. Local.
    virtual void begin(int number, const ScheduleNode& node) = 0;
    // Calls `work`, which runs the task, with its own actions before and after it. Local if the task is.
    virtual void watch(const SeenTask& task, const std::function<void()>& work) = 0;
    // All tasks of the node are done. Collective.
    virtual void end() {}
};

// Calls the kernel of a stage on a box of this rank. Rethrows its errors with stage, step (0: not counted), box and
// rank: a UserError as a UserError, all else nested in an OutsideError. Local.
void call_kernel(const Stage& stage, std::size_t block, const Box& box, const Domain& domain, Index step);

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
    struct Item {
        Task::Kind kind = Task::Kind::compute;
        bool ahead = false;        // a start for the next step
        bool comes_ahead = false;  // a start that the step before may have done
        int entry = 0;
        int phase = 0;
        int block = 0;
        int later = 0;               // steps of the pass before it
        int name = -1;               // of the stage
        const char* range = "";      // of the stage, or of what is exchanged
        int lower = -1, upper = -1;  // computing: next to it in x; an arrival: upper is that of the next phase
        int waits_for = 0;           // tasks that must be done before
        int first = 0, last = 0;     // tasks that wait for it: following_[first ... last)
        const Stage* stage = nullptr;
        Box box{};
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

    void make_item(const Task& task, const TaskMeaning& meaning, const std::vector<int>& number);
    void link_arrivals(const TaskList& list, const std::vector<int>& number);
    [[nodiscard]] std::size_t after_reduction(std::size_t number, TaskClock& clock);
    void reset_reductions();
    void run_in_order(TaskClock& clock);
    [[nodiscard]] std::size_t do_next(std::size_t number, TaskClock& clock);
    [[nodiscard]] SeenTask seen(const Item& item) const;
    void run_ready(TaskClock& clock);
    void start(int number, TaskClock& clock);
    void reduce(const Item& item, TaskClock& clock);
    void compute(const Item& item, const Box& box, TaskClock& clock);
    void compute_with_neighbours(int number, TaskClock& clock);
    void await(int number, TaskClock& clock);
    void await_any(TaskClock& clock);
    bool poll();
    void finish(int number);
    [[nodiscard]] bool is_ready(int number) const;
    [[nodiscard]] int first_ready() const;
    void set_ready(int number, bool ready);

    Domain* domain_;
    bool in_order_;
    Ahead ahead_;
    std::vector<Item> tasks_;  // in order, or by priority
    std::vector<int> following_;
    std::vector<int> first_task_of_;  // one for each entry
    std::vector<int> arrivals_;       // for each start: the task of the exchange's first phase, or -1
    std::vector<int> missing_;        // for each task, while it runs
    std::vector<std::uint64_t> ready_;
    std::size_t left_ = 0;
    std::vector<Flying> flying_;
};

}  // namespace lapwing
