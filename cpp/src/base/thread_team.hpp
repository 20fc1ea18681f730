#pragma once
// Threads that stay: work that comes again and again finds them awake, or wakes them.

#include <atomic>
#include <thread>
#include <vector>

#include "base/signal.hpp"

namespace lapwing {

// The thread that calls, and others that live as long as the team. One thread uses a team.
class ThreadTeam {
  public:
    // `spins`: looks for work before a thread sleeps; 0 where threads are more than cores. Throws OutsideError if the
    // system has no more threads. Local.
    ThreadTeam(int threads, int spins);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(others_.size()) + 1; }
    [[nodiscard]] int spins() const { return spins_; }

    // Calls work(0) in this thread and work(1) to work(threads - 1) in the others, and returns when all are done. The
    // work throws nothing. Allocates nothing. Local.
    template <class Work>
    void run(const Work& work) noexcept {
        run_work({[](const void* object, int thread) { (*static_cast<const Work*>(object))(thread); }, &work});
    }

  private:
    struct Job {
        void (*call)(const void* work, int thread) = nullptr;
        const void* work = nullptr;
    };
    void run_work(const Job& job) noexcept;
    void follow(int thread);
    void end();

    int spins_;
    Job job_;  // null: the team ends
    Signal begun_, done_;
    std::atomic<int> working_{0};  // threads at a job, without the caller's
    std::vector<std::jthread> others_;
};

}  // namespace lapwing
