#pragma once
// The strategies that `auto` tries, as a pure function of what is known. No memory, no MPI.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/schedule/strategy.hpp"

namespace lapwing {

// Ways to run a step with exchanges as late as can be. Blocking first: the others must beat it.
std::vector<Strategy> late_candidates();

// Ways with one exchange every so many steps, each without hiding it and with.
std::vector<Strategy> deep_candidates();

// True if rims of `width` are worth a trial around an owned box: there is memory for them, and they do not reach beyond
// the next box of its size.
bool has_room(const Box& owned, const Box& allocated, const Extent& width);

// Steps after which a run by the strategy is where it began, in a cycle of so many lists.
int period_of(const Strategy& strategy, int cycle);

}  // namespace lapwing
