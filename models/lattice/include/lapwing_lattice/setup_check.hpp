#pragma once
// Checks of the set-up of the lattice model.

#include <string>

#include "lapwing/mpi/domain.hpp"

#include "lapwing_lattice/lattice.hpp"

namespace lapwing_lattice {

// Throws UserError, with the four parts, for settings that make no sense or do not fit the grid. Local.
void check_settings(const lapwing::Domain& domain, const LatticeSettings& settings);

// Everything that a run depends on, to the bit. Local.
std::string text_of_all(const LatticeSettings& settings);

}  // namespace lapwing_lattice
