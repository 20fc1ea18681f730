#include "step/tasks/task_crew.hpp"

#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

void TaskCrew::run() {
    runner_.ready_.begin();
    team_.run([this](int thread) {
        if (thread > 0) return follow(thread);
        lead();
    });
    if (problem_) std::rethrow_exception(problem_);
}

void TaskCrew::follow(int thread) {
    Lock lock(mutex_);
    while (!over()) {
        const std::uint32_t seen = news_.seen();
        if (const int number = next(thread); number >= 0) {
            compute(number, thread, lock);
            continue;
        }
        lock.unlock();
        news_.wait(seen);
        lock.lock();
    }
}

void TaskCrew::lead() {
    Lock lock(mutex_);
    try {
        while (!over()) {
            const std::uint32_t seen = news_.seen();
            if (const int number = next(0); number >= 0) {
                act(number, lock);
                lock.unlock();
                static_cast<void>(runner_.poll());
            } else {
                lock.unlock();
                await(seen);
            }
            lock.lock();
            if (runner_.finish_arrived()) news_.raise();
        }
    } catch (...) {
        fail(lock);
    }
}

// Notes the first problem, at which all threads stop.
void TaskCrew::fail(Lock& lock) {
    if (!lock.owns_lock()) lock.lock();
    if (!problem_) problem_ = std::current_exception();
    news_.raise();
}

// The task that a thread does next, or -1.
int TaskCrew::next(int thread) {
    const ReadyTasks& ready = runner_.ready_;
    int number = ready.first_of(thread);
    if (number < 0) number = ready.last_of_others(thread);
    if (number >= 0 && may_begin(number, thread)) return number;
    if (thread == 0) enter_step_of_others();
    return -1;
}

// True if the numbers of its step are set. Thread 0 sets them when no kernel runs that may look at them.
bool TaskCrew::may_begin(int number, int thread) {
    const TaskRunner::Item& item = runner_.tasks_[number];
    const Index step = clock_.step + item.later;
    if (item.ahead || clock_.has_numbers_of(step)) return true;
    if (thread > 0 || computing_ > 0) return false;
    clock_.enter_step(step);
    news_.raise();  // tells others who have tasks of it
    return true;
}

// The step of the first task that another thread could do, if only its numbers were set.
void TaskCrew::enter_step_of_others() {
    if (computing_ > 0) return;
    for (int thread = 1; thread < team_.threads(); ++thread) {
        const int number = runner_.ready_.first_of(thread);
        if (number >= 0) return static_cast<void>(may_begin(number, 0));
    }
}

void TaskCrew::act(int number, Lock& lock) {
    const TaskRunner::Item& item = runner_.tasks_[number];
    if (item.kind == Task::Kind::compute) return compute(number, 0, lock);
    runner_.ready_.take(number);
    lock.unlock();
    if (item.kind == Task::Kind::start) {
        runner_.start(number, clock_);
    } else {
        runner_.reduce(item, clock_);
    }
    lock.lock();
    if (item.kind == Task::Kind::reduce && runner_.goes_on(item)) {
        runner_.ready_.begin_again(item.repeat_from, number);
        news_.raise();
    } else if (runner_.ready_.finish(number)) {
        news_.raise();
    }
}

void TaskCrew::compute(int number, int thread, Lock& lock) {
    const TaskRunner::Item& item = runner_.tasks_[number];
    const TaskRunner::Row row = runner_.ready_row(number);
    runner_.take_row(row);
    ++computing_;
    lock.unlock();
    std::int64_t spent = 0;
    try {
        spent = runner_.call(item, row.box, thread, clock_);
    } catch (...) {
        fail(lock);
    }
    if (!lock.owns_lock()) lock.lock();
    --computing_;
    if (problem_) return;
    clock_.add(item.name, spent);
    const bool news = runner_.finish_row(row);
    if (news || (computing_ == 0 && clock_.set_numbers)) news_.raise();
}

// Thread 0 has nothing to do: it looks for messages, or sleeps where none is on its way.
void TaskCrew::await(std::uint32_t seen) {
    if (runner_.flying_.empty()) return news_.wait(seen);
    runner_.await([&] { return runner_.poll() || news_.seen() != seen; }, clock_);
}

}  // namespace lapwing
