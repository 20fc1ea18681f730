#pragma once
// Work that several threads share.

#include <functional>
#include <future>
#include <vector>

namespace lapwing {

// Calls work(0) to work(threads - 1), each on a thread of its own, and returns when all are done. Throws what one of
// them has thrown, or the system's error if it has no more threads. Local.
template <class Work>
void side_by_side(std::size_t threads, const Work& work) {
    std::vector<std::future<void>> others;  // they wait for their threads at the end, however this is left
    for (std::size_t thread = 1; thread < threads; ++thread)
        others.push_back(std::async(std::launch::async, std::cref(work), thread));
    work(0);
    for (std::future<void>& other : others) other.get();
}

}  // namespace lapwing
