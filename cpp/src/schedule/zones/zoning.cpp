#include "schedule/zones/zoning.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

namespace lapwing {

namespace {

std::size_t phases(const RankStep& step, std::size_t entry) {
    return std::max<std::size_t>(1, step.plans[entry]->phases.size());
}

// Everything undivided, where the schedule has it; an exchange ahead leaves last.
Zoning undivided(const RankStep& step) {
    const std::size_t entries = step.node->entries.size();
    Zoning zoning;
    zoning.zones.assign(entries, std::vector<std::vector<Zone>>(step.owned.size()));
    zoning.start.resize(entries);
    zoning.arrive.resize(entries);
    zoning.start_ahead = {last_place};
    for (std::size_t e = 0; e < entries; ++e) {
        const int place = static_cast<int>(e);
        if (!step.node->entries[e].computes()) {
            zoning.start[e] = {place};
            zoning.arrive[e].assign(phases(step, e), {place, 1});
            continue;
        }
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            for (const Box& box : boxes_of(step, step.node->entries[e], b))
                zoning.zones[e][b].push_back({box, {place}});
        }
    }
    return zoning;
}

std::optional<Box> together(const Box& a, const Box& b) {
    int different = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (a.lo[axis] == b.lo[axis] && a.hi[axis] == b.hi[axis]) continue;
        if (a.hi[axis] != b.lo[axis] && b.hi[axis] != a.lo[axis]) return {};
        ++different;
    }
    if (different != 1) return {};
    return hull(a, b);
}

void append(std::vector<Zone>& all, std::vector<Zone> more) {
    for (Zone& zone : more) all.push_back(std::move(zone));
}

// Turns in a phased order: W-E | at once; N-S | between; at the end. Exchanges with one phase leave `between` empty.
enum Turn : int { at_once = 1, first_phase, between, last_phase, at_end };

// The row at which M is divided between before and behind the first phase.
Index division(const Strategy& strategy, const Box& core) {
    double share = 1.0;
    if (strategy.order == Order::three) share = 0.0;
    if (strategy.order == Order::six) share = 0.5;
    if (strategy.order == Order::six_alpha) share = strategy.alpha;
    return core.lo[1] + static_cast<Index>(share * static_cast<double>(core.hi[1] - core.lo[1]) + 0.5);
}

// The turn of a zone of a box around its core, and its number within that turn: one number is one piece.
struct PhasedPlace {
    Turn turn = at_once;
    int piece = 0;
};

PhasedPlace phased_place(const Box& zone, const Box& core, Index divided, bool six, bool one_phase) {
    const auto inside = [&](std::size_t axis) {
        return zone.lo[axis] >= core.lo[axis] && zone.hi[axis] <= core.hi[axis];
    };
    if (!inside(1) || !inside(2)) return {at_end, zone.lo[1] >= core.hi[1] ? 5 : 4};
    const bool behind = zone.lo[1] >= divided;
    const bool whole_rows = behind && !six;  // W, M and E together
    const Turn middle = behind ? between : at_once, sides = six || one_phase ? at_end : between;
    if (inside(0)) return {middle, whole_rows ? 3 : 0};
    return {sides, whole_rows ? 3 : zone.lo[0] >= core.hi[0] ? 2 : 1};
}

std::vector<Zone> phased_zones(const Box& box, const Box& core, const Strategy& strategy, bool one_phase, int entry) {
    ZoneGrid grid(box, core);
    const Index divided = one_phase ? core.hi[1] : division(strategy, core);
    grid.cut_at(1, divided);
    std::vector<Zone> zones;
    grid.for_zones([&](const Box& zone, int, int, int) {
        const auto [turn, piece] = phased_place(zone, core, divided, strategy.order == Order::six, one_phase);
        zones.push_back({zone, {entry, turn, piece}});
    });
    return zones;
}

// The number of the segment of each entry: stages between two exchanges, an exchange with those after it.
std::vector<int> segments(const RankStep& step) {
    std::vector<int> segment;
    int number = 0;
    for (const ScheduleEntry& entry : step.node->entries) {
        number += entry.computes() ? 0 : 1;
        segment.push_back(number);
    }
    return segment;
}

bool writes_any(const StageSpec& stage, const std::vector<Read>& halos) {
    return std::ranges::any_of(halos,
                               [&](const Read& halo) { return std::ranges::count(stage.writes, halo.field) > 0; });
}

// The last stage of a segment that writes what an exchange takes, or -1.
int last_writer(const RankStep& step, const std::vector<int>& segment, int number, const std::vector<Read>& halos) {
    int last = -1;
    for (std::size_t e = 0; e < segment.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (segment[e] != number || !entry.computes()) continue;
        if (writes_any(step.stage(entry), halos)) last = static_cast<int>(e);
    }
    return last;
}

// The halos of the exchange that ends a segment: the next one in the list, or those ahead of the next step.
std::vector<Read> halos_after(const RankStep& step, const StepTraffic& traffic, const std::vector<int>& segment,
                              int number) {
    for (std::size_t e = 0; e < segment.size(); ++e) {
        if (segment[e] == number + 1) return step.node->entries[e].halos;
    }
    std::vector<Read> halos;
    for (int entry : traffic.ahead) {
        const auto& more = step.next->entries[entry].halos;
        halos.insert(halos.end(), more.begin(), more.end());
    }
    return halos;
}

// Edges first, in the order of the stages, then the message, then what is left.
void edge_first_zones(Zoning& zoning, const RankStep& step, std::size_t e, const std::vector<Margins>& margins,
                      int segment) {
    const int order = static_cast<int>(e);
    for (std::size_t b = 0; b < step.owned.size(); ++b) {
        zoning.zones[e][b].clear();
        for (const Box& box : boxes_of(step, step.node->entries[e], b)) {
            const Box core = core_of(box, step.owned[b], margins[b]);
            const ZoneGrid grid(box, core);
            std::vector<Zone> zones;
            grid.for_zones([&](const Box& zone, int x, int y, int z) {
                const bool inside = grid.in_core(0, x) && grid.in_core(1, y) && grid.in_core(2, z);
                // rows below and above the core are joined over x, the rest are sides
                const int side = inside ? 4 : !grid.in_core(2, z) ? 0 : !grid.in_core(1, y) ? 1 : 2 + (x > 0);
                zones.push_back({zone, {segment, inside ? 3 : 1, order, side}});
            });
            append(zoning.zones[e][b], joined(std::move(zones)));
        }
    }
}

}  // namespace

std::vector<Box> boxes_of(const RankStep& step, const ScheduleEntry& entry, std::size_t block) {
    assert(entry.computes());
    const StageSpec& stage = step.stage(entry);
    std::vector<Box> boxes = computed_boxes(stage, step.owned[block], entry.rim, step.grid);
    std::erase_if(boxes, [](const Box& box) { return box.empty(); });
    return boxes;
}

std::vector<Zone> joined(std::vector<Zone> zones) {
    for (std::size_t a = 0; a < zones.size(); ++a) {
        for (std::size_t b = a + 1; b < zones.size();) {
            const auto both = zones[a].place == zones[b].place ? together(zones[a].box, zones[b].box) : std::nullopt;
            if (!both) {
                ++b;
                continue;
            }
            zones[a].box = *both;
            zones.erase(zones.begin() + b);
            b = a + 1;  // the larger box may fit one that was passed
        }
    }
    return zones;
}

Zoning blocking_zoning(const RankStep& step) { return undivided(step); }

Zoning phased_zoning(const RankStep& step, const StepTraffic& traffic, const Strategy& strategy) {
    Zoning zoning = undivided(step);
    const StepMargins margins = waiting_margins(step, traffic);
    for (std::size_t e = 0; e + 1 < step.node->entries.size(); ++e) {
        // an exchange before another one has no stage of its own to be hidden behind
        if (step.node->entries[e].computes() || !step.node->entries[e + 1].computes()) continue;
        const int place = static_cast<int>(e);  // the stage after it shares its place
        const bool one_phase = phases(step, e) < 2;
        zoning.start[e] = {place, 0};
        zoning.arrive[e].assign(phases(step, e), {place, last_phase});
        zoning.arrive[e].front() = {place, first_phase};
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            zoning.zones[e + 1][b].clear();
            for (const Box& box : boxes_of(step, step.node->entries[e + 1], b)) {
                const Box core = core_of(box, step.owned[b], margins[e + 1][b]);
                append(zoning.zones[e + 1][b], joined(phased_zones(box, core, strategy, one_phase, place)));
            }
        }
    }
    return zoning;
}

Zoning edge_first_zoning(const RankStep& step, const StepTraffic& traffic, bool whole_chain) {
    Zoning zoning = undivided(step);
    const StepMargins margins = awaited_margins(step, traffic, whole_chain ? Chain::to_exchange : Chain::last_stage);
    const std::vector<int> segment = segments(step);
    for (std::size_t e = 0; e < segment.size(); ++e) {
        if (!step.node->entries[e].computes()) {
            // arrives before its segment; leaves behind the edges of the one before
            zoning.start[e] = {segment[e] - 1, 2};
            zoning.arrive[e].assign(phases(step, e), {segment[e], 0});
            continue;
        }
        const int last = last_writer(step, segment, segment[e], halos_after(step, traffic, segment, segment[e]));
        const bool split = whole_chain ? static_cast<int>(e) <= last : static_cast<int>(e) == last;
        if (split) {
            edge_first_zones(zoning, step, e, margins[e], segment[e]);
        } else {
            // work after the last writer is left for the time of the message
            const int part = static_cast<int>(e) > last ? 3 : 1;
            for (auto& zones : zoning.zones[e]) {
                for (Zone& zone : zones) zone.place = {segment[e], part, static_cast<int>(e), 0};
            }
        }
    }
    zoning.start_ahead = {segment.empty() ? 0 : segment.back(), 2};
    return zoning;
}

}  // namespace lapwing
