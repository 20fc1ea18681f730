#pragma once
// The caches of a core, as its system describes them.

#include <cstdint>

namespace lapwing {

// Returns the bytes that the work of one core can keep in its caches while other cores work too: its share of the last
// cache, between its second cache and four times that; 1 MiB where the system says nothing. Local.
std::int64_t cache_of_core();

}  // namespace lapwing
