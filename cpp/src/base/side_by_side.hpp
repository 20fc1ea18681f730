#pragma once
// Work that several threads share.

#include <exception>
#include <thread>
#include <vector>

namespace lapwing {

// Calls work(0) to work(threads - 1), each on a thread of its own, and returns when all are done. Throws what one of
// them has thrown, or what the system says where it has no more threads. Local.
template <class Work>
void side_by_side(std::size_t threads, const Work& work) {
    std::vector<std::exception_ptr> problems(threads);
    const auto guarded = [&](std::size_t thread) {
        try {
            work(thread);
        } catch (...) {
            problems[thread] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;  // joined at the end of this block, however it is left
        others.reserve(threads);
        for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
        guarded(0);
    }
    for (const std::exception_ptr& problem : problems) {
        if (problem) std::rethrow_exception(problem);
    }
}

}  // namespace lapwing
