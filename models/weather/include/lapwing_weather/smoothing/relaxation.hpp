#pragma once
// Lateral boundaries of a limited area: what comes out of a step is drawn towards given values near the edge.

#include <array>
#include <vector>

#include "lapwing_weather/points.hpp"

namespace lapwing_weather {

// Share of the given value at a distance (cells) from the outermost points: 1 there, 0 from `width` on, half a cosine
// between (Davies 1976). Local.
double relaxation_weight(lapwing::Index distance, lapwing::Index width);

// Returns the weights of all distances up to the width of the frame. Local.
std::vector<double> relaxation_weights(lapwing::Index width);

// The cells of the frame as strips that overlap in nothing; none without a width. Faces have a point less than centres
// along their axis, so that theirs begin a cell earlier at the far sides; centres there have a weight of 0. Local.
std::vector<lapwing::Box> frame(const lapwing::Index3& size, lapwing::Index width);

// field <- field + weight (given - field). Local; reads no other cell. Faces on the very edge, beyond which there is no
// cell, are left as they are.
struct Relaxation {
    std::vector<Points> points;           // of the fields
    std::array<lapwing::Index, 2> cells;  // of the whole grid
    lapwing::Index width;                 // of the frame, cells
    std::vector<double> weights;          // by distance, width + 1 of them, the last 0
    const std::array<double, 2>* shares;  // of two records in what is given, sum 1

    // `given`: the fields of one record, or of two records one after the other.
    void operator()(lapwing::Box box, const Views& fields, const ConstViews& given) const;
};

}  // namespace lapwing_weather
