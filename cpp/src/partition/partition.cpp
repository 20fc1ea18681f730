#include "lapwing/partition/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

Partition::Partition(Grid grid, int ranks, std::vector<Subdomain> subdomains)
    : grid_(grid), ranks_(ranks), subdomains_(std::move(subdomains)) {
    check(grid_);
    if (ranks_ < 1) user_error("ranks", ranks_, "at least 1", "ask for a rank");
    by_rank_.resize(ranks_);
    for (std::size_t n = 0; n < subdomains_.size(); ++n) {
        const auto& [rank, box] = subdomains_[n];
        if (rank < 0 || rank >= ranks_) {
            user_error(concat("rank of subdomain ", n), rank, concat("0 <= rank < ", ranks_), "number ranks from 0");
        }
        if (box.empty() || !grid_.box().contains(box)) {
            user_error(concat("box of subdomain ", n, " (rank ", rank, ")"), box,
                       concat("a box with cells, inside ", grid_.box()),
                       "leave empty boxes out and cut boxes at the grid");
        }
        const Index columns = columns_of_face(grid_);
        if (box.lo[0] / columns != (box.hi[0] - 1) / columns) {
            user_error(concat("box of subdomain ", n, " (rank ", rank, ")"), box,
                       concat("cells of one face, of ", columns, " columns each"), "cut boxes where faces end");
        }
        by_rank_[rank].push_back(static_cast<int>(n));
    }
    index_subdomains();
    check_disjoint();
    aligned_ = find_aligned();
}

namespace {

// Calls visit(bin) for every bin of a lattice of `bins` over `grid` that `box`, which lies inside, touches.
template <class Visit>
void for_bins(const Grid& grid, const Index3& bins, const Box& box, Visit&& visit) {
    Index3 first, last;
    for (int a = 0; a < 3; ++a) {
        const Index cells = (grid.size[a] - 1) / bins[a] + 1;  // along a bin
        first[a] = box.lo[a] / cells;
        last[a] = (box.hi[a] - 1) / cells;
    }
    for (Index k = first[2]; k <= last[2]; ++k) {
        for (Index j = first[1]; j <= last[1]; ++j) {
            for (Index i = first[0]; i <= last[0]; ++i) {
                visit((k * bins[1] + j) * bins[0] + i);
            }
        }
    }
}

}  // namespace

void Partition::index_subdomains() {
    int axes = 0;
    for (int a = 0; a < 3; ++a) axes += grid_.size[a] > 1;
    const double n = static_cast<double>(std::max<std::size_t>(1, subdomains_.size()));
    const auto per_axis = static_cast<Index>(std::ceil(std::pow(n, 1.0 / std::max(1, axes))));
    for (int a = 0; a < 3; ++a) bins_[a] = std::min(per_axis, grid_.size[a]);
    in_bin_.resize(bins_[0] * bins_[1] * bins_[2]);
    for (std::size_t s = 0; s < subdomains_.size(); ++s) {
        for_bins(grid_, bins_, subdomains_[s].box,
                 [&](std::size_t bin) { in_bin_[bin].push_back(static_cast<int>(s)); });
    }
}

const std::vector<int>& Partition::subdomains_of(int rank) const {
    if (rank < 0 || rank >= ranks_) {
        user_error("rank", rank, concat("0 <= rank < ", ranks_), "ask for a rank of the partition");
    }
    return by_rank_[rank];
}

std::vector<int> Partition::overlapping(const Box& box) const {
    std::vector<int> found;
    const Box inside = intersect(box, grid_.box());
    if (inside.empty()) return found;
    for_bins(grid_, bins_, inside, [&](std::size_t bin) {
        for (int s : in_bin_[bin]) {
            if (!intersect(subdomains_[s].box, inside).empty()) found.push_back(s);
        }
    });
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::vector<int> Partition::overlapping_images(const Box& box) const {
    std::set<int> found;
    for (const Index3& offset : periodic_images(grid_, box)) {
        const auto here = overlapping(shift(box, {-offset[0], -offset[1], -offset[2]}));
        found.insert(here.begin(), here.end());
    }
    return {found.begin(), found.end()};
}

void Partition::check_disjoint() const {
    for (std::size_t s = 0; s < subdomains_.size(); ++s) {
        for (int other : overlapping(subdomains_[s].box)) {
            if (other == static_cast<int>(s)) continue;
            const auto& a = subdomains_[s];
            const auto& b = subdomains_[other];
            user_error(concat("boxes of ranks ", a.rank, " and ", b.rank), concat(a.box, " and ", b.box),
                       "boxes without a common cell", "give every cell to one rank");
        }
    }
}

bool Partition::find_aligned() const {
    std::size_t boxes = 1;
    for (int a = 0; a < 3; ++a) {
        std::set<std::pair<Index, Index>> ranges;
        for (const auto& s : subdomains_) ranges.emplace(s.box.lo[a], s.box.hi[a]);
        // Ranges of one axis must tile it: sorted, each starts where the former ends.
        Index end = 0;
        for (const auto& [lo, hi] : ranges) {
            if (lo != end) return false;
            end = hi;
        }
        if (end != grid_.size[a]) return false;
        boxes *= ranges.size();
    }
    return boxes == subdomains_.size();
}

std::pair<Index, Index> block_range(Index n, int parts, int part) {
    const Index size = n / parts, larger = n % parts;
    const Index lo = part * size + std::min<Index>(part, larger);
    return {lo, lo + size + (part < larger ? 1 : 0)};
}

namespace {

// Halo cells of the block that has most, the cost by which `best_blocks` chooses. Beyond the edge of
// a grid that is not periodic there is no halo. Larger parts come first, so the block with most is
// the first or the second along each axis.
double halo_cells(const Grid& grid, const Index3& blocks, int width) {
    double most = 0;  // exact for every grid on which anything can be computed
    for (int kind = 0; kind < 8; ++kind) {
        double cells = 1, with_halo = 1;
        for (int a = 0; a < 3; ++a) {
            const int part = static_cast<int>(std::min<Index>(kind >> a & 1, blocks[a] - 1));
            const auto [lo, hi] = block_range(grid.size[a], static_cast<int>(blocks[a]), part);
            Index reach = 2 * Index{width};
            if (!grid.periodic[a]) {
                const bool folded = a == 1 && grid.north_fold != NorthFold::none;
                reach = std::min<Index>(width, lo) + (folded ? width : std::min<Index>(width, grid.size[a] - hi));
            }
            cells *= static_cast<double>(hi - lo);
            with_halo *= static_cast<double>(hi - lo) + static_cast<double>(grid.size[a] > 1 ? reach : 0);
        }
        most = std::max(most, with_halo - cells);
    }
    return most;
}

}  // namespace

namespace {

// The best blocks of one face, which goes on beyond all its sides, times the number of faces.
Index3 best_blocks_of_faces(const Grid& grid, int ranks, int width) {
    const int faces = grid.faces.count();
    if (ranks % faces != 0)
        user_error("ranks", concat(ranks, " on ", faces, " faces"), "a multiple of the faces: one box per rank",
                   "use best_partition, which gives ranks several boxes");
    Index3 blocks = best_blocks({{columns_of_face(grid), grid.size[1], grid.size[2]}, {true, true, grid.periodic[2]}},
                                ranks / faces, width);
    blocks[0] *= faces;
    return blocks;
}

}  // namespace

Index3 best_blocks(const Grid& grid, int ranks, int width) {
    check(grid);
    if (!grid.faces.none()) return best_blocks_of_faces(grid, ranks, width);
    if (width < 0) user_error("width of the halo", width, "at least 0 cells", "change it");
    Index3 best{0, 0, 0};
    // Equal halos: the shape with longer x rows wins, its loops are longer.
    auto best_cost = std::make_tuple(0.0, Index{0}, Index{0});
    for (Index m = 1; m <= ranks; ++m) {
        if (ranks % m != 0) continue;
        for (Index n = 1; n <= ranks / m; ++n) {
            if ((ranks / m) % n != 0) continue;
            const Index3 blocks{m, n, ranks / m / n};
            if (blocks[0] > grid.size[0] || blocks[1] > grid.size[1] || blocks[2] > grid.size[2]) continue;
            const auto cost = std::make_tuple(halo_cells(grid, blocks, width), m, n);
            if (best[0] == 0 || cost < best_cost) {
                best = blocks;
                best_cost = cost;
            }
        }
    }
    if (best[0] == 0) {
        user_error("ranks", concat(ranks, " on ", grid),
                   "a number of ranks whose factors fit the axes, at least one cell per block",
                   "use fewer ranks or give the boxes yourself");
    }
    return best;
}

void check_blocks(const Grid& grid, const Index3& blocks, int axis) {
    if (blocks[axis] >= 1 && blocks[axis] <= grid.size[axis]) return;
    user_error("blocks along " + std::string(1, "xyz"[axis]), blocks[axis],
               concat("1 to ", grid.size[axis], ", the cells along that axis"),
               "use fewer ranks or another shape of blocks");
}

namespace {

// The columns of a part of `parts`, which cut every face alike.
std::pair<Index, Index> column_range(const Grid& grid, Index parts, Index part) {
    const Index each = parts / std::max(1, grid.faces.count()), face = part / each;
    const auto [lo, hi] = block_range(columns_of_face(grid), static_cast<int>(each), static_cast<int>(part % each));
    return {face * columns_of_face(grid) + lo, face * columns_of_face(grid) + hi};
}

}  // namespace

Partition block_partition(const Grid& grid, const Index3& blocks) {
    check(grid);
    for (int a = 0; a < 3; ++a) check_blocks(grid, blocks, a);
    if (!grid.faces.none() && blocks[0] % grid.faces.count() != 0)
        user_error("blocks along x", blocks[0], concat("a multiple of ", grid.faces.count(), ", the faces"),
                   "cut each face alike, or use best_partition");
    std::vector<Subdomain> subdomains;
    for (int k = 0; k < blocks[2]; ++k) {
        for (int j = 0; j < blocks[1]; ++j) {
            for (int i = 0; i < blocks[0]; ++i) {
                Subdomain s{static_cast<int>(subdomains.size()), {}};
                const std::array<int, 3> part{i, j, k};
                std::tie(s.box.lo[0], s.box.hi[0]) = column_range(grid, blocks[0], i);
                for (int a = 1; a < 3; ++a) {
                    std::tie(s.box.lo[a], s.box.hi[a]) =
                        block_range(grid.size[a], static_cast<int>(blocks[a]), part[a]);
                }
                subdomains.push_back(s);
            }
        }
    }
    const int ranks = static_cast<int>(subdomains.size());
    return {grid, ranks, std::move(subdomains)};
}

Partition best_partition(const Grid& grid, int ranks, int width) {
    check(grid);
    if (grid.faces.none() || ranks < 1) return block_partition(grid, best_blocks(grid, ranks, width));
    const int faces = grid.faces.count(), boxes = std::lcm(faces, ranks);
    std::vector<Subdomain> all = block_partition(grid, best_blocks(grid, boxes, width)).subdomains();
    // face after face, so that the boxes of a rank are neighbours
    const Index columns = columns_of_face(grid);
    std::ranges::stable_sort(all, {}, [&](const Subdomain& s) { return s.box.lo[0] / columns; });
    for (std::size_t n = 0; n < all.size(); ++n) all[n].rank = static_cast<int>(n) / (boxes / ranks);
    return {grid, ranks, std::move(all)};
}

void check_size(const Mask& mask, const Grid& grid) {
    if (mask.nx() == grid.size[0] && mask.ny() == grid.size[1]) return;
    user_error("mask", concat(mask.nx(), " x ", mask.ny(), " columns"),
               concat(grid.size[0], " x ", grid.size[1], " columns"), "give the mask the size of the grid");
}

Partition trimmed(const Partition& partition, const Mask& mask) {
    const Grid& grid = partition.grid();
    check_size(mask, grid);
    std::vector<Subdomain> wet;
    for (Subdomain s : partition.subdomains()) {
        s.box = mask.wet_bounds(s.box);
        if (s.box.empty()) {
            user_error(concat("box of rank ", s.rank), "no wet cell", "at least one", "drop the rank or cut elsewhere");
        }
        wet.push_back(s);
    }
    return {grid, partition.ranks(), std::move(wet)};
}

std::string to_string(const Partition& partition) {
    std::string text =
        concat(partition.grid(), " on ", partition.ranks(), " ranks, ", partition.subdomains().size(), " boxes");
    if (partition.subdomains().empty()) return text;
    const auto by_volume = [](const Subdomain& a, const Subdomain& b) { return a.box.volume() < b.box.volume(); };
    const auto [smallest, largest] = std::ranges::minmax_element(partition.subdomains(), by_volume);
    return concat(text, ", smallest ", smallest->box, " (", smallest->box.volume(), " cells), largest ", largest->box,
                  " (", largest->box.volume(), " cells)");
}

std::string listed_boxes(const Partition& partition) {
    std::string text = concat(partition.grid(), " on ", partition.ranks(), " ranks");
    for (const Subdomain& s : partition.subdomains()) text += concat("\n", s.box, " of rank ", s.rank);
    return text;
}

}  // namespace lapwing
