#include <algorithm>

#include "schedule/zones/tile_chains.hpp"
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

// Cells in a tile, about.
Index cells_in_tile(const RankStep& step, const StageSpec& stage, const Tiling& tiling) {
    const Index in_cell = values_per_cell(step, stage);
    const bool apart = in_cell > 1 && lines_of(step, stage).cells > 1;
    return (apart ? tiling.values_apart : tiling.values) / in_cell;
}

// The core trimmed to whole cache lines, so that no line is fetched twice and few rows are all beginning and end;
// empty if too little is left.
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

// The cores of boxes: cells that neither wait for a message nor hold one up. `split_rows`: cells are followed further
// back from what messages carry away, so that it leaves earlier, at the price of more beginnings of rows.
class Cores {
  public:
    Cores(const RankStep& step, const StepTraffic& traffic, int deepest_rim, bool split_rows)
        : step_(step),
          deepest_rim_(deepest_rim),
          split_rows_(split_rows),
          waiting_(waiting_margins(step, traffic)),
          taken_(awaited_margins(step, traffic, Chain::last_stage)),
          chains_(split_rows ? awaited_margins(step, traffic, Chain::whole_step) : taken_) {}

    // The part of a box that entry `e` computes for owned box `b` that needs no message and travels in none.
    [[nodiscard]] Box core(std::size_t e, std::size_t b, const Box& box) const {
        const Margins awaited = limited(chains_[e][b], taken_[e][b], step_.owned[b], deepest_rim_);
        const Box core = core_of(box, step_.owned[b], larger(waiting_[e][b], awaited));
        const CacheLines& lines = lines_of(step_, step_.stage(step_.node->entries[e]));
        return split_rows_ || lines.cells <= 1 ? core : in_whole_lines(core, box, lines.cells, lines.begin[b]);
    }

  private:
    const RankStep& step_;
    int deepest_rim_;
    bool split_rows_;
    StepMargins waiting_, taken_, chains_;
};

// The number of the tile that begins at `position`, or holds it.
int tile_number(Index position, Index size) {
    if (size == 0) return 0;
    return static_cast<int>(position >= 0 ? position / size : -1);
}

// The tiles of a box of entry `e`, and their places: tile after tile through the stages of the chain.
std::vector<Zone> tiles_of(const Box& box, const Box& core, const Box& owned, const TileChain& chain, std::size_t e) {
    const Index3& behind = chain.behind[e - chain.first];
    ZoneGrid grid(box, core);
    for (int axis = 0; axis < 3; ++axis) {
        const Index size = chain.size[axis];
        for (Index cut = owned.lo[axis] - behind[axis]; size > 0 && cut < core.hi[axis]; cut += size)
            if (cut > core.lo[axis]) grid.cut_at(axis, cut);
    }
    const ThreadParts& parts = chain.parts;
    const auto along = static_cast<std::size_t>(parts.axis);
    const Index own =
        owned.lo[along] + chain.inside[e - chain.first][along];  // where a thread begins that waits for none
    for (int thread = 1; thread < parts.threads; ++thread) {
        const Index cut = own + parts.begin(thread);
        if (cut > core.lo[along] && cut < core.hi[along]) grid.cut_at(parts.axis, cut);
    }
    std::vector<Zone> zones;
    grid.for_zones([&](const Box& zone, int x, int, int) {
        std::vector<int> place{static_cast<int>(chain.first)};
        for (const int axis : {0, 1, 2})
            place.push_back(tile_number(zone.lo[axis] - owned.lo[axis] + behind[axis], chain.size[axis]));
        place.push_back(static_cast<int>(e));
        zones.push_back({zone, std::move(place), x > 0 && chain.size[0] == 0, parts.thread_of(zone.lo[along] - own)});
    });
    return zones;
}

}  // namespace

Index values_per_cell(const RankStep& step, const StageSpec& stage) {
    Index values = 1;
    for (int field : stage.writes) values = std::max(values, step.values_per_cell[field]);
    return values;
}

const CacheLines& lines_of(const RankStep& step, const StageSpec& stage) {
    static const CacheLines none{1, {}};
    const CacheLines* most = &none;
    for (int field : stage.writes) {
        const CacheLines& lines = step.lines[field];
        if (lines.cells > most->cells) most = &lines;
    }
    return *most;
}

Zoning dataflow_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int tiles) {
    Zoning zoning = blocking_zoning(step);
    if (!has_messages(step)) return zoning;  // nothing to wait for
    zoning.in_order = false;
    const Cores cores(step, traffic, tiling.deepest_rim, tiles > 0);
    for (std::size_t e = 0; e < step.node->entries.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (!entry.computes()) continue;
        const Index cells = cells_in_tile(step, step.stage(entry), tiling);
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            zoning.zones[e][b].clear();
            for (const Box& box : boxes_of(step, entry, b)) {
                const Box core = cores.core(e, b, box);
                const Index in_tile = std::min(cells, core.volume() / std::max(1, tiles));
                for (Zone& zone : zones_of(box, core, in_tile)) zoning.zones[e][b].push_back(std::move(zone));
            }
        }
    }
    return zoning;
}

Zoning tiled_zoning(const RankStep& step, const StepTraffic& traffic, const Tiling& tiling, int rows) {
    Zoning zoning = blocking_zoning(step);
    zoning.in_order = !has_messages(step);
    const Cores cores(step, traffic, tiling.deepest_rim, false);
    const auto cut = [&](const TileChain& chain, std::size_t e, std::size_t b) {
        std::vector<Zone> tiles;
        for (const Box& box : boxes_of(step, step.node->entries[e], b)) {
            const Box core = zoning.in_order ? box : cores.core(e, b, box);
            for (Zone& tile : tiles_of(box, core, step.owned[b], chain, e)) tiles.push_back(std::move(tile));
        }
        return tiles;
    };
    for (const TileChain& chain : tile_chains(step, tiling, rows)) {
        for (std::size_t e = chain.first; e < chain.last; ++e) {
            zoning.start[e] = {-1};  // messages leave and arrive as early as they can
            for (auto& place : zoning.arrive[e]) place = {-1};
            for (std::size_t b = 0; b < zoning.zones[e].size() && step.node->entries[e].computes(); ++b)
                zoning.zones[e][b] = cut(chain, e, b);
        }
    }
    return zoning;
}

}  // namespace lapwing
