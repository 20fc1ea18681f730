#pragma once
// What `lapwing bench exchange` exchanges.

#include <array>

#include "lapwing/grid/box.hpp"

namespace lapwing::bench {

// `fields` float64 fields of nx x ny cells per rank and `levels` levels (0: a 2D field), halo `width`,
// corners, both axes periodic, blocks[0] x blocks[1] ranks, x varying fastest.
struct ExchangeWork {
    int nx = 60, ny = 60;
    int levels = 0;
    int fields = 1;
    int width = 2;
    std::array<int, 2> blocks{1, 1};
    bool levels_fastest = false;  // in memory; else x

    [[nodiscard]] int layers() const { return levels > 0 ? levels : 1; }
    [[nodiscard]] int size(int axis) const { return axis == 0 ? nx : ny; }
    // Cells of one rank with the halo of one field, all levels.
    [[nodiscard]] Index3 allocated() const { return {nx + 2 * width, ny + 2 * width, layers()}; }
    // Bytes that arrive in the halos of one rank in one exchange.
    [[nodiscard]] Index halo_bytes() const;
    // Values between neighbours in x, y and z of an array with halo in the work's own order.
    [[nodiscard]] Index3 strides() const;
};

// Place of a rank among the blocks, and who stands `dx`, `dy` blocks away, around the edge too.
std::array<int, 2> place_of(const ExchangeWork& work, int rank);
int neighbour_of(const ExchangeWork& work, int rank, int dx, int dy);

}  // namespace lapwing::bench
