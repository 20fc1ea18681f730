// Halo plans without their land: every wet value still comes from its owner, and nothing comes that did not before.

#include "input/fuzz_plans.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/plan/wet_plan.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

std::vector<std::uint8_t> small_coast(Bytes& bytes, const Grid& grid) {
    std::vector<std::uint8_t> wet(static_cast<std::size_t>(grid.size[0] * grid.size[1]));
    for (std::size_t n = 0; n < wet.size(); n += 8) {
        const int eight = bytes.byte();
        for (std::size_t m = n; m < std::min(n + 8, wet.size()); ++m) wet[m] = (eight >> (m - n) & 1) != 0 ? 1 : 0;
    }
    return wet;
}

// True if a cell that touches the point (i, j) of this location is wet.
bool touches(const Mask& mask, const Grid& grid, const Index3& cell, Location location) {
    const bool right = location == Location::xface || location == Location::corner;
    const bool above = location == Location::yface || location == Location::corner;
    for (Index dj = 0; dj <= (above ? 1 : 0); ++dj)
        for (Index di = 0; di <= (right ? 1 : 0); ++di) {
            Index3 beside{cell[0] + di, cell[1] + dj, 0};
            if (wrap(grid, beside) && mask.wet(beside[0], beside[1])) return true;
        }
    return false;
}

void check_wet(const Partition& partition, const std::vector<FieldSpec>& fields, const Mask& mask, Stores& whole,
               Stores& wet) {
    OwnedCells cells(partition);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        for (std::size_t s = 0; s < whole[f].size(); ++s) {
            for (std::size_t n = 0; n < whole[f][s].values.size(); ++n) {
                const Index value = wet[f][s].values[n];
                require(value == nothing || value == whole[f][s].values[n], "a wet plan brings nothing else");
            }
            for (int c = 0; c < fields[f].components; ++c)
                each_halo_cell(cells, fields[f], partition.subdomains()[s].box, fields[f].extent(c),
                               [&](const Index3& cell, const Index3& home) {
                                   if (!touches(mask, partition.grid(), home, fields[f].location)) return;
                                   require(wet[f][s].at(cell, c) == number_of(home, c), "all that is wet arrives");
                               });
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    Grid grid = small_grid(bytes, 1);
    grid.periodic[2] = false;
    const std::vector<std::uint8_t> coast = small_coast(bytes, grid);
    const Partition partition = small_partition(bytes, grid);
    const std::vector<FieldSpec> fields = small_fields(bytes, grid, 2);
    WetCost cost;
    if (bytes.coin()) cost = {bytes.between(0, 9) * 1e-9, bytes.between(0, 9) * 1e-9, bytes.between(0, 9) * 1e-9};
    const bool ordered = bytes.coin() && partition.aligned();
    refused([&] {
        const Mask mask(grid.size[0], grid.size[1], coast);
        std::vector<MessagePlan> plans, wet_plans;
        for (int rank = 0; rank < partition.ranks(); ++rank) {
            plans.push_back(halo_plan(partition, rank, fields, ordered ? Corners::ordered : Corners::direct));
            wet_plans.push_back(wet_only(plans.back(), mask, cost));
            const WetShare share = wet_share(plans.back(), wet_plans.back());
            require(share.bytes_after <= share.bytes_before, "no plan grows when its land is left out");
            require(share.messages_after <= share.messages_before, "nor has it more messages");
        }
        if (ordered) {
            for (std::size_t p = 0; p < wet_plans[0].phases.size(); ++p) check_matching(wet_plans, p);
            return;  // dry values, which no rank fills, travel on
        }
        Stores whole = with_halos(partition, fields), wet = whole;
        carry_out(plans, whole, whole, true);
        carry_out(wet_plans, wet, wet, true);
        check_wet(partition, fields, mask, whole, wet);
    });
    return 0;
}
