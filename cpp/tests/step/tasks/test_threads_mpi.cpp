// Threads that share the kernels of a rank: who computes what, numbers of all ranks, errors. The bits are tested with
// tiles and random programs.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/step/threads.hpp"
#include "programs/threads.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr Index columns = 12, rows = 96;

// A domain with threads, and two fields on it that follow each other.
struct Model {
    explicit Model(int threads)
        : domain(MPI_COMM_WORLD, {columns, rows}), team(crowd(domain, threads)), a(domain, "a"), b(domain, "b") {}
    ~Model() { domain.close(); }

    Domain domain;
    std::shared_ptr<ThreadTeam> team;
    Field<double> a, b;
};

void copy(const Box& box, View<const double> from, View<double> to) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = from(i, j);
}

}  // namespace

TEST_CASE("each thread has rows of its own, the same in all stages and steps, while all have work") {
    Model model(3);
    std::mutex mutex;
    std::map<Index, std::set<std::thread::id>> computed_by;  // of each row
    std::atomic<int> there = 0;
    const auto note = [&](Box box, View<const double> from, View<double> to) {
        copy(box, from, to);
        {
            const std::scoped_lock lock(mutex);
            for (Index j = box.lo[1]; j < box.hi[1]; ++j) computed_by[j].insert(std::this_thread::get_id());
        }
        // waits for the other threads, so that none computes the part of another
        const int turn = there++ / 3;
        while (there < 3 * (turn + 1)) std::this_thread::yield();
    };
    Step step(model.domain,
              Stages{stage("there", note, reads(model.a), writes(model.b)),
                     stage("back", note, reads(model.b), writes(model.a))},
              {.transport = "p2p", .threads = 3});
    REQUIRE(step.report().threads() == 3);
    step.run(4);
    std::set<std::thread::id> all;
    for (const auto& [row, threads] : computed_by) {
        REQUIRE(threads.size() == 1);
        all.insert(threads.begin(), threads.end());
    }
    REQUIRE(computed_by.size() == static_cast<std::size_t>(model.a.memory().blocks()[0].owned.size(1)));
    REQUIRE(all.size() == 3);
    REQUIRE(all.count(std::this_thread::get_id()) == 1);
}

TEST_CASE("memory that threads touch first holds zeros, whatever its layout") {
    Domain domain(MPI_COMM_WORLD, {400, rows});
    const auto team = crowd(domain, 3);
    const auto nothing = [](Box, View<double>) {};
    for (const FieldOptions& options : {FieldOptions{}, FieldOptions{.levels = 5}, FieldOptions{.components = 2}}) {
        const Field<double> field(domain, "field", options);
        const Step step(domain, {stage("nothing", nothing, writes(field))}, {.transport = "p2p", .threads = 3});
        const Block& block = field.memory().blocks()[0];
        const View<const double> values = field.memory().view<const double>();
        Index cells = 0, others = 0;
        for (int c = 0; c < options.components; ++c)
            for (Index k = block.allocated.lo[2]; k < block.allocated.hi[2]; ++k)
                for (Index j = block.allocated.lo[1]; j < block.allocated.hi[1]; ++j)
                    for (Index i = block.allocated.lo[0]; i < block.allocated.hi[0]; ++i)
                        ++cells, others += values(i, j, k, c) == 0.0 ? 0 : 1;
        REQUIRE(cells == block.allocated.volume() * options.components);
        REQUIRE(others == 0);
    }
    domain.close();
}

TEST_CASE("numbers of all ranks, and loops that they end, are as with one thread") {
    std::vector<double> values;
    for (const int threads : {1, 3}) {
        Model model(threads);
        const Reduced most = maximum();
        const auto halve = [](Box box, View<const double> from, View<double> to) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = 0.25 * (from(i, j - 1) + from(i, j + 1));
        };
        std::atomic<int> inside_keep = 0, most_inside = 0;
        const auto keep = [&](Box box, View<const double> from, View<double> to, double& number) {
            if (++inside_keep > 1) most_inside = 2;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            copy(box, from, to);
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) raise_to(number, from(i, j));
            --inside_keep;
        };
        const Box inside{{0, 1}, {columns, rows - 1}};
        const Stages loop =
            repeated({stage("halve", halve, reads(model.a, behind(y), ahead(y)), writes(model.b)).on(inside),
                      stage("keep", keep, reads(model.b), writes(model.a), reduces(most)).on(inside)},
                     while_above(0.5));
        Step step(model.domain, loop, {.transport = "p2p", .threads = threads});
        const View<double> a = model.a.memory().view<double>();
        const Box owned = model.a.memory().blocks()[0].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)  // 0 beyond the rows that are halved
                a(i, j) = j > 0 && j + 1 < rows ? 1.0 + static_cast<double>((7 * i + 3 * j) % 11) : 0.0;
        model.a.modified();
        step.run(1);
        values.push_back(most.value());
        REQUIRE(most.value() <= 0.5);
        REQUIRE(most.value() > 0);
        for (const double value : values) REQUIRE(value == values[0]);
        REQUIRE(most_inside == 0);  // its number is changed by one thread at a time
    }
}

TEST_CASE("the numbers of a step stay while any kernel of it runs") {
    Model model(3);
    std::atomic<Index> number = -1, changed = 0, later = 0;
    const auto look = [&](Box box, View<const double> from, View<double> to) {
        const Index before = number;
        copy(box, from, to);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        if (number != before) ++changed;
    };
    Step step(model.domain,
              {stage("there", look, reads(model.a, ahead(y)), writes(model.b)),
               stage("back", look, reads(model.b, behind(y)), writes(model.a))},
              {.strategy = "deep:3+tiled:4", .transport = "p2p", .threads = 3});
    const auto thread = std::this_thread::get_id();
    step.run(6, [&](Index n) {
        if (std::this_thread::get_id() != thread) ++changed;
        if (n < number) ++later;
        number = n;
    });
    REQUIRE(changed == 0);
    REQUIRE(later > 0);  // tiles went through several steps
}

TEST_CASE("what a kernel throws in any thread ends the step of its rank, with its place") {
    Model model(3);
    int steps = 0;
    const Index last_row = model.domain.partition().subdomain(model.domain.rank()).box.hi[1] - 1;
    const auto fail = [&](Box box, View<const double> from, View<double> to) {
        copy(box, from, to);
        if (steps == 1 && box.hi[1] > last_row) user_error("row", "none", "one", "look for it");
    };
    Step step(model.domain, {stage("seek", fail, reads(model.a), writes(model.b))}, {.transport = "p2p", .threads = 3});
    step.run(1);
    steps = 1;
    REQUIRE_THROWS_WITH(step.run(1), Catch::Contains("row: got none") && Catch::Contains("in stage seek of step 2"));
    steps = 2;
    REQUIRE_NOTHROW(step.run(1));
}

TEST_CASE("threads that a rank cannot have are refused by all ranks") {
    Domain domain(MPI_COMM_WORLD, {columns, rows});
    const Field<double> a(domain, "a");
    const auto nothing = [](Box, View<double>) {};
    const Stages stages{stage("nothing", nothing, writes(a))};
    const int cores = cores_of_process();
    REQUIRE(cores >= 1);
    for (const int threads : {-1, cores + 1, 1 << 20}) {
        INFO(threads);
        REQUIRE_THROWS_WITH(Step(domain, stages, {.threads = threads}),
                            Catch::Contains("threads of a rank: got " + std::to_string(threads)) &&
                                Catch::Contains("the cores that the launcher gave rank 0"));
        REQUIRE_THROWS_AS(set_threads(domain, threads), UserError);
    }
    if (world_size() > 1) REQUIRE_THROWS_AS(set_threads(domain, world_rank() == 0 ? 1 : cores + 1), UserError);
    if (world_size() > 1 && cores > 1)
        REQUIRE_THROWS_WITH(set_threads(domain, 1 + world_rank() % 2), Catch::Contains("threads of a rank"));
    set_threads(domain, cores);
    REQUIRE(Step(domain, stages).report().threads() == cores);
    REQUIRE(Step(domain, stages, {.threads = 1}).report().threads() == 1);
    domain.close();
}
