#pragma once
// True if this build runs in the simulated time of SimGrid's SMPI (lab/simulate/CMakeLists.txt). SMPI runs all ranks in
// one process, one after the other, and lets time pass only in calls of MPI: no rank may spin, and clocks are the
// simulator's.

#include <cstdint>

namespace lapwing {

#ifdef LAPWING_SMPI
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

// Lets the time of a copy between fields and messages pass: `bytes` bytes, in contiguous rows.
// The simulator alone has it (lab/simulate/src/packing.cpp), and `simulated` code alone calls it.
void charge_copy(std::int64_t bytes, std::int64_t rows);
// Lets the time of work outside kernels pass: on `cells` cells in `rows` rows, at the machine file's cost of the stage
// `stage` (lab/simulate/src/charge.cpp).
void charge_cells(const char* stage, std::int64_t cells, std::int64_t rows);

}  // namespace lapwing
