// The tasks that run while messages travel: bits cannot show needless waits, which only cost overlap.
#include <catch2/catch.hpp>

#include <algorithm>

#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/schedule/task_list.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Two stages that read each other's field, the first with a rim, on the middle rank of three along each axis that has
// more than one cell.
class Middle {
  public:
    explicit Middle(const Extent& extent, const Index3& size = {60, 54, 1}) : Middle(extent, extent, {}, size) {}
    Middle(const Extent& first, const Extent& second, const Extent& rim, const Index3& size = {60, 54, 1})
        : partition_(block_partition({size, {}}, {3, 3, size[2] > 1 ? 3 : 1})),
          rank_(partition_.ranks() / 2),
          cycle_{{stage("a", 1, first, 0, rim), stage("b", 0, second, 1, {})}},
          schedule_(late_schedule(cycle_, 2)) {
        const ScheduleNode& node = schedule_.nodes[steady_nodes(schedule_).front()];
        for (const ScheduleEntry& entry : node.entries) {
            std::vector<FieldSpec> specs;
            for (const Read& halo : entry.halos) specs.push_back({.name = "f", .extents = {halo.extent}});
            plans_.push_back(halo_plan(partition_, rank_, specs, Corners::direct));
        }
        step_.grid = partition_.grid();
        step_.subdomains = partition_.subdomains_of(rank_);
        step_.owned = {partition_.subdomain(step_.subdomains[0]).box};
        step_.cycle = &cycle_;
        step_.node = step_.next = &node;
        for (std::size_t e = 0; e < plans_.size(); ++e)
            step_.plans.push_back(node.entries[e].computes() ? nullptr : &plans_[e]);
        step_.next_plans = step_.plans;
        step_.values_per_cell = {1, 1};
        step_.bytes_per_cell = {8, 8};
        step_.lines = {{1, {0}}, {1, {0}}};
    }
    Middle(const Middle&) = delete;
    Middle& operator=(const Middle&) = delete;

    [[nodiscard]] const Box& owned() const { return step_.owned[0]; }
    [[nodiscard]] TaskList list(const char* strategy) const { return task_list(step_, parse_strategy(strategy)); }

  private:
    static StageSpec stage(const char* name, int read, const Extent& extent, int written, const Extent& rim) {
        StageSpec spec;
        spec.name = name;
        spec.reads = {{read, extent}};
        spec.writes = {written};
        spec.rim = rim;
        return spec;
    }

    Partition partition_;
    int rank_;
    Cycle cycle_;
    Schedule schedule_;
    std::vector<MessagePlan> plans_;
    RankStep step_;
};

// The tasks that one waits for, directly or not.
std::vector<bool> before(const TaskList& list, std::size_t task) {
    std::vector<bool> found(list.tasks.size(), false);
    std::vector<std::size_t> next{task};
    while (!next.empty()) {
        const std::size_t n = next.back();
        next.pop_back();
        for (int first : list.tasks[n].after) {
            if (!found[first]) next.push_back(first);
            found[first] = true;
        }
    }
    return found;
}

bool waits_for(const TaskList& list, std::size_t task, Task::Kind kind, int entry) {
    const std::vector<bool> found = before(list, task);
    for (std::size_t n = 0; n < found.size(); ++n)
        if (found[n] && list.tasks[n].kind == kind && list.tasks[n].entry == entry && !list.tasks[n].ahead) return true;
    return false;
}

// Entries of the step.
constexpr int exchange_a = 0, compute_a = 1, exchange_b = 2;

// Owned cells of a stage that are computed while the first halo travels.
Index computed_meanwhile(const TaskList& list, int entry = compute_a) {
    Index cells = 0;
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
        const Task& task = list.tasks[n];
        if (task.kind != Task::Kind::compute || task.entry != entry) continue;
        if (!waits_for(list, n, Task::Kind::arrive, exchange_a)) cells += task.box.volume();
    }
    return cells;
}

// Cells of the first stage that are computed before the message that takes some of them leaves.
Index computed_before_message(const TaskList& list, int exchange, bool ahead = false) {
    Index cells = 0;
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
        const Task& task = list.tasks[n];
        if (task.kind != Task::Kind::start || task.entry != exchange || task.ahead != ahead) continue;
        const std::vector<bool> found = before(list, n);
        for (std::size_t m = 0; m < found.size(); ++m)
            if (found[m] && list.tasks[m].kind == Task::Kind::compute && list.tasks[m].entry == compute_a)
                cells += list.tasks[m].box.volume();
    }
    return cells;
}

Box within(Box box, const Extent& extent) {
    for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] += extent.lo[a];
        box.hi[a] -= extent.hi[a];
    }
    return box;
}

bool one_sided(const Extent& extent) {
    for (std::size_t a = 0; a < 3; ++a)
        if (extent.lo[a] > 0 && extent.hi[a] > 0) return false;
    return true;
}

const std::vector<Extent> some_extents{Extent::horizontal(1),         Extent::cross(2),
                                       {{1, 0, 0}, {0, 0, 0}, false}, {{0, 0, 0}, {2, 0, 0}, false},
                                       {{0, 1, 0}, {0, 0, 0}, false}, {{0, 0, 0}, {1, 3, 0}, true},
                                       {{2, 0, 0}, {1, 1, 0}, false}};

}  // namespace

TEST_CASE("what reads no halo waits for no message") {
    for (const Extent& extent : some_extents) {
        INFO(to_string(extent));
        const Middle middle(extent);
        const Extent around = unite(extent, mirrored(extent));
        CHECK(computed_meanwhile(middle.list("blocking")) == 0);
        for (const char* strategy : {"dataflow", "dataflow:4"}) {
            const Index cells = computed_meanwhile(middle.list(strategy));
            CHECK(cells <= within(middle.owned(), extent).volume());
            // zones are as deep as two messages ask for where both sides have some
            const Extent twice = one_sided(extent) ? extent : sum(around, around);
            CHECK(cells >= within(middle.owned(), twice).volume());
        }
    }
}

// A halo along z lies above owned columns, as the row on a north fold does.
TEST_CASE("what reads no halo waits for no message where z is cut too") {
    const Extent extent{{1, 1, 1}, {1, 1, 1}, false};
    const Middle middle(extent, {30, 27, 24});
    for (const char* strategy : {"dataflow", "dataflow:4"}) {
        const Index cells = computed_meanwhile(middle.list(strategy));
        CHECK(cells <= within(middle.owned(), extent).volume());
        CHECK(cells >= within(middle.owned(), sum(extent, extent)).volume());
    }
}

TEST_CASE("a message leaves once what it takes is computed") {
    for (const Extent& extent : some_extents) {
        INFO(to_string(extent));
        const Middle middle(extent);
        const Index taken = middle.owned().volume() - within(middle.owned(), mirrored(extent)).volume();
        CHECK(computed_before_message(middle.list("blocking"), exchange_b) == middle.owned().volume());
        for (const char* strategy : {"edge-first", "edge-first:B"})
            CHECK(computed_before_message(middle.list(strategy), exchange_b) == taken);
    }
}

// The message takes an edge of the second stage, which reads some of the first; and it fills the halo that the first
// has read on the other side.
TEST_CASE("a message leaves for the next step once the edges of both stages are computed") {
    for (const Extent& extent : some_extents) {
        if (!one_sided(extent)) continue;
        INFO(to_string(extent));
        const Middle middle(extent);
        const Extent edges = unite(mirrored(sum(extent, extent)), extent);
        const Index needed = middle.owned().volume() - within(middle.owned(), edges).volume();
        CHECK(computed_before_message(middle.list("dataflow:4"), exchange_a, true) == needed);
    }
}

TEST_CASE("a message leaves for the next step though the first stage has still to be done elsewhere") {
    for (const Extent& extent : some_extents) {
        if (!one_sided(extent)) continue;
        INFO(to_string(extent));
        const Middle middle(extent, {}, {});
        const Index needed = middle.owned().volume() - within(middle.owned(), unite(mirrored(extent), extent)).volume();
        CHECK(computed_before_message(middle.list("dataflow:4"), exchange_a, true) == needed);
    }
}

TEST_CASE("what reads no rim that reads a halo waits for no message") {
    for (const Extent& extent : some_extents) {
        if (!one_sided(extent)) continue;
        INFO(to_string(extent));
        const Middle middle(extent, extent, extent);
        const Extent reach = sum(extent, extent);  // zones are up to twice as deep
        const Index cells = computed_meanwhile(middle.list("dataflow:4"), compute_a + 1);
        CHECK(cells <= within(middle.owned(), reach).volume());
        CHECK(cells >= within(middle.owned(), sum(reach, reach)).volume());
    }
}

TEST_CASE("all ranks post their messages in the order of the schedule") {
    for (const Extent& extent : some_extents) {
        for (const char* strategy : {"dataflow", "dataflow:4", "edge-first", "3s", "blocking"}) {
            const TaskList list = Middle(extent).list(strategy);
            std::size_t last = list.tasks.size();
            for (std::size_t n = 0; n < list.tasks.size(); ++n) {
                if (list.tasks[n].kind != Task::Kind::start) continue;
                if (last < n) CHECK(before(list, n)[last]);
                last = n;
            }
            CHECK(last < list.tasks.size());
        }
    }
}
