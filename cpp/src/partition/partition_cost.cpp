#include "lapwing/partition/partition_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/grid/extent.hpp"

namespace lapwing {

namespace {

constexpr double kMostCost = 1e12;  // sums over any grid stay finite
constexpr Index kAnyWidth = 16;     // cells of a halo, on however small a grid

void check_coefficients(const CostCoefficients& c) {
    for (const double value : {c.wet, c.dry, c.off, c.on, c.latency}) {
        if (value >= 0 && value <= kMostCost) continue;
        user_error("cost coefficient", value, "a number from 0 to 1e12",
                   "give the cost in units of the work on one wet point");
    }
}

void check_speeds(const std::vector<double>& speeds, int ranks) {
    if (!speeds.empty() && std::ssize(speeds) < ranks) {
        user_error("speeds", concat(speeds.size(), " numbers"), concat(ranks, ", one per rank"),
                   "give the speed of every rank, or none");
    }
    for (const double speed : speeds) {
        if (speed >= 1 / kMostCost && speed <= kMostCost) continue;
        user_error("speed of a rank", speed, "a positive number, 1e-12 to 1e12",
                   "leave a rank out instead of giving it no speed");
    }
}

// A periodic grid would lie in a wider halo more often than memory holds.
void check_width(int width, const Grid& grid) {
    const Index most = std::max({grid.size[0], grid.size[1], kAnyWidth});
    if (width >= 0 && width <= most) return;
    user_error("width of the halo", width, concat("0 to ", most, " on this grid"), "give the width in cells");
}

}  // namespace

CostModel checked(CostModel model, const Grid& grid, int ranks) {
    check_coefficients(model.coefficients);
    check_speeds(model.speeds, ranks);
    check_width(model.width, grid);
    if (model.ranks_per_node < 1) {
        user_error("ranks per node", model.ranks_per_node, "at least 1", "give the ranks that share a node");
    }
    model.ranks_per_node = std::min(model.ranks_per_node, std::max(ranks, 1));  // sums with it stay small
    if (!model.speeds.empty()) {
        const double all = std::accumulate(model.speeds.begin(), model.speeds.end(), 0.0);
        const double mean = all / static_cast<double>(model.speeds.size());
        for (double& speed : model.speeds) speed /= mean;
    }
    return model;
}

namespace {

// Adds the wet points that the halo of subdomain `number` takes from other ranks; names these ranks.
void add_halo(const Partition& partition, const Mask& mask, const CostModel& model, int number, RankCost& share,
              std::set<int>& neighbors) {
    const Subdomain& target = partition.subdomain(number);
    const Box wanted = grow(target.box, Extent::horizontal(model.width));
    for (const Image& image : images(partition.grid(), Location::center, target.box, wanted)) {
        const Box there = image.in_grid(image.cells);
        for (const int source : partition.overlapping(there)) {
            const Subdomain& from = partition.subdomain(source);
            if (from.rank == target.rank) continue;
            const Index points = mask.count(intersect(there, from.box));
            if (points == 0) continue;
            (model.node(from.rank) == model.node(target.rank) ? share.halo_on : share.halo_off) += points;
            neighbors.insert(from.rank);
        }
    }
}

RankCost rank_cost(const Partition& partition, const Mask& mask, const CostModel& model, int rank) {
    RankCost share;
    std::set<int> neighbors;
    for (const int number : partition.subdomains_of(rank)) {
        const Box& box = partition.subdomain(number).box;
        const Index wet = mask.count(box);
        share.wet += wet;
        share.dry += box.size(0) * box.size(1) - wet;
        add_halo(partition, mask, model, number, share, neighbors);
    }
    share.messages = static_cast<int>(neighbors.size());
    const CostCoefficients& c = model.coefficients;
    share.cost = (c.wet * static_cast<double>(share.wet) + c.dry * static_cast<double>(share.dry)) / model.speed(rank) +
                 c.off * static_cast<double>(share.halo_off) + c.on * static_cast<double>(share.halo_on) +
                 c.latency * share.messages;
    return share;
}

}  // namespace

PartitionCost partition_cost(const Partition& partition, const Mask& mask, const CostModel& given) {
    check_size(mask, partition.grid());
    const CostModel model = checked(given, partition.grid(), partition.ranks());
    PartitionCost total;
    double slowest = 0, all = 0;
    for (int rank = 0; rank < partition.ranks(); ++rank) {
        const RankCost share = rank_cost(partition, mask, model, rank);
        total.ranks.push_back(share);
        total.cost = std::max(total.cost, share.cost);
        total.halo_off += share.halo_off;
        total.halo_on += share.halo_on;
        total.messages += share.messages;
        slowest = std::max(slowest, static_cast<double>(share.wet) / model.speed(rank));
        all += static_cast<double>(share.wet);
    }
    total.imbalance = all > 0 ? slowest * partition.ranks() / all : 1;
    return total;
}

}  // namespace lapwing
