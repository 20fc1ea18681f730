#include <algorithm>

#include "schedule/zones/zoning.hpp"

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
    for (int field : stage.writes) values = std::max(values, step.values_per_cell[field]);
    return values;
}

// The field with the shortest values among the fields that the stage writes.
const CacheLines& lines_of(const RankStep& step, const StageSpec& stage) {
    static const CacheLines none{1, {}};
    const CacheLines* most = &none;
    for (int field : stage.writes) {
        const CacheLines& lines = step.lines[field];
        if (lines.cells > most->cells) most = &lines;
    }
    return *most;
}

// Cells in a tile, about.
Index cells_in_tile(const RankStep& step, const StageSpec& stage, const Tiling& tiling) {
    const Index in_cell = values_per_cell(step, stage);
    const bool apart = in_cell > 1 && lines_of(step, stage).cells > 1;
    return (apart ? tiling.values_apart : tiling.values) / in_cell;
}

// The core from one beginning of a cache line to another, so that no line is fetched twice and few rows are all
// beginning and end; none where too little of it is left.
Box in_whole_lines(Box core, const Box& box, Index line, Index begin) {
    const auto below = [&](Index x) { return begin + (x - begin) / line * line; };  // x is not below `begin`
    if (core.lo[0] > box.lo[0]) core.lo[0] = std::min(box.hi[0], below(core.lo[0] + line - 1));
    if (core.hi[0] < box.hi[0]) core.hi[0] = std::max(core.lo[0], below(core.hi[0]));
    return core;
}

// Cuts into bands of whole rows, or of whole layers if these are small, with about this many cells each.
void cut_bands(ZoneGrid& grid, const Box& core, Index cells) {
    const Index row = std::max<Index>(1, core.size(0)), layer = row * std::max<Index>(1, core.size(1));
    if (core.size(2) > 1) grid.cut_middle(2, std::max<Index>(1, cells / layer));
    if (core.size(2) <= 1 || layer > cells) grid.cut_middle(1, std::max<Index>(1, cells / row));
}

std::vector<Zone> zones_of(const Box& box, const Box& core, Index cells) {
    ZoneGrid grid(box, core);
    cut_bands(grid, core, cells);
    std::vector<Zone> zones;
    grid.for_zones([&](const Box& zone, int x, int, int) { zones.push_back({zone, {}, x > 0}); });
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
    // following what messages carry away further back lets them leave earlier, and costs more beginnings of rows
    const bool in_full_rows = tiles == 0;
    const StepMargins chains = in_full_rows ? taken : awaited_margins(step, traffic, Chain::whole_step);
    for (std::size_t e = 0; e < step.node->entries.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (!entry.computes()) continue;
        const StageSpec& stage = (*step.stages)[entry.stage];
        const Index cells = cells_in_tile(step, stage, tiling);
        const CacheLines& lines = lines_of(step, stage);
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            const Margins awaited = limited(chains[e][b], taken[e][b], step.owned[b], tiling.deepest_rim);
            const Margins margins = larger(waiting[e][b], awaited);
            zoning.zones[e][b].clear();
            for (const Box& box : boxes_of(step, entry, b)) {
                Box core = core_of(box, step.owned[b], margins);
                if (in_full_rows && lines.cells > 1) core = in_whole_lines(core, box, lines.cells, lines.begin[b]);
                const Index in_tile = std::min(cells, core.volume() / std::max(1, tiles));
                for (Zone& zone : zones_of(box, core, in_tile)) zoning.zones[e][b].push_back(std::move(zone));
            }
        }
    }
    return zoning;
}

}  // namespace lapwing
