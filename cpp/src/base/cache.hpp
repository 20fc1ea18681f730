#pragma once
// The caches of a core, as its system describes them.

#include <cstdint>

namespace lapwing {

// Bytes that the work of one core can keep while other cores work too.
struct CoreCache {
    std::int64_t near = 0;  // in its second cache
    std::int64_t far = 0;   // in half of its share of the last cache, or in the second if that is more
};

// Returns the caches of the first core; 1 MiB each where the system says nothing. Local.
CoreCache cache_of_core();

}  // namespace lapwing
