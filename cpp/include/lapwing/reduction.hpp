#pragma once
// Reductions whose result is the same bits on any number of ranks.

#include "lapwing/box.hpp"
#include "lapwing/domain.hpp"

namespace lapwing {

// Whether `mine` is true on any rank. Collective, one reduction.
bool any(const Domain& domain, bool mine);

// The least of all ranks' values. Collective, one reduction.
Index minimum(const Domain& domain, Index mine);

// The greatest of all ranks' values, none of which may be a NaN. Collective, one reduction.
double maximum(const Domain& domain, double mine);

// The value of rank `rank` on all ranks. Collective, one broadcast.
double value_of(const Domain& domain, int rank, double mine);

}  // namespace lapwing
