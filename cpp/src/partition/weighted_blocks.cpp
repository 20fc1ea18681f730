#include "lapwing/partition/weighted_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

void check(const Partition& partition, std::span<const double> speeds) {
    if (std::ssize(speeds) != partition.ranks())
        user_error("speeds of ranks", speeds.size(), concat(partition.ranks(), ", one per rank"), "give all of them");
    for (const double speed : speeds)
        if (!(speed > 0 && std::isfinite(speed)))
            user_error("speeds of ranks", speed, "finite numbers above 0", "correct the speed");
    bool one_each = partition.aligned();
    for (int rank = 0; rank < partition.ranks(); ++rank)
        one_each = one_each && partition.subdomains_of(rank).size() == 1;
    if (!one_each)
        user_error("partition with weights", partition,
                   "blocks between cuts that go all through the grid, one per rank", "make it with block_partition");
}

// Shares of `cells`, in proportion to the weights as far as whole numbers are, at least one each: the cut after some
// parts lies where their weights do.
std::vector<Index> cuts_of(const std::vector<double>& weights, Index cells) {
    double all = 0, before = 0;
    for (const double weight : weights) all += weight;
    std::vector<Index> cuts{0};
    const Index parts = std::ssize(weights);
    for (Index part = 0; part < parts; ++part) {
        before += weights[part];
        const auto wanted = static_cast<Index>(std::llround(static_cast<double>(cells) * before / all));
        cuts.push_back(std::clamp(wanted, cuts.back() + 1, cells - (parts - 1 - part)));
    }
    return cuts;
}

}  // namespace

Partition weighted_blocks(const Partition& partition, std::span<const double> speeds) {
    check(partition, speeds);
    std::vector<Subdomain> subdomains = partition.subdomains();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::map<Index, double> weight;  // weight of the blocks that begin there
        for (const Subdomain& one : partition.subdomains()) weight[one.box.lo[axis]] += speeds[one.rank];
        std::vector<double> weights;
        std::map<Index, std::size_t> number;
        for (const auto& [begin, sum] : weight) {
            number[begin] = weights.size();
            weights.push_back(sum);
        }
        const std::vector<Index> cuts = cuts_of(weights, partition.grid().size[axis]);
        for (Subdomain& one : subdomains) {
            const std::size_t n = number.at(one.box.lo[axis]);
            one.box.lo[axis] = cuts[n];
            one.box.hi[axis] = cuts[n + 1];
        }
    }
    return {partition.grid(), partition.ranks(), std::move(subdomains)};
}

}  // namespace lapwing
