#include "lapwing/partition/wet_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "base/bisect.hpp"
#include "lapwing/base/error.hpp"
#include "partition/box_cost.hpp"

namespace lapwing {

namespace {

constexpr Index kFewerRows = 2000;  // over the ranks: this many rows fewer than the most are tried too

// A block with water: its place among the blocks and its wet bounds.
struct WetBlock {
    Index i = 0, j = 0;
    Box box;
};

// Calls visit(i, j, box) for the blocks with water, row by row, while it returns true; returns true if it did for all.
template <class Visit>
bool for_wet_blocks(const Grid& grid, const Mask& mask, Index m, Index n, const Visit& visit) {
    Box box = grid.box();
    for (Index j = 0; j < n; ++j) {
        std::tie(box.lo[1], box.hi[1]) = block_range(grid.size[1], static_cast<int>(n), static_cast<int>(j));
        for (Index i = 0; i < m; ++i) {
            std::tie(box.lo[0], box.hi[0]) = block_range(grid.size[0], static_cast<int>(m), static_cast<int>(i));
            if (mask.count(box) > 0 && !visit(i, j, box)) return false;
        }
    }
    return true;
}

std::vector<WetBlock> wet_blocks(const Grid& grid, const Mask& mask, Index m, Index n) {
    std::vector<WetBlock> wet;
    for_wet_blocks(grid, mask, m, n, [&](Index i, Index j, const Box& box) {
        wet.push_back({i, j, mask.wet_bounds(box)});
        return true;
    });
    return wet;
}

// Returns true if at most `most` blocks have water. It skips their bounds: a search calls it for most of its
// candidates.
bool few_wet_blocks(const Grid& grid, const Mask& mask, Index m, Index n, Index most) {
    Index wet = 0;
    return for_wet_blocks(grid, mask, m, n, [&](Index, Index, const Box&) { return ++wet <= most; });
}

Partition one_each(const Grid& grid, const std::vector<WetBlock>& blocks) {
    std::vector<Subdomain> subdomains;
    for (const WetBlock& block : blocks) subdomains.push_back({static_cast<int>(subdomains.size()), block.box});
    const int ranks = static_cast<int>(subdomains.size());
    return {grid, ranks, std::move(subdomains)};
}

void check_request(const Grid& grid, const Mask& mask, int ranks) {
    check_size(mask, grid);
    if (ranks < 1) user_error("ranks", ranks, "at least 1", "ask for a rank");
}

// The largest number of blocks along y, for m along x, that gives at most `ranks` wet ones; 0: not even one does.
Index most_rows(const Grid& grid, const Mask& mask, Index m, int ranks) {
    const auto too_many = [&](Index n) { return !few_wet_blocks(grid, mask, m, n, ranks); };
    return first_that(1, grid.size[1] + 1, too_many) - 1;  // more rows make more wet blocks, except for rounding
}

// The cost of the wet ones of m x n blocks, or infinity once it is above `bound`.
double cost_of(const Grid& grid, const Mask& mask, Index m, Index n, const CostModel& model, double bound) {
    const BoxCost box_cost(grid, mask, model);
    std::vector<WetBlock> blocks;
    double cost = 0;
    const bool within = for_wet_blocks(grid, mask, m, n, [&](Index i, Index j, const Box& box) {
        const int rank = static_cast<int>(blocks.size());
        blocks.push_back({i, j, mask.wet_bounds(box)});
        cost = std::max(cost, box_cost.at_least(blocks.back().box, rank));
        return cost <= bound;
    });
    if (!within) return std::numeric_limits<double>::infinity();
    if (model.ranks_per_node == 1 && model.coefficients.latency == 0) return cost;
    return partition_cost(one_each(grid, blocks), mask, model).cost;
}

}  // namespace

Partition wet_block_partition(const Grid& grid, const Mask& mask, const Index3& blocks) {
    check_size(mask, grid);
    for (int axis = 0; axis < 2; ++axis) check_blocks(grid, blocks, axis);
    return one_each(grid, wet_blocks(grid, mask, blocks[0], blocks[1]));
}

FoundBlocks find_wet_blocks(const Grid& grid, const Mask& mask, int ranks, const CostModel& given) {
    check_request(grid, mask, ranks);
    const CostModel model = checked(given, grid, ranks);
    double least = std::numeric_limits<double>::infinity();
    Index searched = 0;
    Index3 best{1, 1, 1};
    const Index fewer = std::max<Index>(2, kFewerRows / ranks);
    for (Index m = 1; m <= std::min<Index>(grid.size[0], 4 * Index{ranks}); ++m) {
        const Index most = most_rows(grid, mask, m, ranks);
        for (Index n = std::max<Index>(1, most - fewer); n <= std::min(most + 2, grid.size[1]); ++n) {
            if (!few_wet_blocks(grid, mask, m, n, ranks)) continue;
            ++searched;
            const double cost = cost_of(grid, mask, m, n, model, least);
            if (cost >= least) continue;
            least = cost;
            best = {m, n, 1};
        }
    }
    return {wet_block_partition(grid, mask, best), best, searched};
}

namespace {

// The place of (i, j) on the Hilbert curve through a square of `side` (a power of two) places: quarter by quarter, each
// turned such that the curve goes on in the next.
Index hilbert(Index i, Index j, Index side) {
    Index place = 0;
    for (Index half = side / 2; half > 0; half /= 2) {
        const bool right = (i & half) != 0, upper = (j & half) != 0;
        place += half * half * (right ? (upper ? 2 : 3) : (upper ? 1 : 0));
        if (upper) continue;
        if (right) {
            i = side - 1 - i;
            j = side - 1 - j;
        }
        std::swap(i, j);
    }
    return place;
}

// The rank of every weight when they are cut into runs of at most `most`, one for every rank as far as the weights go;
// nothing if `ranks` are too few.
std::optional<std::vector<int>> runs(const std::vector<Index>& weights, Index most, int ranks) {
    std::vector<int> owner;
    int rank = 0;
    Index sum = 0;
    for (const Index weight : weights) {
        const bool awaited = std::ssize(weights) - std::ssize(owner) < ranks - rank;  // later ranks need it
        if (sum + weight > most || (sum > 0 && awaited && rank + 1 < ranks)) {
            if (sum == 0 || ++rank == ranks) return std::nullopt;
            sum = 0;
        }
        sum += weight;
        owner.push_back(rank);
    }
    return owner;
}

// The runs whose heaviest is as light as it can be.
std::vector<int> lightest_runs(const std::vector<Index>& weights, int ranks) {
    const Index least = *std::ranges::max_element(weights),
                most = std::accumulate(weights.begin(), weights.end(), Index{0});
    const auto fits = [&](Index heaviest) { return runs(weights, heaviest, ranks).has_value(); };
    return *runs(weights, first_that(least, most, fits), ranks);
}

// The wet blocks of one shape, assigned along the curve.
Partition assigned(const Grid& grid, const Mask& mask, Index m, Index n, int ranks) {
    auto blocks = wet_blocks(grid, mask, m, n);
    const auto side = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max(m, n))));
    std::ranges::sort(blocks, {}, [&](const WetBlock& b) { return hilbert(b.i, b.j, side); });
    std::vector<Index> weights;
    for (const WetBlock& block : blocks) weights.push_back(mask.count(block.box));
    const std::vector<int> owner = lightest_runs(weights, ranks);
    std::vector<Subdomain> subdomains;
    for (std::size_t b = 0; b < blocks.size(); ++b) subdomains.push_back({owner[b], blocks[b].box});
    return {grid, owner.back() + 1, std::move(subdomains)};
}

}  // namespace

FoundBlocks find_assigned_blocks(const Grid& grid, const Mask& mask, int ranks, const CostModel& given) {
    check_request(grid, mask, ranks);
    const CostModel model = checked(given, grid, ranks);
    const double wet = static_cast<double>(mask.count(grid.box()));
    double least = std::numeric_limits<double>::infinity();
    std::optional<FoundBlocks> best;
    for (const int per_rank : {2, 3, 4, 6, 8}) {
        // about square blocks
        const double side = std::max(1.0, std::sqrt(wet / ranks / per_rank));
        Index3 blocks{1, 1, 1};
        for (int axis = 0; axis < 2; ++axis) {
            blocks[axis] =
                std::clamp<Index>(std::llround(static_cast<double>(grid.size[axis]) / side), 1, grid.size[axis]);
        }
        Partition partition = assigned(grid, mask, blocks[0], blocks[1], ranks);
        if (partition.ranks() < std::min<Index>(ranks, mask.count(grid.box()))) continue;  // too few blocks
        const double cost = partition_cost(partition, mask, model).cost;
        if (best && cost >= least) continue;
        least = cost;
        best = FoundBlocks{std::move(partition), blocks, 5};
    }
    return *best;
}

}  // namespace lapwing
