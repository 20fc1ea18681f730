#pragma once
// Whether this build runs in the simulated time of SimGrid's SMPI (simulate/CMakeLists.txt). SMPI runs all ranks in one
// process, one after the other, and lets time pass only in calls of MPI: nobody may spin, and clocks are the
// simulator's.

namespace lapwing {

#ifdef LAPWING_SMPI
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

}  // namespace lapwing
