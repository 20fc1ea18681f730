#include "lapwing/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "lapwing/error.hpp"

namespace lapwing {

namespace {

// For every field, the extents for which its halo is fresh: what has arrived since the last write.
using HaloState = std::vector<std::vector<Extent>>;

bool fresh(const HaloState& state, const Read& read) {
    return read.extent.empty() ||
           std::ranges::any_of(state[read.field], [&](const Extent& have) { return covers(have, read.extent); });
}

struct Position {
    std::size_t step;
    std::size_t stage;
};

// What the reads of the cycle still miss, seen from `now` on: of every field that is stale for the
// stage at `now`, and of every other whose next stale read comes before its next write.
class Lookahead {
  public:
    Lookahead(const Cycle& cycle, int fields) : cycle_(cycle), fields_(fields) {}

    std::vector<Read> stale_halos(Position now, const HaloState& state) const {
        std::map<int, Extent> wanted;
        std::vector<bool> written(static_cast<std::size_t>(fields_), false);
        for (std::size_t n = 0; n < stages_in_cycle(); ++n, now = after(now)) {
            const StageSpec& stage = cycle_[now.step][now.stage];
            for (const Read& read : stage.reads) {
                if (written[read.field] || fresh(state, read)) continue;
                wanted[read.field] = unite(wanted[read.field], read.extent);
            }
            if (n == 0 && wanted.empty()) return {};  // the stage itself misses nothing: no exchange yet
            for (int field : stage.writes) written[field] = true;
        }
        std::vector<Read> halos;
        for (const auto& [field, extent] : wanted) halos.push_back({field, extent});
        return halos;
    }

  private:
    std::size_t stages_in_cycle() const {
        std::size_t n = 0;
        for (const auto& step : cycle_) n += step.size();
        return n;
    }
    Position after(Position p) const {
        if (++p.stage < cycle_[p.step].size()) return p;
        do p = {(p.step + 1) % cycle_.size(), 0};
        while (cycle_[p.step].empty());
        return p;
    }

    const Cycle& cycle_;
    int fields_;
};

// One step from `state`, which is brought up to date.
std::vector<Task> blocking_step(const Cycle& cycle, const Lookahead& ahead, std::size_t step, HaloState& state) {
    std::vector<Task> tasks;
    for (std::size_t s = 0; s < cycle[step].size(); ++s) {
        auto halos = ahead.stale_halos({step, s}, state);
        for (const Read& halo : halos) state[halo.field].push_back(halo.extent);
        if (!halos.empty()) tasks.push_back({Task::Kind::exchange, -1, std::move(halos)});
        tasks.push_back({Task::Kind::compute, static_cast<int>(s), {}});
        for (int field : cycle[step][s].writes) state[field].clear();
    }
    return tasks;
}

void check(const Cycle& cycle, int fields) {
    const auto known = [&](int field) { return field >= 0 && field < fields; };
    for (const auto& step : cycle) {
        for (const StageSpec& stage : step) {
            for (const Read& read : stage.reads) {
                if (!known(read.field)) {
                    user_error("stage " + stage.name, "a read of field " + std::to_string(read.field),
                               "fields 0 to " + std::to_string(fields - 1), "declare the field first");
                }
                if (read.extent.empty() || std::ranges::count(stage.writes, read.field) == 0) continue;
                user_error("stage " + stage.name,
                           "field " + std::to_string(read.field) + " read with extent " + to_string(read.extent) +
                               " and written",
                           "an output that the stage does not read around itself",
                           "write to another field or split the stage");
            }
            for (int field : stage.writes) {
                if (known(field)) continue;
                user_error("stage " + stage.name, "a write of field " + std::to_string(field),
                           "fields 0 to " + std::to_string(fields - 1), "declare the field first");
            }
        }
    }
    const bool any = std::ranges::any_of(cycle, [](const auto& step) { return !step.empty(); });
    if (!any) user_error("step", "no stages", "at least one stage", "add a stage to the step");
}

}  // namespace

Schedule blocking_schedule(const Cycle& cycle, int fields) {
    check(cycle, fields);
    const Lookahead ahead(cycle, fields);
    Schedule schedule;
    std::vector<HaloState> entry_states;
    // The node for a step entered with `state`, made when it is not there yet.
    const auto node_for = [&](std::size_t step, const HaloState& state) {
        for (std::size_t n = 0; n < schedule.nodes.size(); ++n) {
            if (schedule.nodes[n].step == static_cast<int>(step) && entry_states[n] == state) {
                return static_cast<int>(n);
            }
        }
        schedule.nodes.push_back({static_cast<int>(step), {}, -1});
        entry_states.push_back(state);
        return static_cast<int>(schedule.nodes.size()) - 1;
    };
    const HaloState all_stale(static_cast<std::size_t>(fields));
    for (std::size_t p = 0; p < cycle.size(); ++p) schedule.stale_entry.push_back(node_for(p, all_stale));
    // Halo states are finite (each field holds extents that the cycle itself asked for), so following
    // every node to its successor ends.
    for (std::size_t n = 0; n < schedule.nodes.size(); ++n) {
        HaloState state = entry_states[n];
        const auto step = static_cast<std::size_t>(schedule.nodes[n].step);
        schedule.nodes[n].tasks = blocking_step(cycle, ahead, step, state);
        schedule.nodes[n].next = node_for((step + 1) % cycle.size(), state);
        assert(schedule.nodes.size() < 1000);
    }
    return schedule;
}

bool is_needless(const Cycle& cycle, const Schedule& schedule, TaskPlace place, const Read& halo) {
    auto node = static_cast<std::size_t>(place.node);
    auto task = static_cast<std::size_t>(place.task) + 1;
    // after as many lists as there are, the walk has been everywhere it can come
    for (std::size_t lists = 0; lists <= schedule.nodes.size(); ++lists, task = 0) {
        const ScheduleNode& list = schedule.nodes[node];
        for (; task < list.tasks.size(); ++task) {
            if (list.tasks[task].kind != Task::Kind::compute) continue;
            const StageSpec& stage =
                cycle[static_cast<std::size_t>(list.step)][static_cast<std::size_t>(list.tasks[task].stage)];
            const auto reads = [&](const Read& read) { return read.field == halo.field && !read.extent.empty(); };
            if (std::ranges::any_of(stage.reads, reads)) return false;
            if (std::ranges::count(stage.writes, halo.field) > 0) return true;
        }
        node = static_cast<std::size_t>(list.next);
    }
    return true;
}

std::string to_string(const ScheduleNode& node, const std::vector<StageSpec>& stages,
                      std::span<const std::string> names) {
    std::string text;
    for (const Task& task : node.tasks) {
        if (task.kind == Task::Kind::compute) {
            text += "  compute  " + stages[static_cast<std::size_t>(task.stage)].name + "\n";
            continue;
        }
        text += "  exchange";
        const char* separator = " ";
        for (const Read& halo : task.halos) {
            text += separator + names[static_cast<std::size_t>(halo.field)] + " (" + to_string(halo.extent) + ")";
            separator = ", ";
        }
        text += "\n";
    }
    return text;
}

}  // namespace lapwing
