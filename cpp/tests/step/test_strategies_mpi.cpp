// Steps under every strategy, on real ranks with real messages, have the bits of the whole grid in one piece.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <limits>

#include "hash_model.hpp"
#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

struct StageContext {
    HashFields* fields;
    const StageSpec* stage;
    int block;
};

void hash_kernel(void* context, Box box) {
    const auto& at = *static_cast<const StageContext*>(context);
    at.fields->compute(*at.stage, at.block, box);
}

// A model of hashes on real ranks, its memory wide enough for every strategy.
struct HashModel {
    Domain domain;
    Cycle cycle;
    HashFields fields;
    std::deque<StageContext> contexts;

    HashModel(Partition partition, Cycle stages, int count, int width)
        : domain(std::move(partition), MPI_COMM_WORLD),
          cycle(std::move(stages)),
          fields(domain.partition(), domain.rank(), std::vector<Extent>(count, Extent::horizontal(width))) {}
    ~HashModel() { domain.close(); }

    std::vector<Stages> stages() {
        std::vector<Stages> all;
        for (const auto& specs : cycle) {
            all.emplace_back();
            for (const StageSpec& spec : specs) {
                Stage stage;
                stage.name = spec.name;
                stage.region = spec.region;
                stage.rim_extent = spec.rim;
                for (const Read& read : spec.reads) stage.reads.push_back({&field(read.field), read.extent});
                for (int number : spec.writes) stage.writes.push_back(&field(number));
                for (const Read& sent : spec.sends) stage.sends.push_back({&field(sent.field), sent.extent});
                stage.kernel = hash_kernel;
                for (int block = 0; block < std::ssize(fields.fields[0].blocks()); ++block) {
                    stage.contexts.push_back(&contexts.emplace_back(StageContext{&fields, &spec, block}));
                }
                all.back().push_back(std::move(stage));
            }
        }
        return all;
    }
    AnyField& field(int number) { return fields.fields[number]; }
};

int different_anywhere(HashModel& model, PlainHashes& plain) {
    int count = model.fields.different(plain);
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return count;
}

void compare_with_plain(Random& random, const Grid& grid, const std::string& strategy, const std::string& transport) {
    const int fields = random.between(2, 4);
    const Cycle cycle = random_hash_cycle(random, grid, fields, 1);
    HashModel model(random_partition(random, grid, world_size()), cycle, fields, 40);
    Step step(model.domain, model.stages(), {strategy, transport});
    PlainHashes plain(grid, fields);
    int done = 0;
    const auto run = [&](int steps) {
        step.run(steps);
        for (; steps > 0; --steps)
            for (const StageSpec& stage : cycle[done++ % cycle.size()]) plain.compute(stage);
    };
    run(5);
    // something outside the stages writes a field
    for (const Block& block : model.field(0).blocks()) HashFields::value(block, block.owned.lo) += 0;
    model.field(0).modified();
    run(2);
    REQUIRE(different_anywhere(model, plain) == 0);
    run(strategy == "auto" ? 33 : 2);
    REQUIRE(different_anywhere(model, plain) == 0);
}

const Extent all_around = Extent::horizontal(1);

}  // namespace

TEST_CASE("every strategy has the bits of the whole grid") {
    Random random(11);
    const Grid grid{{44, 41, 1}, {true, false, false}};
    for (const std::string& strategy : strategy_names()) {
        for (int n = 0; n < (world_size() > 4 ? 1 : 3); ++n) {
            INFO(strategy << ", case " << n);
            compare_with_plain(random, grid, strategy, n == 1 ? "shared" : "p2p");
        }
    }
}

TEST_CASE("auto finds a strategy and says what it measured") {
    Random random(3);
    const Grid grid{{48, 40, 1}, {false, false, false}};
    const Cycle cycle{{{"a", {{0, all_around}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    HashModel model(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 4);
    Step step(model.domain, model.stages(), {"auto", "p2p"});
    int steps = 0;  // a turn is as many as the clock asks for
    for (; steps < 30000 && (step.report().strategy() == "auto" || steps < 10); ++steps) {
        step.run();
        if (step.report().strategy() == "auto")
            REQUIRE_THAT(step.report().choice(), Catch::Contains("auto measures: round "));
    }
    step.run();
    HashModel other(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 4);
    Step blocking(other.domain, other.stages(), {"blocking", "p2p"});
    for (int n = 0; n <= steps; ++n) blocking.run();
    for (int number = 0; number < 2; ++number) {
        const Block &found = model.field(number).blocks()[0], &expected = other.field(number).blocks()[0];
        for (Index j = found.owned.lo[1]; j < found.owned.hi[1]; ++j)
            for (Index i = found.owned.lo[0]; i < found.owned.hi[0]; ++i)
                REQUIRE(HashFields::value(found, {i, j, 0}) == HashFields::value(expected, {i, j, 0}));
    }
    if (world_size() == 1) {
        REQUIRE(step.report().strategy() == "blocking");
        REQUIRE(step.report().choice().empty());
    } else {
        REQUIRE(step.report().strategy() != "auto");
        REQUIRE_THAT(step.report().choice(), Catch::Contains("auto took " + step.report().strategy()) &&
                                                 Catch::Contains("dataflow") && Catch::Contains("us per step"));
    }
}

TEST_CASE("settle ends the measuring of auto") {
    const Grid grid{{48, 40, 1}, {false, false, false}};
    const Cycle cycle{{{"a", {{0, all_around}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    HashModel model(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 4);
    Step step(model.domain, model.stages(), {"auto", "p2p"});
    step.run(3);
    REQUIRE_THROWS_WITH(step.settle("auto"), Catch::Contains("strategy to settle for"));
    step.settle("deep:2");
    REQUIRE(step.report().strategy() == "deep:2");
    step.settle("dataflow:3");  // none that auto tries
    REQUIRE(step.report().strategy() == "dataflow:3");
    step.run(2);
    HashModel other(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 4);
    Step blocking(other.domain, other.stages(), {"blocking", "p2p"});
    blocking.run(5);
    for (int number = 0; number < 2; ++number) {
        const Block &found = model.field(number).blocks()[0], &expected = other.field(number).blocks()[0];
        for (Index j = found.owned.lo[1]; j < found.owned.hi[1]; ++j)
            for (Index i = found.owned.lo[0]; i < found.owned.hi[0]; ++i)
                REQUIRE(HashFields::value(found, {i, j, 0}) == HashFields::value(expected, {i, j, 0}));
    }
}

TEST_CASE("a stage that ends with a number tells it to the stages after it") {
    const Grid grid{{30, 20, 1}, {false, false, false}};
    struct Context {
        AnyField* field;
        double *partial, *value;
    };
    for (const char* strategy : {"blocking", "edge-first", "dataflow", "deep:2"}) {
        Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
        FieldSpec spec;
        spec.name = "a";
        AnyField field(domain.partition(), domain.rank(), spec, Extent::horizontal(4));
        double partial = 0, value = 0;
        Context context{&field, &partial, &value};
        const Kernel find = [](void* object, Box box) {
            const auto& at = *static_cast<Context*>(object);
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    *at.partial = std::max(*at.partial, at.field->view<double>()(i, j));
        };
        const Kernel use = [](void* object, Box box) {
            const auto& at = *static_cast<Context*>(object);
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    at.field->view<double>()(i, j) = *at.value + static_cast<double>(i + 100 * j);
        };
        Stage greatest{"greatest", {{&field, {}}}, {}, find, {&context}};
        greatest.reduction = Reduction{Reduction::Kind::maximum, &partial, &value};
        const Stage add{"add", {}, {&field}, use, {&context}};
        Step step(domain, {greatest, add}, {strategy, "p2p"});
        double expected = 0;
        for (int n = 0; n < 4; ++n) {
            step.run();
            REQUIRE(value == expected);
            expected += 29 + 100 * 19;
        }
        domain.close();
    }
}

TEST_CASE("bad requests of strategies are refused by all ranks") {
    using Catch::Contains;
    const Grid grid{{24, 20, 1}, {false, false, false}};
    const Cycle cycle{{{"a", {{0, all_around}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    HashModel model(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 1);
    REQUIRE_THROWS_WITH(Step(model.domain, model.stages(), {"deep:0"}), Contains("strategy: got deep:0"));
    REQUIRE_THROWS_WITH(Step(model.domain, model.stages(), {"6s:1.5"}), Contains("strategy: got 6s:1.5"));
    REQUIRE_THROWS_WITH(Step(model.domain, model.stages(), {"deep:2"}),
                        Contains("memory of field") && Contains("which strategy deep:2 reads or computes"));
    const HashModel other(block_partition({{20, 20, 1}, {}}, best_blocks({{20, 20, 1}, {}}, world_size())), cycle, 2,
                          1);
    auto foreign = model.stages();
    foreign[0][0].writes = {const_cast<AnyField*>(&other.fields.fields[1])};
    REQUIRE_THROWS_WITH(Step(model.domain, foreign), Contains("stage a: got field f1 of another domain"));
}

TEST_CASE("a timeline notes what was computed, sent and waited for") {
    const Grid grid{{40, 40, 1}, {false, false, false}};
    const Cycle cycle{{{"a", {{0, all_around}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    HashModel model(block_partition(grid, best_blocks(grid, world_size())), cycle, 2, 1);
    Step step(model.domain, model.stages(), {"dataflow", "p2p"});
    REQUIRE(step.report().timeline() == nullptr);
    step.draw_timeline(10000);
    step.run(3);
    Index computed = 0;
    std::int64_t last = 0;
    auto events = step.report().timeline()->events();  // a wait is noted after what was unpacked in it
    std::ranges::sort(events, {}, &TimelineEvent::begin);
    for (const TimelineEvent& event : events) {
        REQUIRE(event.begin >= last);
        REQUIRE(event.end >= event.begin);
        last = event.end;
        if (event.kind == TimelineEvent::Kind::compute) computed += event.box.volume();
    }
    const Box& owned = model.field(0).blocks()[0].owned;
    REQUIRE(computed == 6 * owned.volume());
}

TEST_CASE("checking finds reads and writes that no stage declares, and changes that nobody announced") {
    using Catch::Contains;
    const Grid grid{{24, 20, 1}, {false, true, false}};
    Extent ahead;
    ahead.hi[0] = 1;
    const Cycle declared{{{"a", {{0, ahead}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    const Cycle actual{{{"a", {{0, Extent{{0, 1, 0}, {2, 0, 0}, false}}}, {1}}, {"b", {{1, all_around}}, {0}}}};
    const auto make = [&](const Cycle& run_as, int fields) {
        return std::make_unique<HashModel>(block_partition(grid, best_blocks(grid, world_size())), run_as, fields, 3);
    };
    const auto with_declarations = [](HashModel& model, const Cycle& specs) {
        auto stages = model.stages();  // the kernels read what `model.cycle` says
        for (std::size_t s = 0; s < stages[0].size(); ++s) {
            stages[0][s].reads.clear();
            stages[0][s].writes.clear();
            for (const Read& read : specs[0][s].reads)
                stages[0][s].reads.push_back({&model.field(read.field), read.extent});
            for (int field : specs[0][s].writes) stages[0][s].writes.push_back(&model.field(field));
        }
        return stages;
    };
    {
        const auto model = make(declared, 2);
        Step step(model->domain, model->stages(), {"dataflow", "p2p"});
        step.check();
        for (int n = 0; n < 3; ++n) step.run();
        PlainHashes plain(grid, 2);
        for (int n = 0; n < 3; ++n) plain.compute(declared[0][0]), plain.compute(declared[0][1]);
        REQUIRE(different_anywhere(*model, plain) == 0);
        for (const Block& block : model->field(0).blocks()) HashFields::value(block, block.owned.lo) += 1;
        REQUIRE_THROWS_WITH(step.run(), Contains("field f0: got values that were changed outside the stages"));
    }
    {
        const auto model = make(actual, 2);
        Step step(model->domain, with_declarations(*model, declared), {"blocking", "p2p"});
        step.check();
        REQUIRE_THROWS_WITH(step.run(),
                            Contains("stage a: got a read of field f0 beyond what the stage declares; expected "
                                     "reads: f0 with extent cross(ahead(x, 2), behind(y))"));
    }
    {
        const Cycle three{{{"a", {{0, {}}, {2, {}}}, {1}}, {"b", {{1, all_around}}, {0}}}};
        const Cycle two{{{"a", {{0, {}}}, {1}}, {"b", {{1, all_around}, {2, {}}}, {0}}}};
        const auto model = make(three, 3);
        Step step(model->domain, with_declarations(*model, two), {"blocking", "p2p"});
        step.check();
        REQUIRE_THROWS_WITH(step.run(), Contains("stage a: got a read of field f2, which it does not declare"));
    }
    {
        const Cycle both{{{"a", {{0, {}}}, {1, 2}}, {"b", {{1, all_around}}, {0}}}};
        const Cycle one{{{"a", {{0, {}}}, {1}}, {"b", {{1, all_around}, {2, {}}}, {0}}}};
        const auto model = make(both, 3);
        Step step(model->domain, with_declarations(*model, one), {"blocking", "p2p"});
        step.check();
        REQUIRE_THROWS_WITH(step.run(), Contains("stage a: got a write of field f2, which it does not declare"));
    }
}

namespace {

// Raises the number by the values at the right of the cells.
struct Watched {
    View<double> values;
    double* highest;
};

void watch_kernel(void* context, Box box) {
    const auto& [values, highest] = *static_cast<Watched*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) *highest = std::max(*highest, values(i + 1, j));
    }
}

}  // namespace

TEST_CASE("checked stages that only reduce are found to read what they do not declare") {
    const Grid grid{{24, 20, 1}, {true, true, false}};
    Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
    FieldSpec spec;
    spec.name = "a";
    AnyField a(domain.partition(), domain.rank(), spec, Extent::horizontal(2));
    const Box owned = a.blocks()[0].owned;
    for (Index j = owned.lo[1]; j < owned.hi[1]; ++j) {
        // above the plain wrong values, so that the highest is the same with them
        for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) a.view<double>()(i, j) = static_cast<double>(100 + i + j);
    }
    double partial = 0, value = 0;
    Watched watched{a.view<double>(), &partial};
    Extent ahead;
    ahead.hi[0] = 1;
    Stage watch{"watch", {{&a, ahead}}, {}, watch_kernel, {&watched}};
    watch.reduction = Reduction{Reduction::Kind::maximum, &partial, &value};
    Step right(domain, Stages{watch}, {"dataflow", "p2p"});
    right.check();
    right.run();
    REQUIRE(value == 100.0 + 23 + 19);
    watch.reads = {{&a, {}}};
    Step wrong(domain, Stages{watch}, {"dataflow", "p2p"});
    wrong.check();
    REQUIRE_THROWS_WITH(wrong.run(),
                        Catch::Contains("stage watch: got a read of field a beyond what the stage declares; "
                                        "expected reads: a with extent ahead(x)"));
    domain.close();
}

namespace {

// Adds one to what is below ten around any cell: an iteration that needs the halo and ends on all ranks at once.
struct Filling {
    View<double> from, to;
    double* missing;
};

void fill_kernel(void* context, Box box) {
    const auto& [from, to, missing] = *static_cast<Filling*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = std::max({from(i, j), from(i - 1, j), from(i, j - 1)});
    }
}

void copy_kernel(void* context, Box box) {
    const auto& [from, to, missing] = *static_cast<Filling*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            if (from(i, j) != to(i, j)) *missing = 1;
            from(i, j) = to(i, j);
        }
    }
}

}  // namespace

TEST_CASE("stages are repeated while a number of all ranks is above 0, undivided under any strategy") {
    const Grid grid{{21, 17, 1}, {false, false, false}};
    for (const std::string strategy : {"blocking", "dataflow", "deep:2", "auto", "edge-first"}) {
        for (const std::string way : {"run", "observed", "checked"}) {
            Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
            FieldSpec spec;
            spec.name = "a";
            AnyField a(domain.partition(), domain.rank(), spec, Extent::horizontal(1));
            spec.name = "b";
            AnyField b(domain.partition(), domain.rank(), spec, Extent::horizontal(1));
            const Box owned = a.blocks()[0].owned;
            if (owned.contains(Index3{0, 0, 0})) a.view<double>()(0, 0) = 7;
            double partial = 0, value = 0;
            Filling filling{a.view<double>(), b.view<double>(), &partial};
            Extent behind;
            behind.lo = {1, 1, 0};
            behind.corners = false;
            Stage spread{"spread", {{&a, behind}}, {&b}, fill_kernel, {&filling}};
            Stage settle{"settle", {{&b, {}}, {&a, {}}}, {&a}, copy_kernel, {&filling}};
            settle.reduction = Reduction{Reduction::Kind::maximum, &partial, &value};
            settle.repeats = 2;
            Step step(domain, {spread, settle}, {strategy, "p2p"});
            if (way == "observed") step.observe();
            if (way == "checked") step.check();
            step.run();
            int seven = 0;
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) seven += a.view<double>()(i, j) == 7.0;
            REQUIRE(seven == owned.volume());  // it went from corner to corner in one step
            step.run(2);
            REQUIRE(step.report().strategy() == "blocking");
            REQUIRE_THAT(step.report().describe(), Catch::Contains("again from entry 0 while its number is above 0"));
            Stage again = settle;
            again.name = "again";
            again.repeats = 3;
            REQUIRE_NOTHROW(Step(domain, Stages{spread, settle, again}, {"blocking", "p2p"}));
            again.repeats = 2;
            REQUIRE_THROWS_WITH(Step(domain, Stages{spread, settle, again}),
                                Catch::Contains("stage again: got 2 stages to repeat, from within the loop of stage "
                                                "settle; expected loops that lie apart, or one within the other"));
            settle.reduction.reset();
            REQUIRE_THROWS_WITH(Step(domain, Stages{spread, settle}), Catch::Contains("without a reduction"));
            domain.close();
        }
    }
}
