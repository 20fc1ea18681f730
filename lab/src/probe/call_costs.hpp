#pragma once
// The cost of the small calls of which a halo exchange consists when its messages are short.

#include <map>
#include <string>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::probe {

// Seconds per call, means over `rounds` of each, of the slowest rank; names as in docs/guide/machine-files.md. On
// several ranks all of them, with empty messages around a ring of all ranks; on one only those without messages.
// Collective over the domain; throws UserError on all ranks for fewer than one round, OutsideError when MPI fails.
std::map<std::string, double> call_costs(const Domain& domain, int rounds);

// The time to copy pieces of a field to a message, s per byte and per piece that lies in a row in memory.
struct PackingCosts {
    double byte = 0;
    double row = 0;
};

// The least of `rounds`, of a message of 64 KiB: in one piece, and in rows of two values that lie 512 bytes apart.
// Local; throws UserError for fewer than one round.
PackingCosts packing_costs(int rounds);

}  // namespace lapwing::probe
