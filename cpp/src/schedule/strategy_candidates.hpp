#pragma once
// The strategies that `auto` tries, as a pure function of what is known. No memory, no MPI.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/schedule/strategy.hpp"

namespace lapwing {

// Strategies with exchanges as late as possible. Blocking comes first: the rest must beat it.
std::vector<Strategy> late_candidates();

// Strategies with one exchange every few steps, each without and with hiding it.
std::vector<Strategy> deep_candidates();

// Strategies for data that a cache does not hold: tiles, through one step or several. Worth a trial on one rank too.
std::vector<Strategy> tiled_candidates();

// True if rims of `width` are worth a trial around an owned box: there is memory for them, and they do not reach beyond
// the next box of its size.
bool has_room(const Box& owned, const Box& allocated, const Extent& width);

// Returns the number of steps after which a run by the strategy is back where it began, in a cycle of this many lists.
int period_of(const Strategy& strategy, int cycle);

}  // namespace lapwing
