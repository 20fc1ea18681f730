#include "lapwing/partition/node_order.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

// The middle of a rank's boxes along an axis, doubled to stay whole; 0 for a rank without boxes.
std::vector<Index3> middles(const Partition& partition) {
    std::vector<Index3> middle;
    for (int rank = 0; rank < partition.ranks(); ++rank) {
        Box all;
        for (const int number : partition.subdomains_of(rank)) all = hull(all, partition.subdomain(number).box);
        middle.push_back({all.lo[0] + all.hi[0], all.lo[1] + all.hi[1], all.lo[2] + all.hi[2]});
    }
    return middle;
}

// Puts `ranks` in their new order.
void order(std::span<int> ranks, const std::vector<Index3>& middle, int per_node) {
    if (ranks.size() <= 1) return;
    const std::size_t each = ranks.size() > static_cast<std::size_t>(per_node) ? static_cast<std::size_t>(per_node) : 1;
    const auto along = [&](int axis) {
        return [&middle, axis](int rank) { return std::pair(middle[rank][axis], rank); };
    };
    int longest = 0;
    Index length = -1;
    for (int axis = 0; axis < 3; ++axis) {
        const auto [least, most] = std::ranges::minmax_element(ranks, {}, along(axis));
        const Index here = along(axis)(*most).first - along(axis)(*least).first;
        if (here > length) longest = axis, length = here;
    }
    std::ranges::sort(ranks, {}, along(longest));
    const std::size_t units = (ranks.size() + each - 1) / each, left = units / 2 * each;
    order(ranks.first(left), middle, per_node);
    order(ranks.subspan(left), middle, per_node);
}

// Blocks between cuts that go all through the grid: how many along each axis, and the place of each rank's.
struct Blocks {
    Index3 count{1, 1, 1};
    std::vector<Index3> place;  // place of the rank's block
};

// Returns the blocks if each rank has one between such cuts.
std::optional<Blocks> regular_blocks(const Partition& partition) {
    const auto has_one = [&](int rank) { return partition.subdomains_of(rank).size() == 1; };
    if (!partition.aligned() || !std::ranges::all_of(std::views::iota(0, partition.ranks()), has_one)) return {};
    Blocks blocks;
    blocks.place.resize(partition.ranks());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::set<Index> begins;
        for (const Subdomain& one : partition.subdomains()) begins.insert(one.box.lo[axis]);
        blocks.count[axis] = std::ssize(begins);
        for (const Subdomain& one : partition.subdomains())
            blocks.place[one.rank][axis] = std::distance(begins.begin(), begins.find(one.box.lo[axis]));
    }
    return blocks;
}

// The rectangle of `per_node` blocks, tiles of which make up all of them, whose sides have the least halo; none: no
// such.
std::optional<Index3> best_tile(const Index3& count, Index per_node, const Index3& size) {
    std::optional<Index3> best;
    Index least = 0;
    for (Index a = 1; a <= std::min(per_node, count[0]); ++a)
        for (Index b = 1; b <= std::min(per_node / a, count[1]); ++b) {
            const Index3 tile{a, b, per_node / (a * b)};
            if (a * b * tile[2] != per_node) continue;
            Index surface = 0;  // cells, of a tile in the middle
            bool fits = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                fits = fits && count[axis] % tile[axis] == 0;
                const std::size_t one = (axis + 1) % 3, other = (axis + 2) % 3;
                if (tile[axis] < count[axis])
                    surface += tile[one] * size[one] / count[one] * tile[other] * size[other] / count[other];
            }
            if (!fits || (best && surface >= least)) continue;
            best = tile;
            least = surface;
        }
    return best;
}

// Node after node, x fastest.
void order_tiles(std::vector<int>& ranks, const Blocks& blocks, const Index3& tile) {
    const auto place = [&](int rank) {
        const Index3& at = blocks.place[rank];
        return std::array{at[2] / tile[2], at[1] / tile[1], at[0] / tile[0], at[2], at[1], at[0]};
    };
    std::ranges::sort(ranks, {}, place);
}

}  // namespace

Partition node_ordered(const Partition& partition, int ranks_per_node) {
    if (ranks_per_node < 1) {
        user_error("ranks per node", ranks_per_node, "at least 1", "give the ranks that share a node");
    }
    std::vector<int> old(partition.ranks());
    std::iota(old.begin(), old.end(), 0);
    const auto blocks = regular_blocks(partition);
    const auto tile = blocks ? best_tile(blocks->count, ranks_per_node, partition.grid().size) : std::nullopt;
    if (tile) {
        order_tiles(old, *blocks, *tile);
    } else {
        order(old, middles(partition), ranks_per_node);
    }
    std::vector<int> now(old.size());
    for (std::size_t rank = 0; rank < old.size(); ++rank) now[old[rank]] = static_cast<int>(rank);
    std::vector<Subdomain> subdomains = partition.subdomains();
    for (Subdomain& one : subdomains) one.rank = now[one.rank];
    std::ranges::stable_sort(subdomains, {}, &Subdomain::rank);
    return {partition.grid(), partition.ranks(), std::move(subdomains)};
}

}  // namespace lapwing
