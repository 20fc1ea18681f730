#include "schedule/land/water.hpp"

#include <algorithm>

#include "lapwing/base/concat.hpp"
#include "lapwing/plan/wet_plan.hpp"
#include "schedule/land/wet_parts.hpp"

namespace lapwing {

namespace {

// Values that take as long to compute as a call of a compiled kernel, or of one of an interpreter.
constexpr Index values_of_call = 32, values_of_slow_call = 10000;
// And as a row where memory is not read on from the row before: processors load too much behind the end of each.
constexpr Index values_of_row_from_memory = 1500;

// The cost of a box of a stage, for the values of a column of it.
BoxCost cost_of(const RankStep& step, const StageSpec& stage, const Box& box, bool in_cache) {
    const Index values = std::max<Index>(1, values_per_cell(step, stage) * box.size(2));
    return {.call = (stage.slow_calls ? values_of_slow_call : values_of_call) / values,
            .row = in_cache ? 0 : values_of_row_from_memory / values};
}

// True if a call costs so little that each stretch of a row gets one.
bool takes_rows(const BoxCost& cost) { return cost.row == 0 && cost.call <= values_of_call; }

}  // namespace

std::string Water::fingerprint() const { return concat("a mask of fingerprint ", mask_->fingerprint()); }

std::optional<Water::Places> Water::places_of(const StageSpec& stage) const {
    if (stage.reduces || stage.writes.empty()) return {};
    Places places;
    for (const int field : stage.writes) {
        if (!places_[field]) return {};
        places.push_back(*places_[field]);
    }
    std::ranges::sort(places);
    const auto [first, last] = std::ranges::unique(places);
    places.erase(first, last);
    return places;
}

std::vector<Box> Water::cut(const Places& places, const Box& box, const BoxCost& cost) const {
    if (mask_->count(box) == box.size(0) * box.size(1)) return {box};  // most tiles of an open sea end here
    const auto wet = [&](Index i, Index j) {
        return std::ranges::any_of(places, [&](Location place) { return touches_water(*mask_, i, j, place, fold_); });
    };
    return takes_rows(cost) ? wet_rows(box, wet, cost.call) : wet_halves(box, wet, cost);
}

const std::vector<Box>& Water::parts(const StageSpec& stage, const Box& box, const BoxCost& cost) const {
    const std::optional<Places> places = places_of(stage);
    const auto [known, is_new] = known_.try_emplace({places.value_or(Places{}), box, cost});
    if (is_new) known->second = places ? cut(*places, box, cost) : std::vector{box};
    return known->second;
}

namespace {

// The zones that are left; what water cuts is no longer next to others. Counts the rest.
std::vector<Zone> wet_zones(std::vector<Zone> zones, const RankStep& step, const StageSpec& stage, bool in_cache,
                            LeftOut& rest) {
    std::vector<Zone> wet;
    bool whole = false;  // the zone before is
    for (Zone& zone : zones) {
        const BoxCost cost = cost_of(step, stage, zone.box, in_cache);
        const std::vector<Box>& parts = step.water->parts(stage, zone.box, cost);
        rest.cells += zone.box.volume();
        for (const Box& part : parts) rest.cells -= part.volume();
        if (parts.empty()) {
            whole = false;
            ++rest.tiles;
            continue;
        }
        const bool uncut = parts == std::vector{zone.box};
        zone.beside_last = zone.beside_last && whole && uncut;
        whole = uncut;
        zone.box = parts.front();
        for (const Box& part : parts) zone.box = hull(zone.box, part);
        if (parts.size() > 1) zone.parts = parts;
        wet.push_back(std::move(zone));
    }
    return wet;
}

}  // namespace

Zoning without_land(Zoning zoning, const RankStep& step, bool in_cache) {
    zoning.left_out.resize(zoning.zones.size());
    if (step.water == nullptr) return zoning;
    for (std::size_t e = 0; e < zoning.zones.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (!entry.computes()) continue;
        for (std::vector<Zone>& zones : zoning.zones[e])
            zones = wet_zones(std::move(zones), step, step.stage(entry), in_cache, zoning.left_out[e]);
    }
    return zoning;
}

}  // namespace lapwing
