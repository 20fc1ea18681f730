#include "schedule/task_dependence.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

namespace lapwing {

namespace {

bool meet(const Box& a, const Box& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (a.lo[axis] >= b.hi[axis] || b.lo[axis] >= a.hi[axis]) return false;
    }
    return true;
}

// True if a stencil of `extent` on the cells of `box` reads any of `cells`.
bool reads_any(const Box& box, const Extent& extent, const Box& cells) {
    if (!meet(grow(box, extent), cells)) return false;
    return extent.empty() || extent.corners ||
           std::ranges::any_of(stencil_boxes(box, extent), [&](const Box& arm) { return meet(arm, cells); });
}

// True if computing `box` of `stage` reads the field in any of `cells`.
bool reads(const StageSpec& stage, const Box& box, int field, const Box& cells) {
    return std::ranges::any_of(
        stage.reads, [&](const Read& read) { return read.field == field && reads_any(box, read.extent, cells); });
}

class Dependences {
  public:
    Dependences(const RankStep& step, const StepTraffic& traffic) : step_(step), traffic_(traffic) {
        const auto& entries = step.node->entries;
        related_.assign(entries.size(), std::vector<bool>(entries.size(), true));
        for (std::size_t later = 0; later < entries.size(); ++later)
            for (std::size_t first = 0; first < later; ++first)
                if (entries[later].computes() && entries[first].computes())
                    related_[later][first] = share(step.stage(entries[later]), step.stage(entries[first]));
    }

    // True if `later`, which comes later in the schedule, must wait for `first`.
    [[nodiscard]] bool needs(const Task& later, const Task& first) const {
        using Kind = Task::Kind;
        const bool same = later.entry == first.entry && later.ahead == first.ahead;
        if (first.kind == Kind::reduce || later.kind == Kind::reduce) return true;
        if (later.kind == Kind::start) {
            if (first.kind == Kind::start) return true;  // messages are posted in one order on all ranks
            return first.kind == Kind::arrive ? is_last(first) && share_fields(later, first)
                                              : start_after(later, first);
        }
        if (later.kind == Kind::arrive) return same && (first.kind == Kind::start || first.kind == Kind::arrive);
        if (first.kind == Kind::start) return false;  // its arrivals stand for it
        return first.kind == Kind::arrive ? compute_after_arrival(later, first) : compute_after(later, first);
    }

  private:
    [[nodiscard]] const StageSpec& stage(const Task& task) const {
        const ScheduleEntry& entry = step_.node->entries[task.entry];
        return step_.stage(entry);
    }
    [[nodiscard]] const ScheduleEntry& entry(const Task& task) const {
        return (task.ahead ? step_.next : step_.node)->entries[task.entry];
    }
    [[nodiscard]] const Traffic& traffic(const Task& exchange, int block) const {
        if (!exchange.ahead) return traffic_.of_entry[exchange.entry][block];
        const auto n = std::ranges::find(traffic_.ahead, exchange.entry) - traffic_.ahead.begin();
        return traffic_.of_ahead[n][block];
    }
    [[nodiscard]] bool is_last(const Task& arrival) const {
        const MessagePlan& plan = *step_.plans[arrival.entry];
        return arrival.phase + 1 >= static_cast<int>(plan.phases.size());
    }
    [[nodiscard]] bool share_fields(const Task& a, const Task& b) const {
        return std::ranges::any_of(entry(a).halos, [&](const Read& halo) {
            return std::ranges::count(entry(b).halos, halo.field, &Read::field) > 0;
        });
    }
    // A message takes what the task wrote, or fills a halo that it still reads or has computed.
    [[nodiscard]] bool start_after(const Task& start, const Task& task) const {
        const StageSpec& before = stage(task);
        const Traffic& moved = traffic(start, task.block);
        const bool taken = std::ranges::any_of(moved.departures, [&](const Traffic::Departure& departure) {
            return writes(before, departure.field) && meet(task.box, departure.box);
        });
        return taken || std::ranges::any_of(moved.arrivals, [&](const Traffic::Arrival& arrival) {
                   return (writes(before, arrival.field) && meet(task.box, arrival.box)) ||
                          reads(before, task.box, arrival.field, arrival.box);
               });
    }
    // The task reads or overwrites a halo that the phase fills, or overwrites what the messages have still to read.
    [[nodiscard]] bool compute_after_arrival(const Task& task, const Task& arrival) const {
        const StageSpec& now = stage(task);
        const Traffic& moved = traffic(arrival, task.block);
        const bool filled = std::ranges::any_of(moved.arrivals, [&](const Traffic::Arrival& halo) {
            if (halo.phase != arrival.phase) return false;
            return reads(now, task.box, halo.field, halo.box) || (writes(now, halo.field) && meet(task.box, halo.box));
        });
        if (filled || !is_last(arrival)) return filled;
        return std::ranges::any_of(moved.departures, [&](const Traffic::Departure& departure) {
            return writes(now, departure.field) && meet(task.box, departure.box);
        });
    }
    [[nodiscard]] bool compute_after(const Task& later, const Task& first) const {
        if (later.block != first.block || later.entry == first.entry || !related_[later.entry][first.entry])
            return false;
        const StageSpec &now = stage(later), &before = stage(first);
        for (int field : before.writes) {
            if (reads(now, later.box, field, first.box)) return true;
            if (writes(now, field) && meet(later.box, first.box)) return true;
        }
        return std::ranges::any_of(now.writes, [&](int field) { return reads(before, first.box, field, later.box); });
    }

    // True if one of the stages writes what the other reads or writes.
    static bool share(const StageSpec& a, const StageSpec& b) {
        const auto uses = [](const StageSpec& stage, int field) {
            return writes(stage, field) || std::ranges::count(stage.reads, field, &Read::field) > 0;
        };
        return std::ranges::any_of(a.writes, [&](int field) { return uses(b, field); }) ||
               std::ranges::any_of(b.writes, [&](int field) { return uses(a, field); });
    }

    const RankStep& step_;
    const StepTraffic& traffic_;
    std::vector<std::vector<bool>> related_;  // [later entry][first entry] of stages
};

// The computing tasks of each stage and block along the axis that cuts them most: tasks far from each other need no
// look.
class TasksAlong {
  public:
    TasksAlong(const std::vector<Task>& tasks, const RankStep& step) : tasks_(tasks), step_(step) {
        for (std::size_t n = 0; n < tasks.size(); ++n) {
            if (tasks[n].kind != Task::Kind::compute) continue;
            if (groups_.empty() || groups_.back().entry != tasks[n].entry || groups_.back().block != tasks[n].block)
                groups_.push_back({tasks[n].entry, tasks[n].block, reach_of(tasks[n].entry)});
            groups_.back().numbers.push_back(static_cast<int>(n));
        }
        for (Group& group : groups_) arrange(group);
    }

    // Calls visit(number) for all tasks of earlier entries that may be near enough for `later` to need them.
    template <class Visit>
    void for_near(const Task& later, const Visit& visit) const {
        const int reach = reach_of(later.entry);
        for (const Group& group : groups_) {
            if (group.entry >= later.entry) break;
            if (group.block != later.block) continue;
            const Index margin = std::max(reach, group.reach);
            const auto begin = [&](int n) { return tasks_[n].box.lo[group.axis]; };
            const Index first = later.box.lo[group.axis] - margin - group.longest;
            for (auto n = std::ranges::lower_bound(group.numbers, first, {}, begin);
                 n != group.numbers.end() && begin(*n) < later.box.hi[group.axis] + margin; ++n)
                visit(*n);
        }
    }

  private:
    struct Group {
        int entry = 0, block = 0;
        int reach = 0;  // the farthest read of the stage, along any axis
        std::vector<int> numbers{};
        std::size_t axis = 0;
        Index longest = 0;  // side of a box along it
    };
    [[nodiscard]] int reach_of(int entry) const {
        int reach = 0;
        for (const Read& read : step_.stage(step_.node->entries[entry]).reads)
            reach = std::max({reach, std::ranges::max(read.extent.lo), std::ranges::max(read.extent.hi)});
        return reach;
    }
    void arrange(Group& group) const {
        std::size_t most = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::set<Index> begins;
            for (const int n : group.numbers) begins.insert(tasks_[n].box.lo[axis]);
            if (begins.size() > most) group.axis = axis, most = begins.size();
        }
        std::ranges::stable_sort(group.numbers, {}, [&](int n) { return tasks_[n].box.lo[group.axis]; });
        for (const int n : group.numbers)
            group.longest = std::max(group.longest, tasks_[n].box.size(static_cast<int>(group.axis)));
    }

    const std::vector<Task>& tasks_;
    const RankStep& step_;
    std::vector<Group> groups_;  // one per entry
};

// Lists longer than this keep dependences that follow from others: to find these takes memory for all pairs of tasks.
constexpr std::size_t most_reduced = 16384;

}  // namespace

void find_dependences(std::vector<Task>& tasks, const RankStep& step, const StepTraffic& traffic) {
    const Dependences dependences(step, traffic);
    const TasksAlong computing(tasks, step);
    std::vector<int> others;  // tasks so far that compute nothing
    for (std::size_t later = 0; later < tasks.size(); ++later) {
        Task& task = tasks[later];
        task.after.clear();
        const auto look_at = [&](int first) {
            if (dependences.needs(task, tasks[first])) task.after.push_back(first);
        };
        if (task.kind == Task::Kind::compute) {
            std::ranges::for_each(others, look_at);
            computing.for_near(task, look_at);
            std::ranges::sort(task.after);
        } else {
            for (std::size_t first = 0; first < later; ++first) look_at(static_cast<int>(first));
            others.push_back(static_cast<int>(later));
        }
    }
}

void reduce_dependences(std::vector<Task>& tasks) {
    if (tasks.size() > most_reduced) return;
    // tasks that each task waits for, directly or not, as bits; tasks stand after them
    std::vector<std::vector<std::uint64_t>> known(tasks.size());
    for (std::size_t n = 0; n < tasks.size(); ++n) {
        known[n].assign(n / 64 + 1, 0);
        std::vector<int> kept;
        for (auto first = tasks[n].after.rbegin(); first != tasks[n].after.rend(); ++first) {
            const std::size_t f = *first;
            if ((known[n][f / 64] >> (f % 64) & 1U) != 0) continue;
            kept.push_back(*first);
            for (std::size_t word = 0; word < known[f].size(); ++word) known[n][word] |= known[f][word];
            known[n][f / 64] |= std::uint64_t{1} << (f % 64);
        }
        std::ranges::reverse(kept);
        tasks[n].after = std::move(kept);
    }
}

}  // namespace lapwing
