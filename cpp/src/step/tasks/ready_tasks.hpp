#pragma once
// The tasks of a list that can run, thread by thread, while it is run. No memory of fields, no MPI.

#include <cstdint>
#include <vector>

#include "lapwing/schedule/task_list.hpp"

namespace lapwing {

// The tasks of a list by priority, and the number of each task among them.
struct TaskOrder {
    explicit TaskOrder(const TaskList& list);
    std::vector<int> tasks, number;
};

// Numbers stand for tasks by priority: of what is ready the least goes first. Arrivals are never ready: they happen.
class ReadyTasks {
  public:
    // `threads`: those that share the list.
    ReadyTasks(const TaskList& list, const TaskOrder& order, int threads);

    // All tasks are to be done. Allocates nothing.
    void begin();
    // Marks the tasks from `first` to `last` as not done, instead of finishing `last`, while nothing else runs.
    // Allocates nothing.
    void begin_again(int first, int last);
    [[nodiscard]] bool done() const { return left_ == 0; }

    // The ready task of this thread that goes first, or -1.
    [[nodiscard]] int first_of(int thread) const;
    // The ready computing task of another thread that its thread would come to last, or -1.
    [[nodiscard]] int last_of_others(int thread) const;
    [[nodiscard]] bool is_ready(int number) const;
    [[nodiscard]] int thread_of(int number) const { return tasks_[number].thread; }
    // Takes a ready task, so that it is not found again.
    void take(int number) { set_ready(number, false); }
    // A task is done, or has happened; true if that made another one ready.
    bool finish(int number);

  private:
    struct Item {
        int thread = 0;
        bool happens = false;  // arrivals
        bool computes = false;
        int waits_for = 0;        // tasks that must be done before
        int first = 0, last = 0;  // tasks that wait for it: following_[first ... last)
    };
    void set_ready(int number, bool ready);

    std::vector<Item> tasks_;
    std::vector<int> following_;
    std::vector<int> missing_;                       // for each task, of those that it waits for
    std::vector<std::vector<std::uint64_t>> ready_;  // per thread: a bit for each task
    int left_ = 0;
};

}  // namespace lapwing
