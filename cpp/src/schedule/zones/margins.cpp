#include "schedule/zones/margins.hpp"

#include <algorithm>

namespace lapwing {

namespace {

const StageSpec& stage_of(const RankStep& step, std::size_t entry) { return step.stage(step.node->entries[entry]); }

// The last entry before `entry` that writes the field or brings its halo, or -1.
int last_change(const RankStep& step, int field, std::size_t entry) {
    for (std::size_t e = entry; e-- > 0;) {
        const ScheduleEntry& before = step.node->entries[e];
        const bool brings = std::ranges::any_of(
            before.halos, [&](const Read& halo) { return halo.field == field && !halo.extent.empty(); });
        if (before.computes() ? writes(stage_of(step, e), field) : brings) return static_cast<int>(e);
    }
    return -1;
}

// Margins as deep as `reach` at those sides of `owned` beyond which something of the field arrives.
Margins below_arrivals(const Traffic& traffic, int field, const Box& owned, const Extent& reach) {
    Margins margins;
    for (const Traffic::Arrival& arrival : traffic.arrivals) {
        if (arrival.field != field) continue;
        for (std::size_t a = 0; a < 3; ++a) {
            if (arrival.box.hi[a] <= owned.lo[a]) margins.lo[a] = std::max<Index>(margins.lo[a], reach.lo[a]);
            if (arrival.box.lo[a] >= owned.hi[a]) margins.hi[a] = std::max<Index>(margins.hi[a], reach.hi[a]);
        }
    }
    return margins;
}

// Margins as deep as `reach` below owned cells that arrive: the row on a north fold, at the upper end of y.
Margins below_fold_row(const Traffic& traffic, int field, const Box& owned, const Extent& reach) {
    Margins margins;
    for (const Traffic::Arrival& arrival : traffic.arrivals) {
        Box columns = arrival.box;
        columns.lo[2] = owned.lo[2];
        columns.hi[2] = owned.hi[2];
        // a halo along z lies in these columns too, and is not the row
        const bool in_row = owned.contains(columns) && !intersect(arrival.box, owned).empty();
        if (arrival.field != field || !in_row) continue;
        margins.hi[1] = std::max(margins.hi[1], owned.hi[1] - arrival.box.lo[1] + reach.hi[1]);
    }
    return margins;
}

// The widest halo along x or y: where axes turn, that much may leave from any side, of the other field of a pair too.
int widest(const std::vector<Read>& halos) {
    int width = 0;
    for (const Read& halo : halos) {
        const Extent& e = halo.extent;
        width = std::max({width, e.lo[0], e.hi[0], e.lo[1], e.hi[1]});
    }
    return width;
}

// Margins as deep as what leaves from each side. A box that spans the whole axis leaves from no side of it.
Margins above_departures(const Traffic& traffic, int field, const Box& owned, const Extent& halo, int most) {
    Margins margins;
    for (const Traffic::Departure& departure : traffic.departures) {
        if (departure.field != field) continue;
        for (std::size_t a = 0; a < 3; ++a) {
            const Box& box = departure.box;
            const bool turned = departure.turned && a < 2;
            if (box.lo[a] == owned.lo[a] && box.size(static_cast<int>(a)) <= (turned ? most : halo.hi[a])) {
                margins.lo[a] = std::max(margins.lo[a], box.hi[a] - owned.lo[a]);
            }
            if (box.hi[a] == owned.hi[a] && box.size(static_cast<int>(a)) <= (turned ? most : halo.lo[a])) {
                margins.hi[a] = std::max(margins.hi[a], owned.hi[a] - box.lo[a]);
            }
        }
    }
    return margins;
}

// The cells that exchanges after `entry` take from the fields that its stage writes.
Margins taken_after(const RankStep& step, const StepTraffic& traffic, std::size_t entry, std::size_t block) {
    Margins margins;
    const auto take = [&](const ScheduleEntry& exchange, const Traffic& moved) {
        for (const Read& halo : exchange.halos) {
            if (!writes(stage_of(step, entry), halo.field)) continue;
            margins = larger(
                margins, above_departures(moved, halo.field, step.owned[block], halo.extent, widest(exchange.halos)));
        }
    };
    for (std::size_t e = entry + 1; e < step.node->entries.size(); ++e) {
        if (!step.node->entries[e].computes()) take(step.node->entries[e], traffic.of_entry[e][block]);
    }
    for (std::size_t n = 0; n < traffic.ahead.size(); ++n) {
        take(step.next->entries[traffic.ahead[n]], traffic.of_ahead[n][block]);
    }
    return margins;
}

// The part that stage `entry` must have done for a later stage with these margins.
Margins needed_for(const StageSpec& stage, const StageSpec& later, const Margins& margins) {
    Margins needed;
    for (const Read& read : later.reads) {  // it reads what this one writes
        if (writes(stage, read.field)) needed = larger(needed, read_by(margins, read.extent));
    }
    for (const Read& read : stage.reads) {  // it overwrites what this one reads
        if (writes(later, read.field)) needed = larger(needed, read_by(margins, mirrored(read.extent)));
    }
    for (int field : stage.writes) {
        if (writes(later, field)) needed = larger(needed, margins);
    }
    return needed;
}

}  // namespace

StepTraffic step_traffic(const RankStep& step) {
    StepTraffic traffic;
    for (std::size_t e = 0; e < step.node->entries.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        traffic.of_entry.push_back(entry.computes() ? std::vector<Traffic>{} : traffic_of(step, entry, *step.plans[e]));
    }
    if (step.next == nullptr) return traffic;
    traffic.ahead = exchanges_ahead(*step.next);
    for (int entry : traffic.ahead) {
        traffic.of_ahead.push_back(traffic_of(step, step.next->entries[entry], *step.next_plans[entry]));
    }
    return traffic;
}

StepMargins waiting_margins(const RankStep& step, const StepTraffic& traffic) {
    StepMargins margins(step.node->entries.size(), std::vector<Margins>(step.owned.size()));
    for (std::size_t e = 0; e < margins.size(); ++e) {
        if (!step.node->entries[e].computes()) continue;
        for (const Read& read : stage_of(step, e).reads) {
            const int change = last_change(step, read.field, e);
            const Extent reach = sum(step.node->entries[e].rim, read.extent);
            if (change < 0) continue;
            for (std::size_t b = 0; b < step.owned.size(); ++b) {
                Margins here;
                if (step.node->entries[change].computes()) {
                    here = read_by(margins[change][b], mirrored(read.extent));
                } else {
                    const Traffic& moved = traffic.of_entry[change][b];
                    if (!reach.empty()) here = below_arrivals(moved, read.field, step.owned[b], read.extent);
                    here = larger(here, below_fold_row(moved, read.field, step.owned[b], read.extent));
                }
                margins[e][b] = larger(margins[e][b], here);
            }
        }
    }
    return margins;
}

StepMargins awaited_margins(const RankStep& step, const StepTraffic& traffic, Chain chain) {
    StepMargins margins(step.node->entries.size(), std::vector<Margins>(step.owned.size()));
    for (std::size_t e = margins.size(); e-- > 0;) {
        if (!step.node->entries[e].computes()) continue;
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            margins[e][b] = taken_after(step, traffic, e, b);
            for (std::size_t later = e + 1; chain != Chain::last_stage && later < margins.size(); ++later) {
                if (!step.node->entries[later].computes()) {
                    if (chain == Chain::to_exchange) break;
                    continue;
                }
                margins[e][b] =
                    larger(margins[e][b], needed_for(stage_of(step, e), stage_of(step, later), margins[later][b]));
            }
        }
    }
    return margins;
}

}  // namespace lapwing
