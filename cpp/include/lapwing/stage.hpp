#pragma once
// Stages as numbers: what a loop reads and writes, without its kernel.

#include <optional>
#include <string>
#include <vector>

#include "lapwing/box.hpp"
#include "lapwing/extent.hpp"

namespace lapwing {

// A field, by its number, and how far a stage reads around each cell it computes.
struct Read {
    int field = 0;
    Extent extent;
    friend bool operator==(const Read&, const Read&) = default;
};

// One loop of a model over the owned cells, or over those of a region (a boundary strip).
struct StageSpec {
    std::string name;
    std::vector<Read> reads;
    std::vector<int> writes;
    std::optional<Box> region;
};

}  // namespace lapwing
