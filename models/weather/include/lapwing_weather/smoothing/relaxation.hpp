#pragma once
// Lateral boundaries of a limited area: what comes out of a step is drawn towards given values near the edge.

#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_weather {

// A field and its boundary values; faces of `axis` (0 or 1) lie half a cell ahead, -1: centres.
struct Relaxed {
    lapwing::View<double> field;
    std::array<lapwing::View<double>, 2> given;  // boundary values of two records, or twice the same
    lapwing::Index levels = 1;
    int axis = -1;
};

struct RelaxationContext {
    std::vector<Relaxed> fields;
    lapwing::Index cells_x = 0, cells_y = 0;        // of the whole grid
    lapwing::Index width = 8;                       // of the frame, cells
    std::vector<double> weights;                    // by distance, width + 1 of them, the last 0
    const std::array<double, 2>* shares = nullptr;  // of the two in what is given, sum 1
};

// Share of the given value at a distance (cells) from the outermost points: 1 there, 0 from `width` on, half a cosine
// between (Davies 1976). Local.
double relaxation_weight(lapwing::Index distance, lapwing::Index width);

// Of all distances up to the width of the frame. Local.
std::vector<double> relaxation_weights(lapwing::Index width);

// field <- field + weight (given - field) in the cells of `box`; the context is a RelaxationContext. Local; reads no
// other cell. Faces on the very edge, beyond which there is no cell, are left as they are.
void relax(void* context, lapwing::Box box);

}  // namespace lapwing_weather
