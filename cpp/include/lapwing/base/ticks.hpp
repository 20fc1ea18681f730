#pragma once
// Time stamps that cost a few nanoseconds: exchanges of small fields take a fraction of a microsecond.

#include <cstdint>

namespace lapwing {

// Returns the ticks of the system's clock. Local.
std::int64_t system_ticks();

// True if ticks come from the processor, false if from the system's clock, which a simulator may replace.
#if defined(__x86_64__) && !defined(LAPWING_SYSTEM_TICKS)
inline constexpr bool counts_cycles = true;
#else
inline constexpr bool counts_cycles = false;
#endif

// Counts at a constant rate since some time before the process. Local.
inline std::int64_t ticks() {
#if defined(__x86_64__)
    if constexpr (counts_cycles) return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#endif
    return system_ticks();
}

// Seconds of a difference of ticks, by comparison with the system's clock since the library was loaded. Local.
double seconds_of(std::int64_t difference);

// Seconds of the system's monotonic clock, the same for all processes of a node. Local.
double system_seconds();

}  // namespace lapwing
