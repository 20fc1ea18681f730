#include "lapwing/schedule/task_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "lapwing/base/concat.hpp"
#include "schedule/land/water.hpp"
#include "schedule/task_dependence.hpp"
#include "schedule/zones/thread_parts.hpp"
#include "schedule/zones/zoning.hpp"

namespace lapwing {

namespace {

Zoning zoning_of(const RankStep& step, const StepTraffic& traffic, const Strategy& strategy, const Tiling& tiling) {
    switch (strategy.order) {
        case Order::blocking:
            return blocking_zoning(step);
        case Order::edge_first:
            return edge_first_zoning(step, traffic, strategy.whole_chain);
        case Order::dataflow:
            return dataflow_zoning(step, traffic, tiling, strategy.tiles);
        case Order::tiled:
            return tiled_zoning(step, traffic, tiling, strategy.rows);
        default:
            return phased_zoning(step, traffic, strategy);
    }
}

// True if stages find what they read in a cache: tiles, or all fields of the rank.
bool is_in_cache(const RankStep& step, const Strategy& strategy, const Tiling& tiling) {
    Index cells = 0;
    for (const Box& box : step.owned) cells += box.volume();
    const Index bytes = cells * std::accumulate(step.bytes_per_cell.begin(), step.bytes_per_cell.end(), Index{0});
    return strategy.order == Order::tiled || bytes <= tiling.cache;
}

struct PlacedTask {
    Task task;
    std::vector<int> place;
};

// All tasks in the order of the schedule.
std::vector<PlacedTask> tasks_of(const RankStep& step, const StepTraffic& traffic, const Zoning& zoning) {
    std::vector<PlacedTask> all;
    const auto add = [&](Task task, const std::vector<int>& place) { all.push_back({std::move(task), place}); };
    for (int e = 0; e < std::ssize(step.node->entries); ++e) {
        if (step.node->entries[e].kind == ScheduleEntry::Kind::exchange) {
            add({.kind = Task::Kind::start, .entry = e}, zoning.start[e]);
            for (std::size_t p = 0; p < zoning.arrive[e].size(); ++p) {
                add({.kind = Task::Kind::arrive, .entry = e, .phase = static_cast<int>(p)}, zoning.arrive[e][p]);
            }
            continue;
        }
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            for (const Zone& zone : zoning.zones[e][b]) {
                const int number = static_cast<int>(all.size());
                Task task{.kind = Task::Kind::compute,
                          .entry = e,
                          .block = static_cast<int>(b),
                          .box = zone.box,
                          .parts = zone.parts,
                          .thread = zone.thread};
                if (zone.beside_last) {  // the upper neighbour in x of the last one
                    task.lower = number - 1;
                    all.back().task.upper = number;
                }
                add(std::move(task), zone.place);
            }
        }
        const StageSpec& stage = step.stage(step.node->entries[e]);
        if (stage.reduces) add({.kind = Task::Kind::reduce, .entry = e}, {e, last_place});
    }
    for (int entry : traffic.ahead) {
        add({.kind = Task::Kind::start, .entry = entry, .ahead = true}, zoning.start_ahead);
    }
    return all;
}

// Returns for each task the first start, in the order of the list, that needs it.
std::vector<int> unlocked_starts(const std::vector<Task>& tasks) {
    std::vector<int> first(tasks.size(), std::numeric_limits<int>::max());
    for (std::size_t n = tasks.size(); n-- > 0;) {
        if (tasks[n].kind == Task::Kind::start) first[n] = std::min(first[n], static_cast<int>(n));
        for (int before : tasks[n].after) {
            int& theirs = first[before];
            theirs = std::min(theirs, first[n]);
        }
    }
    return first;
}

// Orders tasks that unlock messages first, then by their places, then by the schedule. `in_full_rows`: neighbours in
// the row go along even if they unlock a later message.
void prioritize(std::vector<Task>& tasks, const std::vector<PlacedTask>& placed, bool in_full_rows) {
    const std::vector<int> first = unlocked_starts(tasks);
    for (std::size_t n = 0; n < tasks.size() && !in_full_rows; ++n) {
        const auto later = [&](int other) { return other >= 0 && first[n] != first[other]; };
        if (!later(tasks[n].upper)) continue;
        tasks[tasks[n].upper].lower = -1;
        tasks[n].upper = -1;
    }
    std::vector<int> order(tasks.size());
    std::iota(order.begin(), order.end(), 0);
    const auto earlier = [&](int a, int b) {
        const auto turn = [&](int n) { return std::array{first[n], tasks[n].kind == Task::Kind::start ? 0 : 1}; };
        return turn(a) != turn(b) ? turn(a) < turn(b) : placed[a].place < placed[b].place;
    };
    std::ranges::stable_sort(order, earlier);
    for (std::size_t n = 0; n < order.size(); ++n) tasks[order[n]].priority = static_cast<int>(n);
}

// Sorts the tasks by place, as far as their dependences allow.
std::vector<Task> in_place_order(const std::vector<Task>& tasks, const std::vector<PlacedTask>& placed) {
    std::vector<std::vector<int>> following(tasks.size());
    std::vector<std::size_t> missing(tasks.size());
    for (std::size_t n = 0; n < tasks.size(); ++n) {
        missing[n] = tasks[n].after.size();
        for (int before : tasks[n].after) following[before].push_back(static_cast<int>(n));
    }
    const auto key = [&](std::size_t n) { return std::pair{placed[n].place, n}; };
    std::set<std::pair<std::vector<int>, std::size_t>> ready;
    for (std::size_t n = 0; n < tasks.size(); ++n) {
        if (missing[n] == 0) ready.insert(key(n));
    }
    std::vector<int> moved_to(tasks.size());
    std::vector<Task> ordered;
    while (!ready.empty()) {
        const std::size_t n = ready.extract(ready.begin()).value().second;
        moved_to[n] = static_cast<int>(ordered.size());
        ordered.push_back(tasks[n]);
        for (int next : following[n]) {
            if (--missing[next] == 0) ready.insert(key(next));
        }
    }
    for (Task& task : ordered) {
        for (int& before : task.after) before = moved_to[before];
        std::ranges::sort(task.after);
        task.priority = static_cast<int>(&task - ordered.data());
        task.lower = task.upper = -1;
    }
    return ordered;
}

}  // namespace

std::vector<int> exchanges_ahead(const ScheduleNode& next) {
    // one: the schedule exchanges nothing twice before the first stage
    if (next.entries.empty() || next.entries[0].kind != ScheduleEntry::Kind::exchange) return {};
    return {0};
}

TaskList task_list(const RankStep& step, const Strategy& strategy, const Tiling& tiling) {
    const StepTraffic traffic = step_traffic(step);
    Zoning zoning = zoning_of(step, traffic, strategy, tiling);
    if (strategy.order != Order::tiled) share_zones(zoning, step, tiling.threads);  // tiles are shared as they are cut
    zoning = without_land(std::move(zoning), step, is_in_cache(step, strategy, tiling));
    const std::vector<PlacedTask> placed = tasks_of(step, traffic, zoning);
    TaskList list;
    list.in_order = zoning.in_order;
    list.left_out = zoning.left_out;
    for (const PlacedTask& one : placed) list.tasks.push_back(one.task);
    find_dependences(list.tasks, step, traffic);
    reduce_dependences(list.tasks);
    if (list.in_order) {
        list.tasks = in_place_order(list.tasks, placed);
    } else {
        prioritize(list.tasks, placed, strategy.tiles == 0);
    }
    return list;
}

namespace {

std::string line_of(const Task& task, const RankStep& step, std::span<const std::string> names) {
    const ScheduleEntry& entry = (task.ahead ? *step.next : *step.node).entries[task.entry];
    switch (task.kind) {
        case Task::Kind::start:
            return "start   " + halos_of(entry, names) + (task.ahead ? ", for the next step" : "");
        case Task::Kind::arrive:
            return concat("arrive  ", halos_of(entry, names), ", phase ", task.phase);
        case Task::Kind::reduce:
            return "reduce  " + step.stage(entry).name;
        case Task::Kind::compute:
            break;
    }
    const std::string block = step.owned.size() > 1 ? concat(", block ", task.block) : "";
    const std::string parts = task.parts.empty() ? "" : concat(", ", task.parts.size(), " stretches of water");
    return concat("compute ", step.stage(entry).name, " ", task.box, block, parts);
}

}  // namespace

std::string to_string(const TaskList& list, const RankStep& step, std::span<const std::string> names) {
    std::string text;
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
        const Task& task = list.tasks[n];
        text += concat("  ", n, "  ", line_of(task, step, names));
        const char* separator = "  after ";
        for (int before : task.after) {
            text += separator + std::to_string(before);
            separator = " ";
        }
        text += "\n";
    }
    return text;
}

}  // namespace lapwing
