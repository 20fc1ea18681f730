#include "base/thread_team.hpp"

#include <system_error>

#include "lapwing/base/error.hpp"

namespace lapwing {

ThreadTeam::ThreadTeam(int threads, int spins) : spins_(spins), begun_(spins), done_(spins) {
    others_.reserve(threads > 1 ? threads - 1 : 0);
    try {
        for (int thread = 1; thread < threads; ++thread) others_.emplace_back([this, thread] { follow(thread); });
    } catch (const std::system_error& problem) {
        const int got = this->threads();
        end();
        throw OutsideError(concat("threads of a rank: got ", got, " (", problem.what(), "); expected ", threads,
                                  "; use fewer, or raise the limit of the system (ulimit -u)"));
    }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
    job_ = {};
    begun_.raise();
    others_.clear();  // joins
}

void ThreadTeam::run_work(const Job& job) noexcept {
    job_ = job;
    working_.store(static_cast<int>(others_.size()), std::memory_order_relaxed);
    begun_.raise();
    job.call(job.work, 0);
    for (auto seen = done_.seen(); working_.load(std::memory_order_acquire) > 0; seen = done_.seen()) done_.wait(seen);
}

void ThreadTeam::follow(int thread) {
    for (std::uint32_t seen = 0;;) {
        begun_.wait(seen);
        ++seen;  // no other job begins before this one is done
        if (job_.call == nullptr) return;
        job_.call(job_.work, thread);
        if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.raise();
    }
}

}  // namespace lapwing
