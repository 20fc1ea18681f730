#pragma once
// Stages as numbers: what a loop reads and writes, without its kernel.

#include <optional>
#include <string>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/grid.hpp"

namespace lapwing {

// A field, by its number, and how far a stage reads around each cell it computes.
struct Read {
    int field = 0;
    Extent extent;
    // Halo on demand: widths of the available exchanges, ascending, the last being the width of `extent`; empty: the
    // width is fixed.
    std::vector<int> widths{};
    friend bool operator==(const Read&, const Read&) = default;
};

// One loop of a model over the owned cells, or over the cells of a region (a boundary strip).
struct StageSpec {
    std::string name;
    std::vector<Read> reads;
    std::vector<int> writes;
    std::optional<Box> region{};
    bool in_place = false;    // may read around a cell what it writes: its cells can be computed in any order
    Extent rim{};             // computed beyond the owned box, so that halos of this width stay fresh
    bool reduces = false;     // ends with a number that all ranks agree on, or with other work of all of them
    int repeats = 0;          // stages up to this one that are run again while that number is above 0
    int iteration = -1;       // iteration of a loop of known length that the stage is in; -1: in none
    bool collective = false;  // all ranks change what it wrote together: right on owned cells only, never on a rim
    // never on a rim either: it reads all components of a field there whose halo holds some of them only
    bool owned_only = false;
    bool slow_calls = false;    // a call of its kernel costs as much as ten thousand cells: an interpreter's
    std::vector<Read> sends{};  // halos exchanged after it, each on its own, even if no stage needs them
};

// True if the stage writes the field. Local.
bool writes(const StageSpec& stage, int field);

// Returns the cells that the stage computes in the owned box `owned` with `rim` around it, clipped to the region and,
// along axes that are not periodic, to the grid. Several boxes if a region and its periodic images are hit. Local.
std::vector<Box> computed_boxes(const StageSpec& stage, const Box& owned, const Extent& rim, const Grid& grid);

}  // namespace lapwing
