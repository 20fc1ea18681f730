#pragma once
// The threads of a rank that share the tasks of a list.

#include <exception>
#include <mutex>

#include "base/thread_team.hpp"
#include "step/tasks/task_runner.hpp"

namespace lapwing {

// Runs the tasks of a runner once. Each thread takes its own ready tasks by priority, and ready tasks of others when it
// has none. Thread 0, which runs the step, alone starts exchanges, advances messages, reduces and sets the numbers of a
// step; kernels of two steps then run at a time only where no number changes between them.
class TaskCrew {
  public:
    TaskCrew(TaskRunner& runner, ThreadTeam& team, TaskClock& clock)
        : runner_(runner), team_(team), clock_(clock), news_(team.spins()) {}

    // Local calls, but all neighbours must run theirs too. Throws what a kernel or an exchange has thrown first.
    void run();

  private:
    using Lock = std::unique_lock<std::mutex>;

    void lead();
    void follow(int thread);
    [[nodiscard]] bool over() const { return problem_ != nullptr || runner_.ready_.done(); }
    [[nodiscard]] int next(int thread);
    [[nodiscard]] bool may_begin(int number, int thread);
    void enter_step_of_others();
    void act(int number, Lock& lock);
    void compute(int number, int thread, Lock& lock);
    void await(std::uint32_t seen);
    void fail(Lock& lock);

    TaskRunner& runner_;
    ThreadTeam& team_;
    TaskClock& clock_;
    std::mutex mutex_;   // guards the ready tasks and all below
    Signal news_;        // tasks became ready, or there is nothing left to do
    int computing_ = 0;  // threads in a kernel
    std::exception_ptr problem_;
};

}  // namespace lapwing
