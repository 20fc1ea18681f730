// Partitions of masked grids (k-sections, searches, wet blocks and their order on nodes): all water is owned once,
// boxes are trimmed, and a candidate costs what its partition costs.

#include <cmath>
#include <limits>

#include "input/fuzz_partitions.hpp"
#include "lapwing/partition/node_order.hpp"
#include "lapwing/partition/partition_search.hpp"
#include "lapwing/partition/wet_blocks.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

Mask small_mask(Bytes& bytes, const Grid& grid) {
    std::vector<std::uint8_t> wet(static_cast<std::size_t>(grid.size[0] * grid.size[1]));
    for (std::size_t n = 0; n < wet.size(); n += 8) {
        const int eight = bytes.byte();
        for (std::size_t m = n; m < std::min(n + 8, wet.size()); ++m) wet[m] = (eight >> (m - n) & 1) != 0 ? 1 : 0;
    }
    return {grid.size[0], grid.size[1], wet};
}

double any_number(Bytes& bytes) {
    const int what = bytes.byte();
    if (what < 192) return what / 16.0;
    if (what < 224) return std::ldexp(what, bytes.byte() - 128);
    if (what < 232) return std::numeric_limits<double>::quiet_NaN();
    return what < 240 ? std::numeric_limits<double>::infinity() : -1.0;
}

CostModel any_model(Bytes& bytes, int ranks) {
    CostModel model;
    if (bytes.coin()) return model;
    CostCoefficients& c = model.coefficients;
    for (double* number : {&c.wet, &c.dry, &c.off, &c.on, &c.latency}) *number = any_number(bytes);
    model.width = bytes.mostly_int(0, 3);
    model.ranks_per_node = bytes.mostly_int(1, 4);
    if (bytes.coin()) model.speeds.resize(static_cast<std::size_t>(std::max(0, ranks + bytes.between(-1, 1))));
    for (double& speed : model.speeds) speed = any_number(bytes);
    return model;
}

// All water is owned, once.
void check_wet(const Partition& partition, const Mask& mask, int ranks) {
    require(partition.ranks() <= ranks, "no more ranks than there are");
    Index owned = 0;
    for (const Subdomain& s : partition.subdomains()) {
        const Index wet = mask.count(s.box);
        require(wet > 0, "no box is dry");
        require(mask.wet_bounds(s.box) == s.box, "boxes are trimmed");
        owned += wet;
    }
    require(owned == mask.count(partition.grid().box()), "all water is owned once");
}

void check_cost(const Partition& partition, const Mask& mask, const CostModel& model) {
    const PartitionCost cost = partition_cost(partition, mask, model);
    require(cost.cost >= 0.0 && !std::isinf(cost.cost), "a cost is a number");
    Index wet = 0;
    for (const RankCost& rank : cost.ranks) wet += rank.wet;
    require(wet == mask.count(partition.grid().box()), "costs count all water");
}

// Searches take a hundred times as long as what else is tried, so one input in 85 searches. It does so by a checksum,
// which changes with each byte: by a byte of its own, what comes of an input that searches would search as well.
unsigned chance_of(const std::uint8_t* data, std::size_t size) {
    std::uint32_t sum = 2166136261U;
    for (std::size_t n = 0; n < size; ++n) sum = (sum ^ data[n]) * 16777619U;
    return sum >> 8U & 255U;
}

Partition made(Bytes& bytes, const Grid& grid, const Mask& mask, int ranks, const CostModel& model, unsigned chance) {
    if (chance == 0) return find_wet_blocks(grid, mask, ranks, model).partition;
    if (chance == 1) return find_assigned_blocks(grid, mask, ranks, model).partition;
    if (chance == 2) {
        SearchOptions options;
        const int chosen = bytes.byte();
        options.nodes_first = (chosen & 1) != 0;
        options.wider = (chosen & 2) != 0 && ranks <= 6;  // with 12 ranks it takes a second
        options.refine = (chosen & 4) != 0;
        return find_partition(grid, mask, ranks, model, options).partition;
    }
    const int what = bytes.byte();
    if (what % 32 == 0) return wet_block_partition(grid, mask, {bytes.between(0, 5), bytes.between(0, 5), 1});
    const KSection ksection(grid, mask, ranks, model, (what & 1) != 0);
    const Index n = bytes.mostly(0, 15);
    const Partition partition = leaves(grid, ksection.candidate(n));
    const double cost = ksection.cost(n, std::numeric_limits<double>::infinity());
    const double whole = partition_cost(partition, mask, ksection.model()).cost;
    require(std::abs(cost - whole) <= 1e-9 * whole, "a candidate costs what its partition costs");
    return partition;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const Grid grid = small_grid(bytes, 2);
    const int ranks = bytes.between(0, 12);
    refused([&] {
        const Mask mask = small_mask(bytes, grid);
        const CostModel model = any_model(bytes, ranks);
        const Partition partition = made(bytes, grid, mask, ranks, model, chance_of(data, size));
        check_wet(partition, mask, 1000);
        check_cost(partition, mask, model);
        check_wet(node_ordered(partition, bytes.mostly_int(1, 4)), mask, 1000);
    });
    return 0;
}
