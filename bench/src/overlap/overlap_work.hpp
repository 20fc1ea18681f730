#pragma once
// What `lapwing bench overlap` computes: a box per rank, in a row along y, and one face to each neighbour.

#include "lapwing/grid/extent.hpp"

namespace lapwing::bench {

// nx x ny x nz cells of float64 per rank, x varying fastest, cut along y; a stencil reads `width` cells along x and y.
struct OverlapWork {
    int nx = 64, ny = 40, nz = 25;
    int width = 2;

    // Bytes of the message to one neighbour.
    [[nodiscard]] Index message_bytes() const { return Index{8} * nx * width * nz; }
    [[nodiscard]] Extent extent() const { return Extent::cross(width); }
};

}  // namespace lapwing::bench
