#include "lapwing/schedule/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "lapwing/base/error.hpp"
#include "schedule/deep_rims.hpp"
#include "schedule/halo_state.hpp"

namespace lapwing {

namespace {

template <class Is>
bool any_stage(const Cycle& cycle, const Is& is) {
    return std::ranges::any_of(cycle, [&](const auto& stages) { return std::ranges::any_of(stages, is); });
}

void require_stages(const Cycle& cycle) {
    if (any_stage(cycle, [](const StageSpec&) { return true; })) return;
    user_error("step", "no stages", "at least one stage", "add a stage to the step");
}

bool has_loops(const Cycle& cycle) {
    return any_stage(cycle, [](const StageSpec& stage) { return stage.iteration >= 0; });
}

// A cycle unrolled: stages one after the other, with the rims of the windows that they fall into.
class Unrolled {
  public:
    struct Position {
        std::size_t step = 0;   // in the cycle
        std::size_t phase = 0;  // in its window
        std::size_t stage = 0;
    };

    // `repetitions`: count of loops within a step, or else of steps; 0: no windows.
    Unrolled(const Cycle& cycle, int fields, int repetitions) : cycle_(cycle), fields_(fields) {
        const bool within = repetitions == 0 || has_loops(cycle);
        phases_ = within ? 1 : repetitions;
        for (std::size_t p = 0; p < cycle.size(); ++p) {
            windows_.push_back(within ? window_within(cycle[p], fields, repetitions)
                                      : window_from(cycle, fields, p, repetitions));
        }
    }

    [[nodiscard]] const StageSpec& stage(const Position& at) const { return cycle_[at.step][at.stage]; }
    [[nodiscard]] const Extent& rim(const Position& at) const {
        const std::size_t begin = (at.step + phases_ * cycle_.size() - at.phase) % cycle_.size();
        return windows_[begin][at.phase][at.stage];
    }
    [[nodiscard]] std::size_t phase_after(std::size_t phase) const { return (phase + 1) % phases_; }

    // Halos that the stage at `now` demands and that are stale.
    [[nodiscard]] std::vector<Read> demanded_halos(const Position& now, const HaloState& state) const {
        std::vector<Read> halos;
        for (const Read& read : stage(now).reads) {
            const Read needed{read.field, sum(rim(now), read.extent), read.widths};
            if (!read.widths.empty() && !state.fresh(needed)) halos.push_back(needed);
        }
        std::ranges::sort(halos, {}, &Read::field);
        return halos;
    }

    // The missing halos of every field that is stale for the stage at `now`, and of every other field whose next stale
    // read comes before its next write. Leaves out halos on demand, whose width is not known in advance.
    [[nodiscard]] std::vector<Read> stale_halos(Position now, const HaloState& state) const {
        std::map<int, Extent> wanted;
        std::vector<bool> written(fields_, false);
        for (std::size_t n = 0; n < stages_ahead(); ++n, now = after(now)) {
            for (const Read& read : stage(now).reads) {
                const Read needed{read.field, sum(rim(now), read.extent)};
                if (!read.widths.empty()) continue;
                if (written[read.field] || state.fresh(needed)) continue;
                wanted[read.field] = unite(wanted[read.field], needed.extent);
            }
            if (n == 0 && wanted.empty()) return {};  // the stage itself misses nothing: no exchange yet
            for (int field : stage(now).writes) {
                written[field] = true;
                if (state.other_of(field) >= 0) written[state.other_of(field)] = true;
            }
        }
        std::vector<Read> halos;
        for (const auto& [field, extent] : wanted) halos.push_back({field, extent});
        return halos;
    }

  private:
    [[nodiscard]] std::size_t stages_ahead() const {
        std::size_t n = 0;
        for (const auto& step : cycle_) n += step.size();
        return n * phases_;
    }
    [[nodiscard]] Position after(Position at) const {
        if (++at.stage < cycle_[at.step].size()) return at;
        do at = {(at.step + 1) % cycle_.size(), phase_after(at.phase), 0};
        while (cycle_[at.step].empty());
        return at;
    }

    const Cycle& cycle_;
    int fields_;
    std::size_t phases_ = 1;
    std::vector<Window> windows_;  // from each step of the cycle on
};

// The halo that an exchange brings in any case: on demand, its least width.
Read surely_brought(const Read& halo) {
    if (halo.widths.empty()) return halo;
    return {halo.field, shrunk(halo.extent, halo.widths.back() - halo.widths.front())};
}

// Adds the other fields of pairs, whose owned cells are read: after the halos that are wanted.
std::vector<Read> with_pairs(std::vector<Read> halos, const HaloState& state) {
    for (std::size_t n = 0, wanted = halos.size(); n < wanted; ++n) {
        const int other = state.other_of(halos[n].field);
        if (other >= 0 && std::ranges::count(halos, other, &Read::field) == 0) halos.push_back({other, {}});
    }
    return halos;
}

// The nodes of a schedule by what they are entered with, made when they are first met.
class Nodes {
  public:
    Nodes(const Cycle& cycle, int fields, int repetitions, const std::vector<int>& pairs = {})
        : cycle_(cycle), all_stale_(fields, pairs), unrolled_(cycle, fields, repetitions) {}

    Schedule follow_all() {
        for (std::size_t p = 0; p < cycle_.size(); ++p) schedule_.stale_entry.push_back(number({p, 0, all_stale_}));
        // Halo states are finite (each field holds extents that the cycle itself requires), so following
        // every node to its successor ends.
        for (std::size_t n = 0; n < schedule_.nodes.size(); ++n) {
            Entered at = entered_[n];
            schedule_.nodes[n].phase = static_cast<int>(at.phase);
            schedule_.nodes[n].entries = run(at);
            schedule_.nodes[n].next =
                number({(at.step + 1) % cycle_.size(), unrolled_.phase_after(at.phase), std::move(at.state)});
            assert(schedule_.nodes.size() < 10000);
        }
        return std::move(schedule_);
    }

  private:
    struct Entered {
        std::size_t step, phase;
        HaloState state;
        friend bool operator==(const Entered&, const Entered&) = default;
    };

    int number(Entered entered) {
        const auto known = std::ranges::find(entered_, entered);
        if (known != entered_.end()) return static_cast<int>(known - entered_.begin());
        schedule_.nodes.push_back({.step = static_cast<int>(entered.step), .next = -1});
        entered_.push_back(std::move(entered));
        return static_cast<int>(entered_.size()) - 1;
    }

    // The fields that the stages of a loop write are stale when it begins again.
    void enter_loops(const std::vector<StageSpec>& stages, std::size_t first, HaloState& state) const {
        for (std::size_t last = first; last < stages.size(); ++last) {
            if (stages[last].repeats == 0 || static_cast<std::size_t>(stages[last].repeats) != last - first + 1)
                continue;
            for (std::size_t s = first; s <= last; ++s) state.computed(stages[s], {});
        }
    }

    // Runs one step from `at`, and brings its halos up to date.
    std::vector<ScheduleEntry> run(Entered& at) const {
        std::vector<ScheduleEntry> entries;
        std::vector<int> first_of_stage;  // entry with which each stage begins, its exchange included
        for (std::size_t s = 0; s < cycle_[at.step].size(); ++s) {
            const Unrolled::Position now{at.step, at.phase, s};
            enter_loops(cycle_[at.step], s, at.state);
            first_of_stage.push_back(static_cast<int>(entries.size()));
            for (auto halos : {unrolled_.stale_halos(now, at.state), unrolled_.demanded_halos(now, at.state)}) {
                for (const Read& halo : halos) at.state.arrived(surely_brought(halo));
                if (halos.empty()) continue;
                entries.push_back({ScheduleEntry::Kind::exchange, -1, with_pairs(std::move(halos), at.state)});
            }
            entries.push_back(
                {.stage = static_cast<int>(s), .rim = unrolled_.rim(now), .step = static_cast<int>(at.step)});
            const int repeats = cycle_[at.step][s].repeats;
            if (repeats > 0) entries.back().repeat_from = first_of_stage[s + 1 - repeats];
            at.state.computed(cycle_[at.step][s], unrolled_.rim(now));
            for (const Read& halo : cycle_[at.step][s].sends) {
                at.state.arrived(halo);
                entries.push_back(
                    {.kind = ScheduleEntry::Kind::exchange, .halos = {halo}, .sent_by = static_cast<int>(s)});
            }
        }
        return entries;
    }

    const Cycle& cycle_;
    HaloState all_stale_;
    Unrolled unrolled_;
    Schedule schedule_;
    std::vector<Entered> entered_;
};

}  // namespace

Schedule late_schedule(const Cycle& cycle, int fields, const std::vector<int>& pairs) {
    require_stages(cycle);
    return Nodes(cycle, fields, 0, pairs).follow_all();
}

Schedule deep_schedule(const Cycle& cycle, int fields, int repetitions) {
    require_stages(cycle);
    if (repetitions < 1) {
        user_error("repetitions of deep", repetitions, "at least 1", "write deep:2, for instance");
    }
    return Nodes(cycle, fields, repetitions).follow_all();
}

int steps_of(const ScheduleNode& node) { return node.entries.empty() ? 1 : node.entries.back().later + 1; }

Schedule in_passes(const Schedule& schedule) {
    Schedule passes = schedule;
    for (ScheduleNode& pass : passes.nodes) {
        for (int later = 1; pass.phase == 0 && schedule.nodes[pass.next].phase > 0; ++later) {
            const ScheduleNode& more = schedule.nodes[pass.next];
            for (ScheduleEntry entry : more.entries) {
                entry.later = later;
                pass.entries.push_back(std::move(entry));
            }
            pass.next = more.next;
        }
    }
    return passes;
}

Schedule schedule_for(const Cycle& cycle, int fields, const Strategy& strategy, const std::vector<int>& pairs) {
    return strategy.repetitions == 0 ? late_schedule(cycle, fields, pairs)
                                     : deep_schedule(cycle, fields, strategy.repetitions);
}

bool iterates(const Cycle& cycle) {
    return any_stage(cycle, [](const StageSpec& stage) { return stage.repeats > 0; });
}

std::vector<Extent> halo_widths(const Cycle& cycle, int fields, const Schedule& schedule) {
    std::vector<Extent> widths(fields);
    const auto widen = [&](int field, const Extent& extent) { widths[field] = unite(widths[field], extent); };
    for (const ScheduleNode& node : schedule.nodes) {
        for (const ScheduleEntry& entry : node.entries) {
            for (const Read& halo : entry.halos) widen(halo.field, halo.extent);
            if (entry.kind != ScheduleEntry::Kind::compute) continue;
            const StageSpec& stage = cycle[entry.step][entry.stage];
            for (const Read& read : stage.reads) widen(read.field, sum(entry.rim, read.extent));
            for (int field : stage.writes) widen(field, entry.rim);
        }
    }
    return widths;
}

bool is_needless(const Cycle& cycle, const Schedule& schedule, EntryPlace place, const Read& halo) {
    if (halo.extent.empty()) return false;                        // the other field of a pair
    std::vector<EntryPlace> ways{{place.node, place.entry + 1}};  // met; `next` of them walked on from
    const auto go = [&](EntryPlace to) {
        if (std::ranges::count(ways, to) == 0) ways.push_back(to);
    };
    for (std::size_t next = 0; next < ways.size(); ++next) {
        const EntryPlace here = ways[next];
        const ScheduleNode& list = schedule.nodes[here.node];
        if (here.entry == std::ssize(list.entries)) {
            go({list.next, 0});
            continue;
        }
        const ScheduleEntry& entry = list.entries[here.entry];
        if (entry.computes()) {
            const StageSpec& stage = cycle[entry.step][entry.stage];
            const auto reads = [&](const Read& read) {
                return read.field == halo.field && !sum(entry.rim, read.extent).empty();
            };
            if (std::ranges::any_of(stage.reads, reads)) return false;
            if (writes(stage, halo.field)) continue;
            if (entry.repeat_from >= 0) go({here.node, entry.repeat_from});
        }
        go({here.node, here.entry + 1});
    }
    return true;
}

std::vector<int> steady_nodes(const Schedule& schedule) {
    int node = schedule.stale_entry[0];
    const auto next = [&](int n) { return schedule.nodes[n].next; };
    for (std::size_t n = 0; n < schedule.nodes.size(); ++n) node = next(node);
    std::vector<int> nodes;
    for (; std::ranges::count(nodes, node) == 0; node = next(node)) nodes.push_back(node);
    return nodes;
}

std::string halos_of(const ScheduleEntry& entry, std::span<const std::string> names) {
    return listed(entry.halos, ", ", [&](const Read& halo) {
        return concat(names[halo.field], " (", halo.extent, halo.widths.empty() ? ")" : ", on demand)");
    });
}

std::string to_string(const ScheduleNode& node, const std::vector<StageSpec>& stages,
                      std::span<const std::string> names) {
    std::string text;
    for (const ScheduleEntry& entry : node.entries) {
        text += entry.computes() ? "  compute  " + stages[entry.stage].name : "  exchange " + halos_of(entry, names);
        if (!entry.rim.empty()) text += concat(" and a rim of ", entry.rim);
        if (entry.repeat_from >= 0)
            text += concat(", then again from entry ", entry.repeat_from, " while its number is above 0");
        text += "\n";
    }
    return text;
}

}  // namespace lapwing
