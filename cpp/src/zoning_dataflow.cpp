#include <algorithm>

#include "zoning.hpp"

namespace lapwing {

namespace {

// Margins of `wanted`, no deeper than a share of the box, but no less than `least`.
Margins limited(const Margins& wanted, const Margins& least, const Box& owned, int deepest_rim) {
    Margins margins = wanted;
    for (std::size_t a = 0; a < 3; ++a) {
        const Index deepest = owned.size(static_cast<int>(a)) / deepest_rim;
        margins.lo[a] = std::min(wanted.lo[a], std::max(least.lo[a], deepest));
        margins.hi[a] = std::min(wanted.hi[a], std::max(least.hi[a], deepest));
    }
    return margins;
}

Index values_per_cell(const RankStep& step, const StageSpec& stage) {
    Index values = 1;
    for (int field : stage.writes) values = std::max(values, step.values_per_cell[static_cast<std::size_t>(field)]);
    return values;
}

// Bands of whole rows, or of whole layers where these are small: of about so many values each.
void cut_bands(ZoneGrid& grid, const Box& core, Index values) {
    const Index row = std::max<Index>(1, core.size(0)), layer = row * std::max<Index>(1, core.size(1));
    if (core.size(2) > 1) grid.cut_middle(2, std::max<Index>(1, values / layer));
    if (core.size(2) <= 1 || layer > values) grid.cut_middle(1, std::max<Index>(1, values / row));
}

std::vector<Zone> zones_of(const Box& box, const Box& core, Index values) {
    ZoneGrid grid(box, core);
    cut_bands(grid, core, values);
    std::vector<Zone> zones;
    for (int z = 0; z < grid.count(2); ++z) {
        for (int y = 0; y < grid.count(1); ++y) {
            for (int x = 0; x < grid.count(0); ++x) zones.push_back({grid.zone(x, y, z), {}, x > 0});
        }
    }
    return zones;
}

bool has_messages(const RankStep& step) {
    const auto some = [](const MessagePlan* plan) { return plan != nullptr && messages_sent(*plan) > 0; };
    return std::ranges::any_of(step.plans, some) || std::ranges::any_of(step.next_plans, some);
}

}  // namespace

Zoning dataflow_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int tiles) {
    Zoning zoning = blocking_zoning(step);
    if (!has_messages(step)) return zoning;  // nothing to wait for
    zoning.in_order = false;
    const StepMargins waiting = waiting_margins(step, traffic);
    const StepMargins taken = awaited_margins(step, traffic, Chain::last_stage);
    const StepMargins chains = awaited_margins(step, traffic, Chain::whole_step);
    for (std::size_t e = 0; e < step.node->entries.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (!entry.computes()) continue;
        const StageSpec& stage = (*step.stages)[static_cast<std::size_t>(entry.stage)];
        const Index values = tiling.values / values_per_cell(step, stage);
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            const Margins awaited = limited(chains[e][b], taken[e][b], step.owned[b], tiling.deepest_rim);
            const Margins margins = larger(waiting[e][b], awaited);
            zoning.zones[e][b].clear();
            for (const Box& box : boxes_of(step, entry, b)) {
                const Box core = core_of(box, step.owned[b], margins);
                const Index in_tile = std::min(values, core.volume() / std::max(1, tiles));
                for (Zone& zone : zones_of(box, core, in_tile)) zoning.zones[e][b].push_back(std::move(zone));
            }
        }
    }
    return zoning;
}

}  // namespace lapwing
