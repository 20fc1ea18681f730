#pragma once
// Searching by halving.

#include <cstdint>

namespace lapwing {

// The first number from `first` on for which `holds`, and `last` where none before it does; what holds for one holds
// for all after it. Local.
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

}  // namespace lapwing
