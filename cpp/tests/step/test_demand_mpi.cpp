// Halo on demand within a step: as wide as a number that all ranks have agreed on, by every strategy.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {
int segments = std::numeric_limits<int>::max();  // of shared memory that this machine still gives a process
}

extern "C" int memfd_create(const char* name, unsigned flags) noexcept {
    using Create = int (*)(const char*, unsigned);
    static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "memfd_create"));
    return segments-- > 0 ? create(name, flags) : -1;
}

namespace {

constexpr Index columns = 40, rows = 24;
constexpr double unread = -7.0;
const std::vector<int> widths{1, 2, 4};

// value <- column + 100 row, and how far the next stage looks, which one cell alone knows.
struct Source {
    View<double> value;
    double asked = 0, *partial = nullptr;
};

void fill(void* context, Box box) {
    auto& at = *static_cast<Source*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            at.value(i, j) = static_cast<double>(i + 100 * j);
            if (i == 3 && j == 5) *at.partial = std::max(*at.partial, at.asked);
        }
}

// total <- what lies `reach` cells ahead and behind along both axes together.
struct Looking {
    View<double> value, total;
    const double* reach = nullptr;
};

void look(void* context, Box box) {
    auto& at = *static_cast<Looking*>(context);
    const auto r = static_cast<Index>(*at.reach);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            at.total(i, j) = at.value(i - r, j - r) + 3.0 * at.value(i + r, j + r);
}

struct Demanding {
    Domain domain{blocks(Grid{{columns, rows, 1}, {true, true, false}}), MPI_COMM_WORLD};
    AnyField value = make("value"), total = make("total");
    double partial = 0, reach = 0;
    std::vector<Source> sources;
    std::vector<Looking> looking;

    Demanding() {
        for (int b = 0; b < std::ssize(value.blocks()); ++b) {
            sources.push_back({value.view<double>(b), 0.0, &partial});
            looking.push_back({value.view<double>(b), total.view<double>(b), &reach});
        }
    }
    ~Demanding() { domain.close(); }

    AnyField make(const char* name) {
        FieldSpec spec;
        spec.name = name;
        return {domain.partition(), domain.rank(), spec, Extent::horizontal(widths.back())};
    }
    Stages stages() {
        Stage first{.name = "fill", .reads = {}, .writes = {&value}, .kernel = fill, .contexts = {}};
        first.reduction = {Reduction::Kind::maximum, &partial, &reach};
        Stage second{.name = "look",
                     .reads = {{&value, Extent::horizontal(widths.back()), {&reach, widths}}},
                     .writes = {&total},
                     .kernel = look,
                     .contexts = {}};
        for (auto& one : sources) first.contexts.push_back(&one);
        for (auto& one : looking) second.contexts.push_back(&one);
        return {first, second};
    }
    void ask(double cells) {
        for (Source& source : sources) source.asked = cells;
    }
    template <class Work>
    void on_halo(Work&& work) {
        for (int b = 0; b < std::ssize(value.blocks()); ++b) {
            const Block& block = value.blocks()[b];
            const auto view = value.view<double>(b);
            for_cells(block.allocated, [&](const Index3& cell) {
                if (!block.owned.contains(cell)) work(block, cell, view(cell[0], cell[1]));
            });
        }
    }
    void check_total(Index r) {
        const auto wrapped = [](Index i, Index j) {
            return static_cast<double>((i + columns) % columns + 100 * ((j + rows) % rows));
        };
        for (int b = 0; b < std::ssize(total.blocks()); ++b) {
            const auto view = total.view<double>(b);
            for_cells(total.blocks()[b].owned, [&](const Index3& cell) {
                const auto [i, j, k] = cell;
                REQUIRE(view(i, j) == wrapped(i - r, j - r) + 3.0 * wrapped(i + r, j + r));
            });
        }
    }
};

}  // namespace

TEST_CASE("a halo on demand is as wide as the widest need, in every strategy") {
    for (const char* strategy : {"blocking", "3s", "5s", "6s", "edge-first", "dataflow", "dataflow:2"}) {
        for (const char* transport : {"p2p", "shared"}) {
            INFO(strategy << " " << transport);
            Demanding world;
            Step step(world.domain, world.stages(), {strategy, transport});
            const std::vector<int> asked{1, 4, 2, 3, 1};
            std::size_t n = 0;
            step.run(static_cast<int>(asked.size()), [&] {
                if (n > 0) world.check_total(asked[n - 1]);
                world.ask(asked[n++]);
            });
            world.check_total(asked.back());
        }
    }
}

TEST_CASE("a wider demand is met though nobody has written the field since the narrower one") {
    for (const char* strategy : {"blocking", "dataflow", "edge-first"}) {
        INFO(strategy);
        Demanding world;
        auto stages = world.stages();
        AnyField other = world.make("other");
        std::vector<Source> asking;
        for (int b = 0; b < std::ssize(other.blocks()); ++b)
            asking.push_back({other.view<double>(b), 0.0, &world.partial});
        stages[0].writes = {&other};
        stages[0].contexts.clear();
        for (auto& one : asking) stages[0].contexts.push_back(&one);
        for (int b = 0; b < std::ssize(world.value.blocks()); ++b) {
            Source once{world.value.view<double>(b), 0.0, &world.partial};
            fill(&once, world.value.blocks()[b].owned);
        }
        Step step(world.domain, stages, {strategy, "p2p"});
        for (const int cells : {1, 4, 2, 4}) {
            for (Source& source : asking) source.asked = cells;
            step.run();
            world.check_total(cells);
        }
    }
}

TEST_CASE("a stage that reads some components only has no rim") {
    Demanding world;
    FieldSpec spec;
    spec.name = "two";
    spec.components = 2;
    spec.extents = {Extent{{1, 0, 0}, {0, 0, 0}}, Extent{{0, 0, 0}, {1, 0, 0}}};
    AnyField two(world.domain.partition(), world.domain.rank(), spec, Extent::horizontal(2));
    Stage stage = world.stages()[0];
    stage.reduction.reset();
    stage.reads = {{&two, {}}};
    CHECK_NOTHROW(Step(world.domain, Stages{stage}, {"blocking", "p2p"}));
    stage.rim_extent = Extent::cross(1);
    CHECK_THROWS_WITH(Step(world.domain, Stages{stage}, {"blocking", "p2p"}),
                      Catch::Matchers::Contains("a read of some components only"));
}

TEST_CASE("halo cells beyond what is demanded do not travel") {
    for (const auto& [asked, travels] : {std::pair{1, 1}, std::pair{2, 2}, std::pair{3, 4}, std::pair{9, 4}}) {
        INFO(asked);
        Demanding world;
        Step step(world.domain, world.stages(), {"blocking", "p2p"});
        world.on_halo([](const Block&, const Index3&, double& value) { value = unread; });
        world.ask(asked);

        const double one = 1.0;
        for (int b = 0; b < std::ssize(world.value.blocks()); ++b)
            world.looking[b] = {world.value.view<double>(b), world.total.view<double>(b), &one};
        step.run();
        const Extent arrived = Extent::horizontal(travels);
        world.on_halo([&](const Block& block, const Index3& cell, const double& value) {
            CAPTURE(cell[0], cell[1]);
            REQUIRE((value != unread) == grow(block.owned, arrived).contains(cell));
        });
    }
}

TEST_CASE("what is demanded must be known, and the widths must be what the stage reads") {
    Demanding world;
    double other = 0;
    const auto refused = [&](const Demand& demand, const char* text) {
        auto stages = world.stages();
        stages[1].reads[0].demand = demand;
        CHECK_THROWS_WITH(Step(world.domain, stages, {"blocking", "p2p"}), Catch::Matchers::Contains(text));
    };
    refused({&other, widths}, "a demand that no stage before it reduces");
    refused({&world.reach, {}}, "widths none");
    refused({&world.reach, {1, 2}}, "widths 1, 2 of");
    refused({&world.reach, {2, 2, 4}}, "ascending numbers of cells");
    refused({&world.reach, {0, 4}}, "ascending numbers of cells");
    auto stages = world.stages();
    stages.push_back(stages[1]);
    stages[2].reads[0].demand = {};
    CHECK_THROWS_WITH(Step(world.domain, stages, {"blocking", "p2p"}), Catch::Matchers::Contains("another demand"));
}

TEST_CASE("narrower exchanges go by p2p where there is no more shared memory for them") {
    for (int left = 0; left < 14; ++left) {
        INFO(left << " segments");
        Demanding world;
        segments = left;
        Step step(world.domain, world.stages(), {"blocking", "auto"});
        segments = std::numeric_limits<int>::max();
        for (const int cells : {1, 4, 2}) {
            world.ask(cells);
            step.run();
            world.check_total(cells);
        }
    }
}
