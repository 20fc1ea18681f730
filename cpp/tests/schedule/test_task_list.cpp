// Task lists of all strategies have the bits of the whole grid, in any order that they allow; and how they cut.
#include "lapwing/schedule/task_list.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "simulated_ranks.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

int cases_run = 0;  // cases that were run to their end

// Every stage of the list computes what it should, once.
void check_coverage(const TaskList& list, const RankStep& step) {
    for (std::size_t e = 0; e < step.node->entries.size(); ++e) {
        const ScheduleEntry& entry = step.node->entries[e];
        if (entry.kind != ScheduleEntry::Kind::compute) continue;
        for (std::size_t b = 0; b < step.owned.size(); ++b) {
            Index expected = 0, found = 0;
            const auto boxes = computed_boxes(step.stage(entry), step.owned[b], entry.rim, step.grid);
            for (const Box& box : boxes) expected += box.volume();
            std::vector<Box> zones;
            for (const Task& task : list.tasks) {
                const bool its = task.kind == Task::Kind::compute && task.entry == static_cast<int>(e) &&
                                 task.block == static_cast<int>(b);
                if (!its) continue;
                for (const Box& other : zones) REQUIRE(intersect(other, task.box).empty());
                REQUIRE(std::ranges::any_of(boxes, [&](const Box& box) { return box.contains(task.box); }));
                zones.push_back(task.box);
                found += task.box.volume();
            }
            REQUIRE(found == expected);
        }
    }
}

// The first start in the list that waits for task `n`, directly or not; the number of tasks if none does.
std::size_t unlocked_by(const TaskList& list, std::size_t n) {
    std::vector<char> waits(list.tasks.size(), 0);
    waits[n] = 1;
    if (list.tasks[n].kind == Task::Kind::start) return n;
    for (std::size_t m = n + 1; m < waits.size(); ++m) {
        for (int before : list.tasks[m].after) waits[m] |= waits[before];
        if (waits[m] != 0 && list.tasks[m].kind == Task::Kind::start) return m;
    }
    return waits.size();
}

// Where tiles are asked for, what goes along in a row keeps no message waiting.
void check_rows(const TaskList& list, const Strategy& strategy) {
    if (strategy.tiles == 0 || list.in_order) return;
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
        if (list.tasks[n].upper < 0) continue;
        const std::size_t upper = list.tasks[n].upper;
        REQUIRE(list.tasks[upper].lower == static_cast<int>(n));
        REQUIRE(unlocked_by(list, n) == unlocked_by(list, upper));
    }
}

std::vector<Strategy> all_strategies() {
    std::vector<Strategy> all;
    for (const std::string& name : strategy_names()) {
        if (name != "auto") all.push_back(parse_strategy(name));
    }
    all.push_back(parse_strategy("6s:0"));
    all.push_back(parse_strategy("6s:1"));
    all.push_back(parse_strategy("deep:3+edge-first"));
    all.push_back(parse_strategy("deep:2+6s"));
    all.push_back(parse_strategy("dataflow:1"));
    all.push_back(parse_strategy("deep:3+dataflow:2"));
    for (const char* tiled : {"tiled:1", "tiled:3", "deep:3+tiled", "deep:2+tiled:2", "deep:4+tiled:1"})
        all.push_back(parse_strategy(tiled));
    return all;
}

// The steps that a rank runs in as many nodes, of which some may be passes.
int steps_of(const Schedule& schedule, int nodes) {
    int steps = 0;
    for (int n = 0, node = schedule.stale_entry[0]; n < nodes; ++n, node = schedule.nodes[node].next)
        steps += steps_of(schedule.nodes[node]);
    return steps;
}

void simulate(Random& random, const Grid& grid, const Cycle& cycle, int fields, const Strategy& strategy) {
    const int count = random.between(1, 6);
    const Schedule schedule = schedule_for(cycle, fields, strategy);
    const bool joins = strategy.order == Order::tiled && random.between(0, 3) > 0;
    Simulation all{random_partition(random, grid, count),  cycle,   fields, strategy,
                   joins ? in_passes(schedule) : schedule, &random, {}};
    all.threads = random.between(1, 4);
    for (int n = 0; n < steps_run; ++n) all.follows.push_back(random.between(0, 3) > 0);
    const auto widths = halo_widths(cycle, fields, all.schedule);
    for (const Extent& width : widths) {  // a halo may not be wider than the grid
        for (std::size_t a = 0; a < 3; ++a) {
            if (std::max(width.lo[a], width.hi[a]) > grid.size[a]) return;
        }
    }
    ++cases_run;
    std::vector<std::unique_ptr<SimulatedRank>> ranks;
    for (int r = 0; r < count; ++r) ranks.push_back(std::make_unique<SimulatedRank>(all, r, widths));
    for (auto& rank : ranks) {
        for (int node = 0; node < std::ssize(all.schedule.nodes); ++node) {
            check_coverage(rank->list(node), rank->rank_step(node));
            check_rows(rank->list(node), strategy);
        }
    }
    const auto finished = [](const auto& rank) { return rank->finished(); };
    while (!std::ranges::all_of(ranks, finished)) {
        bool moved = false;
        const int first = random.between(0, count - 1);
        for (int n = 0; n < count && !moved; ++n) moved = ranks[(first + n) % count]->act(ranks);
        if (moved) continue;
        std::string standing;
        for (auto& rank : ranks) standing += rank->describe();
        FAIL("nobody can go on\n" << standing);
    }
    PlainHashes plain(grid, fields);
    for (int step = 0; step < steps_of(all.schedule, steps_run); ++step) {
        for (const StageSpec& stage : cycle[step % cycle.size()]) plain.compute(stage);
    }
    for (auto& rank : ranks) REQUIRE(rank->fields.different(plain) == 0);
}

}  // namespace

// Some stages of each step several times in a row, as `repeated` numbers them.
Cycle with_loops(Random& random, Cycle cycle) {
    for (auto& stages : cycle) {
        const int first = random.between(0, static_cast<int>(stages.size()) - 1);
        const int last = random.between(first, static_cast<int>(stages.size()) - 1);
        std::vector<StageSpec> all(stages.begin(), stages.begin() + first);
        for (int n = 0, times = random.between(2, 4); n < times; ++n) {
            for (int s = first; s <= last; ++s) {
                all.push_back(stages[s]);
                all.back().iteration = n;
            }
        }
        all.insert(all.end(), stages.begin() + last + 1, stages.end());
        stages = all;
    }
    return cycle;
}

TEST_CASE("any order that a strategy allows gives the bits of the whole grid") {
    Random random(7);
    const std::vector<Strategy> strategies = all_strategies();
    for (int n = 0; n < 450; ++n) {
        const bool deep = n % 4 == 3;
        const Grid grid{{random.between(9, 14), random.between(8, 12), deep ? random.between(4, 6) : 1},
                        {random.coin(), random.coin(), deep && random.coin()}};
        const int fields = random.between(2, 4);
        const Cycle cycle = random_hash_cycle(random, grid, fields, random.between(1, 2));
        const Strategy& strategy = strategies[n % strategies.size()];
        INFO("case " << n << ", strategy " << to_string(strategy));
        simulate(random, grid, cycle, fields, strategy);
    }
    REQUIRE(cases_run > 330);
}

TEST_CASE("loops within a step that exchange once every few times give the bits of the whole grid") {
    Random random(11);
    const std::array<const char*, 7> names{
        "deep:1", "deep:2", "deep:3+dataflow", "deep:2+edge-first", "dataflow", "deep:2+tiled:2", "tiled"};
    const int before = cases_run;
    for (int n = 0; n < 140; ++n) {
        const Grid grid{{random.between(9, 14), random.between(8, 12), 1}, {random.coin(), random.coin(), false}};
        const int fields = random.between(2, 3);
        const Cycle cycle = with_loops(random, random_hash_cycle(random, grid, fields, 1));
        const Strategy strategy = parse_strategy(names[n % names.size()]);
        INFO("case " << n << ", strategy " << to_string(strategy));
        simulate(random, grid, cycle, fields, strategy);
    }
    REQUIRE(cases_run - before > 70);
}

TEST_CASE("dataflow:tiles cuts the middle of a box into so many parts at least") {
    Random random(5);
    const Grid grid{{120, 72, 1}, {false, false, false}};
    const Extent around = Extent::horizontal(1);
    const Cycle cycle{{{"a", {{0, around}}, {1}}, {"b", {{1, around}}, {0}}}};
    const auto parts = [&](const char* name) {
        const Strategy strategy = parse_strategy(name);
        REQUIRE(to_string(strategy) == name);
        Simulation all{block_partition(grid, {3, 3, 1}), cycle, 2, strategy, late_schedule(cycle, 2), &random, {}};
        SimulatedRank rank(all, 4, halo_widths(cycle, 2, all.schedule));
        const RankStep step = rank.rank_step(0);
        const TaskList list = task_list(step, strategy, {});
        Box inside = step.owned[0];
        for (std::size_t a = 0; a < 2; ++a) inside.lo[a] += 3, inside.hi[a] -= 3;
        return std::ranges::count_if(list.tasks, [&](const Task& task) {
            return task.kind == Task::Kind::compute && task.entry == 1 && !intersect(task.box, inside).empty();
        });
    };
    REQUIRE(parts("dataflow") == 1);
    REQUIRE(parts("dataflow:4") >= 4);
    REQUIRE(parts("dataflow:10") >= 10);
    REQUIRE(parts("dataflow:1000") <= 24);  // no more than there are rows
}

// The most tiles that the first of some stages is ahead of the last one, in the order of the list.
int most_ahead(const TaskList& list, int first, int last) {
    int ahead = 0, most = 0;
    for (const Task& task : list.tasks) {
        if (task.kind != Task::Kind::compute) continue;
        ahead += (task.entry == first) - (task.entry == last);
        most = std::max(most, ahead);
    }
    return most;
}

TEST_CASE("a tile goes through all stages of its chain before the next tile begins") {
    Random random(3);
    const Grid grid{{30, 90, 1}, {false, false, false}};
    const Extent ahead{{0, 0, 0}, {0, 1, 0}}, behind{{0, 1, 0}, {0, 0, 0}};
    for (const Extent& extent : {ahead, behind, Extent::horizontal(2)}) {
        // each stage reads what the one before wrote, and overwrites what that one read
        std::vector<StageSpec> stages;
        for (int s = 0; s < 8; ++s) stages.push_back({"s" + std::to_string(s), {{s % 2, extent}}, {1 - s % 2}});
        const Cycle cycle{stages};
        const Strategy strategy = parse_strategy("tiled:6");
        Simulation all{block_partition(grid, {1, 1, 1}), cycle, 2, strategy, late_schedule(cycle, 2), &random, {}};
        SimulatedRank rank(all, 0, halo_widths(cycle, 2, all.schedule));
        const RankStep step = rank.rank_step(0);
        const auto is_stage = [](const ScheduleEntry& entry) { return entry.computes(); };
        const auto& entries = step.node->entries;
        const int first = static_cast<int>(std::ranges::find_if(entries, is_stage) - entries.begin());
        const TaskList list = task_list(step, strategy, {});
        REQUIRE(list.tasks.size() > 8 * 14);
        // the last stage lies up to 14 rows behind the first: its first tiles are empty
        REQUIRE(most_ahead(list, first, static_cast<int>(entries.size()) - 1) <= 4);
    }
}

// The time that the threads of a rank take for a list without messages, if a cell takes 1, none computes the part of
// another, and kernels of two steps never run at a time.
class ThreadTimes {
  public:
    ThreadTimes(const TaskList& list, const ScheduleNode& node, int threads)
        : list_(list), node_(node), end_(list.tasks.size(), -1), free_(threads, 0) {}

    Index of_all() {
        while (std::ranges::count(end_, -1) > 0) {
            while (begin_one()) {
            }
            Index next = std::numeric_limits<Index>::max();
            for (const Index end : end_)
                if (end > now_) next = std::min(next, end);
            if (next < std::numeric_limits<Index>::max()) now_ = next;
        }
        return std::ranges::max(end_);
    }

  private:
    [[nodiscard]] bool ready(const Task& task) const {
        return std::ranges::all_of(task.after, [&](int n) { return end_[n] >= 0 && end_[n] <= now_; });
    }
    // Begins the first ready task of a thread that is free, where the step that runs allows it.
    bool begin_one() {
        for (int thread = 0; thread < std::ssize(free_); ++thread) {
            if (free_[thread] > now_) continue;
            for (std::size_t n = 0; n < end_.size(); ++n) {
                const Task& task = list_.tasks[n];
                if (end_[n] >= 0 || task.thread != thread || !ready(task)) continue;
                const int step = task.ahead ? step_ : node_.entries[task.entry].later;
                const bool others = std::ranges::any_of(free_, [&](Index until) { return until > now_; });
                if (step != step_ && others) break;
                step_ = step;
                end_[n] = free_[thread] = now_ + (task.kind == Task::Kind::compute ? task.box.volume() : 0);
                return true;
            }
        }
        return false;
    }

    const TaskList& list_;
    const ScheduleNode& node_;
    std::vector<Index> end_, free_;
    Index now_ = 0;
    int step_ = 0;
};

TEST_CASE("threads hardly wait for each other while their tiles go through a chain") {
    Random random(3);
    const Grid grid{{30, 480, 1}, {false, false, false}};
    for (const Extent& extent : {Extent{{0, 0, 0}, {0, 1, 0}}, Extent{{0, 1, 0}, {0, 0, 0}}, Extent::horizontal(1)}) {
        std::vector<StageSpec> stages;
        for (int s = 0; s < 4; ++s) stages.push_back({"s" + std::to_string(s), {{s % 2, extent}}, {1 - s % 2}});
        const Cycle cycle{stages};
        for (const char* name : {"blocking", "tiled", "tiled:6", "deep:4+tiled:12", "deep:4+tiled:24"}) {
            for (const int threads : {2, 3, 4}) {
                INFO(name << ", threads " << threads);
                const Strategy strategy = parse_strategy(name);
                const Schedule schedule = in_passes(schedule_for(cycle, 2, strategy));
                Simulation all{block_partition(grid, {1, 1, 1}), cycle, 2, strategy, schedule, &random, {}};
                SimulatedRank rank(all, 0, halo_widths(cycle, 2, all.schedule));
                const RankStep step = rank.rank_step(0);
                const Tiling alone{.cache = 8192}, shared{.cache = 8192, .threads = threads};
                const Index one = ThreadTimes(task_list(step, strategy, alone), *step.node, 1).of_all();
                const Index some = ThreadTimes(task_list(step, strategy, shared), *step.node, threads).of_all();
                REQUIRE(100 * threads * some <= 112 * one);
            }
        }
    }
}
