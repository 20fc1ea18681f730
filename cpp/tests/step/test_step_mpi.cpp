// Steps on any number of ranks have the bits of a plain loop over the whole grid.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr Index nx = 9, ny = 8;

// The whole grid on every rank: what the loop would be without lapwing. Periodic in x, and in y
// nothing lies beyond the grid: cells there are zero.
struct Plain {
    std::vector<double> values = std::vector<double>(nx * ny);
    double& at(Index i, Index j) { return values[j * nx + i]; }
    double beyond(Index i, Index j) { return j < 0 || j >= ny ? 0.0 : at((i + nx) % nx, j); }
};

double first_value(Index i, Index j) { return std::sin(static_cast<double>(3 * i + 7 * j)) + 0.1; }

double heat(double middle, double west, double east, double south, double north) {
    return middle + 0.17 * (((west + east) + (south + north)) - 4.0 * middle);
}

// Memory of two fields on one box.
struct Pair {
    View<double> from, to;
};

void heat_kernel(void* context, Box box) {
    const auto& [from, to] = *static_cast<const Pair*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            to(i, j) = heat(from(i, j), from(i - 1, j), from(i + 1, j), from(i, j - 1), from(i, j + 1));
        }
    }
}

// Adds to one field what lies diagonally next to it in the other.
void twist_kernel(void* context, Box box) {
    const auto& [from, to] = *static_cast<const Pair*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) += 0.3 * from(i - 1, j + 1) - 0.2 * from(i, j);
    }
}

void heat_everywhere(Plain& from, Plain& to) {
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) {
            to.at(i, j) = heat(from.at(i, j), from.beyond(i - 1, j), from.beyond(i + 1, j), from.beyond(i, j - 1),
                               from.beyond(i, j + 1));
        }
    }
}

void twist_everywhere(Plain& from, Plain& to) {
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) to.at(i, j) += 0.3 * from.beyond(i - 1, j + 1) - 0.2 * from.at(i, j);
    }
}

// Two fields on a domain, and the kernels' contexts from one to the other and back.
struct Model {
    Domain domain;
    AnyField a, b;
    std::vector<Pair> a_to_b, b_to_a;

    explicit Model(Partition partition) : domain(std::move(partition), MPI_COMM_WORLD), a(make("a")), b(make("b")) {
        for (int n = 0; n < std::ssize(a.blocks()); ++n) {
            a_to_b.push_back({a.view<double>(n), b.view<double>(n)});
            b_to_a.push_back({b.view<double>(n), a.view<double>(n)});
        }
        set(a, [](Index i, Index j) { return first_value(i, j); });
        set(b, [](Index i, Index j) { return first_value(j, i); });
    }
    ~Model() { domain.close(); }

    AnyField make(const char* name) const {
        FieldSpec spec;
        spec.name = name;
        spec.extents = {Extent::horizontal(1)};
        return {domain.partition(), domain.rank(), spec};
    }

    template <class Value>
    static void set(AnyField& field, Value&& value) {
        for (int n = 0; n < std::ssize(field.blocks()); ++n) {
            const Box& box = field.blocks()[n].owned;
            const auto view = field.view<double>(n);
            for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) view(i, j) = value(i, j);
            }
        }
    }

    static std::vector<void*> contexts(std::vector<Pair>& pairs) {
        std::vector<void*> all;
        for (Pair& pair : pairs) all.push_back(&pair);
        return all;
    }
    Stage heat_there() { return {"there", {{&a, Extent::cross(1)}}, {&b}, heat_kernel, contexts(a_to_b), {}}; }
    Stage heat_back() { return {"back", {{&b, Extent::cross(1)}}, {&a}, heat_kernel, contexts(b_to_a), {}}; }
    Stage twist_there() {
        return {"twist there", {{&a, Extent::horizontal(1)}, {&b, {}}}, {&b}, twist_kernel, contexts(a_to_b), {}};
    }
    Stage twist_back() {
        return {"twist back", {{&b, Extent::horizontal(1)}, {&a, {}}}, {&a}, twist_kernel, contexts(b_to_a), {}};
    }
};

// Cells that differ in any bit from the plain loop.
int different(const AnyField& field, Plain& plain) {
    int count = 0;
    for (int n = 0; n < std::ssize(field.blocks()); ++n) {
        const Box& box = field.blocks()[n].owned;
        const auto view = field.view<double>(n);
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) count += view(i, j) != plain.at(i, j);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return count;
}

void set_first(Plain& a, Plain& b) {
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) a.at(i, j) = first_value(i, j), b.at(i, j) = first_value(j, i);
    }
}

const Grid grid{{nx, ny, 1}, {true, false, false}};

// Blocks; the same with two boxes per rank; and all on the last rank.
std::vector<Partition> partitions() {
    std::vector<Partition> all{block_partition(grid, best_blocks(grid, world_size()))};
    const Partition two = block_partition(grid, best_blocks(grid, 2 * world_size()));
    std::vector<Subdomain> dealt, last;
    for (const Subdomain& s : two.subdomains()) {
        dealt.push_back({s.rank % world_size(), s.box});
        last.push_back({world_size() - 1, s.box});
    }
    all.emplace_back(grid, world_size(), dealt);
    all.emplace_back(grid, world_size(), last);
    return all;
}

}  // namespace

TEST_CASE("heat on any partition has the bits of the plain loop") {
    for (const Partition& partition : partitions()) {
        Model model(partition);
        Plain a, b;
        set_first(a, b);
        Step step(model.domain, Stages{model.heat_there(), model.heat_back()});
        for (int n = 0; n < 10; ++n) {
            step.run();
            heat_everywhere(a, b);
            heat_everywhere(b, a);
            REQUIRE(different(model.a, a) == 0);
            REQUIRE(different(model.b, b) == 0);
        }
        REQUIRE(step.report().times().steps == 10);
        REQUIRE(step.report().volume().exchanges == 2.0);
        REQUIRE(step.report().stage_names() == std::vector<std::string>{"there", "back"});
        double error = std::abs(a.at(0, 0) - first_value(0, 0));
        REQUIRE(error > 1e-3);  // something happened
    }
}

TEST_CASE("a step of two alternating orders does, and starts at any position") {
    for (int start = 0; start < 2; ++start) {
        for (const Partition& partition : partitions()) {
            Model model(partition);
            Plain a, b;
            set_first(a, b);
            Step step(model.domain, std::vector{Stages{model.twist_there(), model.twist_back()},
                                                Stages{model.twist_back(), model.twist_there()}});
            REQUIRE(step.position() == 0);
            step.restart_at(start);
            for (int n = start; n < 9 + start; ++n) {
                REQUIRE(step.position() == n % 2);
                step.run();
                if (n % 2 == 0) twist_everywhere(a, b), twist_everywhere(b, a);
                if (n % 2 == 1) twist_everywhere(b, a), twist_everywhere(a, b);
                REQUIRE(different(model.a, a) == 0);
                REQUIRE(different(model.b, b) == 0);
            }
        }
    }
}

TEST_CASE("a write outside the stages is fetched once it is announced") {
    for (const bool announced : {false, true}) {
        Model model(partitions()[0]);
        Plain a, b;
        set_first(a, b);
        Step step(model.domain, Stages{model.heat_there()});  // a is never written by a stage
        step.run();
        const auto changed = [](Index i, Index j) { return 1.0 + static_cast<double>(i * j); };
        Model::set(model.a, changed);
        for (Index j = 0; j < ny; ++j) {
            for (Index i = 0; i < nx; ++i) a.at(i, j) = changed(i, j);
        }
        if (announced) model.a.modified();
        step.run();
        heat_everywhere(a, b);
        REQUIRE((different(model.b, b) == 0) == announced);  // x is periodic: one rank has a halo too
    }
}

TEST_CASE("a write announced by one rank is known to all once they agree") {
    Model model(partitions()[0]);
    Plain a, b;
    set_first(a, b);
    Step step(model.domain, Stages{model.heat_there()});
    step.run();
    const auto changed = [](Index i, Index j) { return 1.0 + static_cast<double>(i * j); };
    Model::set(model.a, changed);
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) a.at(i, j) = changed(i, j);
    }
    if (model.domain.rank() == 0) model.a.modified();
    step.run(1);
    heat_everywhere(a, b);
    REQUIRE(different(model.b, b) == 0);
}

TEST_CASE("a stage of a region computes its cells and no others") {
    const Box strip{{2, 3, 0}, {7, 5, 1}};
    Model model(partitions()[1]);
    Plain a, b;
    set_first(a, b);
    Stage stage = model.heat_there();
    stage.region = strip;
    Step step(model.domain, Stages{stage});
    step.run();
    Plain everywhere;
    heat_everywhere(a, everywhere);
    for (Index j = strip.lo[1]; j < strip.hi[1]; ++j) {
        for (Index i = strip.lo[0]; i < strip.hi[0]; ++i) b.at(i, j) = everywhere.at(i, j);
    }
    REQUIRE(different(model.b, b) == 0);
}

TEST_CASE("bad steps are refused by all ranks") {
    using Catch::Contains;
    Model model(partitions()[0]);
    const bool odd_one = model.domain.rank() == world_size() - 1;
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{model.heat_there()}, {"magic"}),
                        Contains("strategy: got magic; expected one of: blocking"));
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{model.heat_there()}, {"blocking", "pigeon"}),
                        Contains("transport: got pigeon"));
    Stage no_kernel = model.heat_there();
    if (odd_one) no_kernel.kernel = nullptr;
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{no_kernel}),
                        Contains("rank " + std::to_string(world_size() - 1) + ": stage there"));
    Stage no_context = model.heat_there();
    if (odd_one) no_context.contexts.clear();
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{no_context}), Contains("stage there: got 0 contexts"));
    Stage no_field = model.heat_there();
    no_field.writes = {nullptr};
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{no_field}), Contains("stage there: got a field that is null"));
    Stage wide = model.heat_there();
    wide.reads[0].extent = Extent::cross(2);
    REQUIRE_THROWS_WITH(Step(model.domain, Stages{wide}), Contains("memory of field a"));
    std::vector<Stages> cycle{Stages{model.heat_there()}};
    const auto send = [&](const char* stage, const char* field) {
        exchange_after(cycle, std::vector<ListedExchange>{{stage, field}}, Extent::horizontal(1));
    };
    REQUIRE_THROWS_WITH(send("here", "b"), Contains("exchange of b after here: got no stage of this name"));
    REQUIRE_THROWS_WITH(send("there", "c"), Contains("got a field that this stage does not write"));
    REQUIRE_NOTHROW(send("there", cycle[0][0].writes[0]->spec().name.c_str()));
    REQUIRE(cycle[0][0].sends.size() == 1);
    if (world_size() > 1) {
        const auto there = model.heat_there(), back = model.heat_back();
        REQUIRE_THROWS_WITH(Step(model.domain, Stages{there, odd_one ? there : back}),
                            Contains("schedule of the step"));
        REQUIRE_THROWS_AS(Step(model.domain, Stages{odd_one ? back : there}),
                          UserError);  // other fields in the same places
    }
    Step step(model.domain, Stages{model.heat_there()});
    REQUIRE_THROWS_WITH(step.restart_at(1), Contains("position of the step: got 1; expected 0 to 0"));
    REQUIRE_THROWS_AS(step.restart_at(-1), UserError);
}

TEST_CASE("what is thrown before a step leaves nothing on its way") {
    Model model(partitions()[0]);
    Step step(model.domain, Stages{model.heat_there()}, {"dataflow"});
    int calls = 0;
    const auto ends = [&] {
        if (++calls == 3) throw std::runtime_error("no more input");
    };
    REQUIRE_THROWS_WITH(step.run(5, ends), Catch::Contains("no more input"));
    REQUIRE_NOTHROW(model.domain.close());
}
