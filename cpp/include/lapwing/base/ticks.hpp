#pragma once
// Time stamps that cost a few nanoseconds: exchanges of small fields take a fraction of a microsecond.

#include <cstdint>

#include <chrono>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "lapwing/base/simulated.hpp"

namespace lapwing {

// Counts at a constant rate since some time before the process. Local.
inline std::int64_t ticks() {
#if defined(__x86_64__)
    if constexpr (!simulated) return static_cast<std::int64_t>(__rdtsc());
#endif
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Seconds of a difference of ticks, by comparison with the system's clock since the library was loaded. Local.
double seconds_of(std::int64_t difference);

}  // namespace lapwing
