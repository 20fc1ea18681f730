// Schedules, run on numbers: which cells of which halo hold the newest values.
#include "lapwing/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "lapwing/base/error.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

using Offsets = std::set<Index3>;

// Cells around the owned one that a stencil reads, the cell itself left out.
Offsets halo_of(const Extent& extent) {
    Offsets offsets;
    for (Index k = -extent.lo[2]; k <= extent.hi[2]; ++k) {
        for (Index j = -extent.lo[1]; j <= extent.hi[1]; ++j) {
            for (Index i = -extent.lo[0]; i <= extent.hi[0]; ++i) {
                const int axes = (i != 0) + (j != 0) + (k != 0);
                if (axes == 1 || (axes > 1 && extent.corners)) offsets.insert({i, j, k});
            }
        }
    }
    return offsets;
}

// The halos in a run: for each field, the halo cells that have come since its last write.
class Run {
  public:
    Run(const Cycle& cycle, int fields) : cycle_(cycle), fresh_(fields) {}

    void forget() {
        for (Offsets& offsets : fresh_) offsets.clear();
    }

    void step(const ScheduleNode& node) {
        const auto& stages = cycle_[node.step];
        int next_stage = 0;
        bool after_exchange = false;
        for (const ScheduleEntry& task : node.entries) {
            if (task.kind == ScheduleEntry::Kind::exchange) {
                REQUIRE(!after_exchange);  // two in a row could have travelled together
                exchange(task, stages[next_stage]);
                ++exchanges;
            } else {
                REQUIRE(task.stage == next_stage++);
                compute(stages[task.stage]);
            }
            after_exchange = task.kind == ScheduleEntry::Kind::exchange;
        }
        REQUIRE(next_stage == std::ssize(stages));
    }

    int exchanges = 0;
    std::multiset<int> exchanged;  // fields

  private:
    bool stale(const Read& read) const { return !std::ranges::includes(fresh_[read.field], halo_of(read.extent)); }

    void exchange(const ScheduleEntry& task, const StageSpec& next) {
        REQUIRE(std::ranges::any_of(next.reads, [&](const Read& read) { return stale(read); }));
        REQUIRE(std::ranges::is_sorted(task.halos, {}, &Read::field));
        for (const Read& halo : task.halos) {
            REQUIRE(stale(halo));  // nothing travels that is there already
            fresh_[halo.field].merge(halo_of(halo.extent));
            exchanged.insert(halo.field);
        }
    }

    void compute(const StageSpec& stage) {
        for (const Read& read : stage.reads) REQUIRE(!stale(read));
        for (int field : stage.writes) fresh_[field].clear();
    }

    const Cycle& cycle_;
    std::vector<Offsets> fresh_;
};

const ScheduleNode& node(const Schedule& schedule, int n) { return schedule.nodes.at(n); }

Cycle random_cycle(Random& random, int fields) {
    Cycle cycle(random.between(1, 3));
    for (auto& stages : cycle) {
        stages.resize(random.between(0, 4));
        for (StageSpec& stage : stages) {
            stage.name = "s";
            for (int field = 0; field < fields; ++field) {
                const int role = random.between(0, 3);
                if (role == 0) stage.writes.push_back(field);
                if (role == 1) stage.reads.push_back({field, random.extent(2)});
                if (role == 2 && random.coin()) {
                    stage.reads.push_back({field, {}});  // the cell itself may be read and written
                    stage.writes.push_back(field);
                }
            }
            if (random.between(0, 4) == 0) stage.region = Box{{0, 0, 0}, {1, 1, 1}};
        }
    }
    if (cycle[0].empty()) cycle[0].push_back({"s", {{0, Extent::horizontal(1)}}, {}, {}});
    return cycle;
}

// The schedule's rounds per step once it repeats itself, and which fields travel in them.
Run steady_run(const Cycle& cycle, int fields, int steps) {
    const Schedule schedule = late_schedule(cycle, fields);
    Run run(cycle, fields);
    int at = schedule.stale_entry[0];
    for (int n = 0; n < 20; ++n) run.step(node(schedule, at)), at = node(schedule, at).next;
    run.exchanges = 0;
    run.exchanged.clear();
    for (int n = 0; n < steps; ++n) run.step(node(schedule, at)), at = node(schedule, at).next;
    return run;
}

// The depth-integrated ocean step: U and V follow each other in alternating order.
enum OceanField { depth, level, u, v };
const Extent lower{{1, 1, 0}, {0, 0, 0}, false}, upper{{0, 0, 0}, {1, 1, 0}, false};
const StageSpec continuity{"continuity", {{depth, upper}, {u, lower}, {v, lower}, {level, {}}}, {level}, {}};
const StageSpec momentum_x{"momentum x", {{depth, upper}, {level, upper}, {v, Extent::horizontal(1)}}, {u}, {}};
const StageSpec momentum_y{"momentum y", {{depth, upper}, {level, upper}, {u, Extent::horizontal(1)}}, {v}, {}};

}  // namespace

TEST_CASE("no stage of any schedule reads a stale halo, and nothing travels twice") {
    Random random(1);
    for (int n = 0; n < 400; ++n) {
        const int fields = random.between(1, 5);
        const Cycle cycle = random_cycle(random, fields);
        const Schedule schedule = late_schedule(cycle, fields);
        REQUIRE(schedule.stale_entry.size() == cycle.size());
        for (std::size_t entry = 0; entry < cycle.size(); ++entry) {
            Run run(cycle, fields);
            int at = schedule.stale_entry[entry];
            for (int step = 0; step < 12; ++step) {
                const ScheduleNode& now = node(schedule, at);
                REQUIRE(now.step == static_cast<int>((entry + step) % cycle.size()));
                run.step(now);
                at = now.next;
            }
            // a write outside the stages, or a restart: from the stale entry of the same position on
            run.forget();
            run.step(node(schedule, schedule.stale_entry[node(schedule, at).step]));
        }
    }
}

TEST_CASE("a field that no stage writes travels once") {
    const Cycle cycle{
        {{"s", {{0, Extent::cross(1)}, {1, Extent::cross(1)}}, {2}, {}}, {"t", {{2, Extent::cross(1)}}, {1}, {}}}};
    const Run run = steady_run(cycle, 3, 10);
    REQUIRE(run.exchanged.count(0) == 0);
    REQUIRE(run.exchanged.count(1) == 10);
    const Schedule schedule = late_schedule(cycle, 3);
    const ScheduleEntry& first = node(schedule, schedule.stale_entry[0]).entries[0];
    REQUIRE(first.halos == std::vector<Read>{{0, Extent::cross(1)}, {1, Extent::cross(1)}});
}

TEST_CASE("the ocean step needs three rounds") {
    const Cycle same{{continuity, momentum_x, momentum_y}};
    REQUIRE(steady_run(same, 4, 10).exchanges == 30);
    const Cycle alternating{{continuity, momentum_x, momentum_y}, {continuity, momentum_y, momentum_x}};
    const Run run = steady_run(alternating, 4, 10);
    REQUIRE(run.exchanges == 30);
    REQUIRE(run.exchanged.count(depth) == 0);
    REQUIRE(run.exchanged.count(level) == 10);
}

TEST_CASE("halos that a stage sends travel each on its own, and then need not travel again") {
    const auto sending = [](StageSpec stage) {
        for (int field : stage.writes) stage.sends.push_back({field, Extent::horizontal(2)});
        return stage;
    };
    const Schedule schedule = late_schedule({{sending(continuity), sending(momentum_x), sending(momentum_y)}}, 4);
    const std::vector<int> sent{level, u, v};
    for (const int number : steady_nodes(schedule)) {
        const auto& entries = node(schedule, number).entries;
        REQUIRE(entries.size() == 6);
        for (std::size_t s = 0; s < 3; ++s) {
            REQUIRE(entries[2 * s].stage == static_cast<int>(s));
            REQUIRE(entries[2 * s + 1].halos == std::vector<Read>{{sent[s], Extent::horizontal(2)}});
        }
    }
}

TEST_CASE("loops within a step exchange once every so many times, the rest as late as can be") {
    std::vector<StageSpec> stages{{"slow terms", {{level, Extent::cross(1)}}, {depth}, {}}};
    for (int n = 0; n < 6; ++n) {
        for (StageSpec stage : {continuity, momentum_x, momentum_y}) {
            stage.iteration = n;
            stages.push_back(stage);
        }
    }
    stages.push_back({"mean", {{level, {}}}, {depth}, {}});
    const auto rounds = [&](const Schedule& schedule) {
        const ScheduleNode& steady = node(schedule, steady_nodes(schedule)[0]);
        return std::ranges::count(steady.entries, ScheduleEntry::Kind::exchange, &ScheduleEntry::kind);
    };
    REQUIRE(rounds(late_schedule({stages}, 4)) == 18);  // three per repetition; what the slow terms read goes along
    REQUIRE(rounds(deep_schedule({stages}, 4, 2)) == 3);
    REQUIRE(rounds(deep_schedule({stages}, 4, 6)) == 1);
    REQUIRE(rounds(deep_schedule({stages}, 4, 4)) == 2);  // of four, then of the two that are left
    // nothing is computed around the owned box where a window ends, or outside of the loop
    const Schedule twice = deep_schedule({stages}, 4, 2);
    const auto entries = node(twice, steady_nodes(twice)[0]).entries;
    for (const ScheduleEntry& entry : entries) {
        const bool ends = entry.stage == 0 || entry.stage == 19 || entry.stage % 6 == 0;
        if (entry.kind == ScheduleEntry::Kind::compute && ends) REQUIRE(entry.rim.empty());
    }
}

TEST_CASE("one loop after the other needs no wider halos than one of them") {
    const auto widths = [](int loops) {
        std::vector<StageSpec> stages;
        for (int loop = 0; loop < loops; ++loop) {
            for (int n = 0; n < 2; ++n) {
                for (StageSpec stage : {continuity, momentum_x, momentum_y}) {
                    stage.iteration = n;
                    stages.push_back(stage);
                }
            }
        }
        return halo_widths({stages}, 4, deep_schedule({stages}, 4, 4));
    };
    REQUIRE(widths(2) == widths(1));
}

TEST_CASE("what a region leaves alone is computed around the owned box too") {
    const Cycle cycle{{{"all", {{0, Extent::cross(1)}}, {1}, {}},
                       {"strip", {}, {1}, Box{{0, 0, 0}, {1, 9, 1}}},
                       {"back", {{1, Extent::cross(1)}}, {0}, {}}}};
    const Schedule schedule = deep_schedule(cycle, 2, 1);
    const auto entries = node(schedule, steady_nodes(schedule)[0]).entries;
    REQUIRE(std::ranges::count(entries, ScheduleEntry::Kind::exchange, &ScheduleEntry::kind) == 1);
    REQUIRE(covers(entries[1].rim, Extent::cross(1)));
}

TEST_CASE("what can travel together does") {
    // a is read by the second stage only, but may go along with what the first needs
    const Cycle cycle{{{"first", {{0, Extent::cross(1)}}, {2}, {}},
                       {"second", {{1, Extent::cross(1)}}, {3}, {}},
                       {"third", {{2, {}}, {3, {}}}, {0, 1}, {}}}};
    const Run run = steady_run(cycle, 4, 1);
    REQUIRE(run.exchanges == 1);
    REQUIRE(run.exchanged == std::multiset<int>{0, 1});
}

TEST_CASE("a halo travels wide enough for all its readers at once") {
    const Cycle cycle{{{"narrow", {{0, Extent{{1, 0, 0}, {0, 0, 0}}}}, {1}, {}},
                       {"wide", {{0, Extent{{0, 0, 0}, {3, 0, 0}}}}, {2}, {}},
                       {"write", {{1, {}}}, {0}, {}}}};
    const Schedule schedule = late_schedule(cycle, 3);
    const auto& tasks = node(schedule, schedule.stale_entry[0]).entries;
    REQUIRE(tasks.size() == 4);
    REQUIRE(tasks[0].halos == std::vector<Read>{{0, Extent{{1, 0, 0}, {3, 0, 0}}}});
}

TEST_CASE("a stage of a region makes the halos of what it writes stale") {
    const Cycle cycle{{{"s", {{0, Extent::cross(1)}}, {1}, {}}, {"boundary", {}, {0}, Box{{0, 0, 0}, {1, 9, 1}}}}};
    REQUIRE(steady_run(cycle, 2, 5).exchanges == 5);
}

TEST_CASE("reads of the cell alone need no exchange") {
    const Cycle cycle{{{"s", {{0, {}}, {1, {}}}, {0, 1}, {}}}};
    REQUIRE(steady_run(cycle, 2, 5).exchanges == 0);
}

TEST_CASE("a step without stages is refused") {
    REQUIRE_THROWS_WITH(late_schedule({{}}, 2), Catch::Contains("step: got no stages"));
    REQUIRE_THROWS_AS(late_schedule({}, 2), UserError);
}

TEST_CASE("a task list can be read") {
    const Cycle cycle{{{"flux", {{1, Extent::cross(1)}}, {0}, {}}}};
    const Schedule schedule = late_schedule(cycle, 2);
    const std::vector<std::string> names{"f", "depth"};
    REQUIRE(to_string(node(schedule, schedule.stale_entry[0]), cycle[0], names) ==
            "  exchange depth (cross(1))\n  compute  flux\n");
}

TEST_CASE("a halo that nobody reads before its field is written is needless") {
    const Extent around = Extent::cross(1);
    const Cycle cycle{{{"smooth", {{0, around}}, {1}, {}}, {"copy", {{1, {}}}, {0}, {}}}};
    const Schedule automatic = late_schedule(cycle, 2);
    for (std::size_t n = 0; n < automatic.nodes.size(); ++n) {
        for (std::size_t t = 0; t < automatic.nodes[n].entries.size(); ++t) {
            for (const Read& halo : automatic.nodes[n].entries[t].halos) {
                REQUIRE_FALSE(is_needless(cycle, automatic, {static_cast<int>(n), static_cast<int>(t)}, halo));
            }
        }
    }
    const auto exchange = [&](int field) {
        return ScheduleEntry{ScheduleEntry::Kind::exchange, -1, {{field, around}}};
    };
    const auto compute = [](int stage) { return ScheduleEntry{ScheduleEntry::Kind::compute, stage, {}}; };
    const Schedule by_hand{{{0, {exchange(0), exchange(1), compute(0), exchange(0), exchange(1), compute(1)}, 0}}, {0}};
    const auto needless = [&](int task, int field) { return is_needless(cycle, by_hand, {0, task}, {field, around}); };
    REQUIRE_FALSE(needless(0, 0));
    REQUIRE(needless(1, 1));  // written by the stage that follows
    REQUIRE(needless(3, 0));  // read in the next step, but written before that
    REQUIRE(needless(4, 1));  // read, but not around itself
}

TEST_CASE("a halo that is read when a loop begins again is not needless") {
    const Extent around = Extent::cross(1);
    // read, left alone; the loop goes back to the first; a last stage writes what was read
    const Cycle cycle{{{"read", {{0, around}}, {1}, {}}, {"wait", {}, {2}, {}}, {"write", {}, {0}, {}}}};
    const auto compute = [](int stage, int repeat_from) {
        return ScheduleEntry{ScheduleEntry::Kind::compute, stage, {}, {}, repeat_from};
    };
    const auto needless = [&](int repeat_from) {
        const ScheduleEntry exchange{ScheduleEntry::Kind::exchange, -1, {{0, around}}};
        const Schedule schedule{{{0, {compute(0, -1), exchange, compute(1, repeat_from), compute(2, -1)}, 0}}, {0}};
        return is_needless(cycle, schedule, {0, 1}, {0, around});
    };
    REQUIRE(needless(-1));  // written before the next step reads it
    REQUIRE(needless(2));   // the loop does not hold the reader
    REQUIRE_FALSE(needless(0));
}

TEST_CASE("a strategy has one name, and takes older ones") {
    const std::pair<const char*, const char*> names[] = {{"1s", "blocking"},
                                                         {"6s(0.3)", "6s:0.3"},
                                                         {"edge-first(A)", "edge-first"},
                                                         {"edge-first:A", "edge-first"},
                                                         {"edge-first(B)", "edge-first:B"},
                                                         {"dataflow(4)", "dataflow:4"},
                                                         {"tiled(32)", "tiled:32"},
                                                         {"deep(2)", "deep:2"},
                                                         {"deep(1)+dataflow:4", "deep:1+dataflow:4"}};
    for (const auto& [older, name] : names) REQUIRE(to_string(parse_strategy(older)) == name);
}

TEST_CASE("a misspelt strategy is named with the nearest one") {
    const std::pair<const char*, const char*> words[] = {{"deap:2", "did you mean deep:2?"},
                                                         {"deep-2", "did you mean deep:2?"},
                                                         {"Blocking", "did you mean blocking?"},
                                                         {"dataflow;4", "did you mean dataflow:4?"},
                                                         {"edge_first:B", "did you mean edge-first:B?"},
                                                         {"hurried", "choose a strategy by its name"},
                                                         {"", "choose a strategy by its name"},
                                                         {"deep:", "did you mean deep:2?"},
                                                         {"6s:", "did you mean"},
                                                         {"deep(2", "did you mean deep:2?"}};
    for (const auto& [word, remedy] : words) {
        CAPTURE(word);
        REQUIRE_THROWS_WITH(parse_strategy(word), Catch::Contains(remedy));
    }
}

TEST_CASE("the name of a strategy keeps all digits of its numbers") {
    for (const char* name : {"6s:0.1234567890123456", "6s:1e-09", "dataflow:2147483647", "deep:3+6s:0.3"}) {
        const Strategy strategy = parse_strategy(name);
        REQUIRE(to_string(strategy) == name);
        REQUIRE(parse_strategy(to_string(strategy)) == strategy);
    }
}
