#pragma once
// What the small calls cost of which a halo exchange consists when its messages are short.

#include <map>
#include <string>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::probe {

// Seconds per call, means over `rounds` of each, of the slowest rank; names as in docs/guide/machine-files.md. On
// several ranks all of them, with empty messages around a ring of all ranks; on one only those without messages.
// Collective over the domain; throws UserError on all ranks for fewer than one round, OutsideError when MPI fails.
std::map<std::string, double> call_costs(const Domain& domain, int rounds);

}  // namespace lapwing::probe
