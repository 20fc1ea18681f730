#pragma once
// Searching by halving and doubling.

#include <algorithm>
#include <cstdint>

namespace lapwing {

// Returns the first number from `first` on for which `holds` is true, or `last` if there is none before it; `holds`
// must stay true after that. Local.
template <class Holds>
std::int64_t first_that(std::int64_t first, std::int64_t last, const Holds& holds) {
    while (first < last) {
        const std::int64_t middle = first + (last - first) / 2;
        if (holds(middle)) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return first;
}

// The same from 0 on, for an answer that is mostly small: steps that double, then halves.
template <class Holds>
std::int64_t near_first_that(std::int64_t last, const Holds& holds) {
    std::int64_t first = 0, next = 0;
    while (next < last && !holds(next)) {
        first = next + 1;
        next = 2 * next + 1;
    }
    return first_that(first, next < last ? next : last, holds);
}

// The same from a guess on, for an answer that is mostly near it: steps that double either way, then halves.
template <class Holds>
std::int64_t first_that_near(std::int64_t guess, std::int64_t first, std::int64_t last, const Holds& holds) {
    if (first >= last) return first;
    const std::int64_t from = std::clamp(guess, first, last - 1);
    if (!holds(from)) {
        return from + 1 + near_first_that(last - from - 1, [&](std::int64_t n) { return holds(from + 1 + n); });
    }
    // going down, the first that does not hold
    return from - near_first_that(from - first, [&](std::int64_t n) { return !holds(from - 1 - n); });
}

}  // namespace lapwing
