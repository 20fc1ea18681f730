#pragma once
// Time stamps that cost a few nanoseconds: exchanges of small fields take a fraction of a microsecond.

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace lapwing {

// Counts at a constant rate since some time before the process. Local.
inline std::int64_t ticks() {
#if defined(__x86_64__)
    return static_cast<std::int64_t>(__rdtsc());
#else
    return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

// Seconds of a difference of ticks, by comparison with the system's clock since the library was loaded. Local.
double seconds_of(std::int64_t difference);

}  // namespace lapwing
