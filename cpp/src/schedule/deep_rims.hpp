#pragma once
// The width of the rims of `deep`: the rims of stages that nothing has to come in between, and so the halos that they
// read.

#include <cstddef>
#include <vector>

#include "lapwing/grid/extent.hpp"
#include "lapwing/schedule/schedule.hpp"

namespace lapwing {

// The extent to which each stage of some steps in a row computes beyond the owned box: [step of the window][stage].
using Window = std::vector<std::vector<Extent>>;

// The rims of `repetitions` steps from `position` on, so that nothing has to come in between. Local.
Window window_from(const Cycle& cycle, int fields, std::size_t position, int repetitions);

// The rims of one step in which no message is needed during `repetitions` of its loops; 0: the rims that stages declare
// themselves.
Window window_within(const std::vector<StageSpec>& stages, int fields, int repetitions);

}  // namespace lapwing
