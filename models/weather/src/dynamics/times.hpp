#pragma once
// The three states that rotate, by what they are to a step.

#include <cstddef>
#include <vector>

namespace lapwing_weather {

// The states that a position of the cycle reads and writes.
struct Times {
    std::size_t oldest, middle, newest;
    [[nodiscard]] std::size_t next() const { return oldest; }
};

inline Times times_at(std::size_t position) { return {position, (position + 1) % 3, (position + 2) % 3}; }

// Of the contexts of a stage, one per block.
template <class Context>
std::vector<void*> addresses(std::vector<Context>& contexts) {
    std::vector<void*> found;
    for (Context& context : contexts) found.push_back(&context);
    return found;
}

}  // namespace lapwing_weather
