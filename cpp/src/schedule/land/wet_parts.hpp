#pragma once
// The parts of a box that hold its water.

#include <functional>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// True if a column must be computed.
using IsWet = std::function<bool(Index i, Index j)>;

// Returns disjoint parts of `box` that hold all of its wet columns, none if it is dry, with the z range of `box`: the
// stretches of water of each row, in the order of memory, joined where no more than `gap` columns of land lie between
// them. Rows one above the other with the same single stretch are one part. Local. Cost: the columns of the box.
std::vector<Box> wet_rows(const Box& box, const IsWet& wet, Index gap);

// The cost of a box besides its columns, in columns.
struct BoxCost {
    Index call = 0;  // cost of a call of the kernel
    Index row = 0;   // cost of a row that does not go on where the row before ended
    friend auto operator<=>(const BoxCost&, const BoxCost&) = default;
};

// The same as few large boxes: halves of halves, each trimmed to its water, wherever that costs less than one box.
// Local. Cost: the columns of the box.
std::vector<Box> wet_halves(const Box& box, const IsWet& wet, const BoxCost& cost);

}  // namespace lapwing
