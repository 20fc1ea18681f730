// Partitions of any grid (blocks, the best blocks, boxes of a user): boxes lie in the grid and do not overlap, and a
// walk over the cells of a box finds the boxes that overlap it.

#include <algorithm>

#include "input/fuzz_partitions.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

Grid any_grid(Bytes& bytes) {
    Grid grid;
    for (Index& cells : grid.size) cells = bytes.mostly(1, 8);
    const int closed = bytes.byte();
    for (std::size_t a = 0; a < 3; ++a) grid.periodic[a] = (closed >> a & 1) != 0;
    return grid;
}

Box any_box(Bytes& bytes) {
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] = bytes.mostly(-3, 9);
        box.hi[a] = bytes.coin() ? bytes.mostly(-3, 12) : box.lo[a] + 1;
    }
    return box;
}

bool is_small(const Grid& grid) {
    return std::ranges::all_of(grid.size, [](Index cells) { return cells <= 8; });
}

// Whom a box overlaps, as a walk over its cells says.
std::vector<int> walked(const Partition& partition, const Box& box) {
    std::vector<int> found;
    for (int s = 0; s < std::ssize(partition.subdomains()); ++s) {
        bool any = false;
        each_cell(box, [&](Index3 cell) {
            any = any || (wrap(partition.grid(), cell) && partition.subdomain(s).box.contains(cell));
        });
        if (any) found.push_back(s);
    }
    return found;
}

void check_partition(Bytes& bytes, const Partition& partition) {
    const Box whole = partition.grid().box();
    std::size_t listed = 0;
    for (int rank = 0; rank < partition.ranks(); ++rank) listed += partition.subdomains_of(rank).size();
    require(listed == partition.subdomains().size(), "every box has a rank");
    for (const Subdomain& a : partition.subdomains()) {
        require(!a.box.empty() && whole.contains(a.box), "boxes are in the grid");
        for (const Subdomain& b : partition.subdomains())
            require(&a == &b || intersect(a.box, b.box).empty(), "boxes do not overlap");
    }
    require(!to_string(partition).empty(), "it can be printed");
    if (!is_small(partition.grid())) return;
    const Index i = bytes.between(-9, 9), j = bytes.between(-7, 7), k = bytes.between(-3, 3);
    const Box box{{i, j, k}, {i + bytes.between(1, 9), j + bytes.between(1, 7), k + bytes.between(1, 3)}};
    require(partition.overlapping_images(box) == walked(partition, box), "images overlap as a walk says");
    const Box inside = intersect(box, whole);
    require(partition.overlapping(box) == walked(partition, inside), "boxes overlap as a walk says");
}

void make_blocks(Bytes& bytes, const Grid& grid) {
    Index3 blocks{};
    for (Index& along : blocks) along = bytes.mostly(0, 4);
    if (blocks[0] > 64 || blocks[1] > 64 || blocks[2] > 64) return;  // as many boxes as are asked for
    refused([&] { check_partition(bytes, block_partition(grid, blocks)); });
}

void make_best_blocks(Bytes& bytes, const Grid& grid) {
    const int ranks = bytes.between(-2, 64), width = bytes.mostly_int(0, 3);
    Index3 blocks{};
    if (refused([&] { blocks = best_blocks(grid, ranks, width); })) return;
    require(blocks[0] * blocks[1] * blocks[2] == ranks, "as many blocks as ranks");
    check_partition(bytes, block_partition(grid, blocks));
}

void take_boxes(Bytes& bytes, const Grid& grid) {
    const int ranks = bytes.coin() ? bytes.between(1, 4) : bytes.between(-1, 40);
    std::vector<Subdomain> boxes;
    for (int n = bytes.between(0, 5); n > 0; --n) boxes.push_back({bytes.mostly_int(0, 3), any_box(bytes)});
    refused([&] { check_partition(bytes, Partition(grid, ranks, boxes)); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.between(0, 3);
    if (what == 3) {
        const Grid grid = small_grid(bytes, 3);
        check_partition(bytes, small_partition(bytes, grid));
        return 0;
    }
    const Grid grid = any_grid(bytes);
    if (what == 0) make_blocks(bytes, grid);
    if (what == 1) make_best_blocks(bytes, grid);
    if (what == 2) take_boxes(bytes, grid);
    return 0;
}
