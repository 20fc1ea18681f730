#include "grid/periodic_image.hpp"

namespace lapwing {

namespace {

Index floor_divide(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

std::vector<Index3> periodic_images(const Grid& grid, const Box& box) {
    Index3 first{0, 0, 0}, last{0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        if (!grid.periodic[a]) continue;
        first[a] = floor_divide(box.lo[a], grid.size[a]);
        last[a] = floor_divide(box.hi[a] - 1, grid.size[a]);
    }
    std::vector<Index3> offsets;
    for (Index k = first[2]; k <= last[2]; ++k) {
        for (Index j = first[1]; j <= last[1]; ++j) {
            for (Index i = first[0]; i <= last[0]; ++i) {
                offsets.push_back({i * grid.size[0], j * grid.size[1], k * grid.size[2]});
            }
        }
    }
    return offsets;
}

}  // namespace lapwing
