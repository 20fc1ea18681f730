#include "lapwing/partition/node_order.hpp"

#include <algorithm>
#include <numeric>
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

}  // namespace

Partition node_ordered(const Partition& partition, int ranks_per_node) {
    if (ranks_per_node < 1) {
        user_error("ranks per node", ranks_per_node, "at least 1", "give the ranks that share a node");
    }
    std::vector<int> old(partition.ranks());
    std::iota(old.begin(), old.end(), 0);
    order(old, middles(partition), ranks_per_node);
    std::vector<int> now(old.size());
    for (std::size_t rank = 0; rank < old.size(); ++rank) now[old[rank]] = static_cast<int>(rank);
    std::vector<Subdomain> subdomains = partition.subdomains();
    for (Subdomain& one : subdomains) one.rank = now[one.rank];
    std::ranges::stable_sort(subdomains, {}, &Subdomain::rank);
    return {partition.grid(), partition.ranks(), std::move(subdomains)};
}

}  // namespace lapwing
