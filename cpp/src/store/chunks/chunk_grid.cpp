#include "store/chunks/chunk_grid.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace lapwing {

namespace {

Index divided_up(Index n, Index by) { return (n + by - 1) / by; }

}  // namespace

Index3 ChunkGrid::at(const Box& box, Index level) const {
    return {box.lo[0] / chunk[0], box.lo[1] / chunk[1], (box.lo[2] + level) / chunk[2]};
}

Partition ChunkGrid::partition(int ranks, Index levels) const {
    std::vector<Subdomain> shares;
    for (Index k = 0; k < levels; k += chunk[2])
        for (Index j = 0; j < size[1]; j += chunk[1])
            for (Index i = 0; i < size[0]; i += chunk[0]) {
                shares.push_back({0,
                                  {{i, j, k},
                                   {std::min(i + chunk[0], size[0]), std::min(j + chunk[1], size[1]),
                                    std::min(k + chunk[2], levels)}}});
            }
    const auto count = std::ssize(shares);
    for (Index n = 0; n < count; ++n) shares[n].rank = static_cast<int>(n * ranks / count);
    return {Grid{{size[0], size[1], levels}}, ranks, std::move(shares)};
}

ChunkGrid chunk_grid(const Index3& size, Index value_bytes, Index chunk_bytes) {
    const Index layer = size[0] * size[1] * value_bytes;
    const Index rows = layer > chunk_bytes ? divided_up(size[1], divided_up(layer, chunk_bytes)) : size[1];
    return {size, {size[0], rows, std::min(size[2], std::max<Index>(1, chunk_bytes / layer))}};
}

Index3 map_size(const Grid& grid, const FieldSpec& spec) {
    return {grid.size[0], grid.size[1], spec.levels > 0 ? spec.levels : grid.size[2]};
}

}  // namespace lapwing
