#pragma once
// Finding the first cell of a state that cannot be, or that the lattice does not describe.

#include "lapwing/mpi/bad_cell.hpp"
#include "lapwing/mpi/domain.hpp"

#include "lapwing_lattice/lattice.hpp"

namespace lapwing_lattice {

inline constexpr double largest_mach = 0.3;  // beyond, errors of compressibility are more than a few per cent

// Velocity over the speed of sound of the lattice, 1/sqrt(3) cells per step. Local.
double mach_number(double x, double y, double z);

// Throws StateError on all ranks for a density that is not finite or not above 0, or a Mach number above
// `largest_mach`, naming step, value, global index and rank of the first such cell: the same for any number of ranks.
// Collective; one reduction when all is well.
void check_state(const lapwing::Domain& domain, const LatticeModel& model);

}  // namespace lapwing_lattice
