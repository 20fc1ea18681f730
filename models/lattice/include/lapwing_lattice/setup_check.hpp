#pragma once
// What the lattice model asks of its set-up.

#include "lapwing/mpi/domain.hpp"

#include "lapwing_lattice/lattice.hpp"

namespace lapwing_lattice {

// Throws UserError, with the four parts, for settings that make no sense or do not fit the grid. Local.
void check_settings(const lapwing::Domain& domain, const LatticeSettings& settings);

}  // namespace lapwing_lattice
