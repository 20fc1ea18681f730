// What has made halo exchanges wrong, slow to fail or endless elsewhere, tried on every transport.
#include <lapwing/exchange.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <thread>

#include "global_cells.hpp"
#include "lapwing/error.hpp"
#include "lapwing/mask.hpp"
#include "transport_under_test.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Texts = std::vector<std::string>;

namespace {

int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// A domain with fields u, v, ... of one extent, closed at its end.
struct World {
    Domain domain;
    std::vector<Field> fields;

    World(Partition partition, const Extent& extent, int number = 1, int levels = 0, int components = 1)
        : domain(std::move(partition), MPI_COMM_WORLD, ranks_per_node()) {
        for (int f = 0; f < number; ++f) {
            FieldSpec spec;
            spec.name = std::string(1, static_cast<char>('u' + f));
            spec.extents = {extent};
            spec.levels = levels;
            spec.components = components;
            fields.emplace_back(domain.partition(), domain.rank(), spec);
        }
    }
    ~World() { domain.close(); }

    [[nodiscard]] std::vector<const Field*> pointers() const {
        std::vector<const Field*> all;
        for (const Field& field : fields) all.push_back(&field);
        return all;
    }
    [[nodiscard]] std::unique_ptr<Exchange> exchange(ExchangeOptions options = {}) {
        options.transport = transport();
        return std::make_unique<Exchange>(domain, pointers(), options);
    }
    void fill() const {
        for (std::size_t f = 0; f < fields.size(); ++f) {
            fill_with_codes(fields[f], domain.partition().grid(), static_cast<int>(f));
        }
    }
    void check() const {
        for (std::size_t f = 0; f < fields.size(); ++f) {
            REQUIRE(misplaced(fields[f], domain.partition(), static_cast<int>(f)) == Texts{});
        }
    }
    // Twice: what a first exchange leaves behind is another trap.
    void run_and_check(ExchangeOptions options = {}) {
        const auto made = exchange(options);
        for (int again = 0; again < 2; ++again) {
            fill();
            made->run();
            check();
        }
    }
};

constexpr Corners both_corners[] = {Corners::direct, Corners::ordered};

Partition line(Index per_rank, Index ny, bool periodic) {
    return block_partition({{per_rank * world_size(), ny, 1}, {periodic, periodic, false}}, {world_size(), 1, 1});
}

}  // namespace

TEST_CASE("the same neighbour on both sides, and periodic axes of one and two cells") {
    for (const Index per_rank : {1, 2}) {
        for (const Index ny : {1, 2, 3}) {
            World world(line(per_rank, ny, true), Extent::horizontal(1));
            for (const Corners corners : both_corners) world.run_and_check({.corners = corners});
        }
    }
}

TEST_CASE("sizes that do not divide") {
    const Grid grid{{7, 5, 1}, {true, false, false}};
    World world(block_partition(grid, best_blocks(grid, world_size())), Extent{{2, 1, 0}, {1, 0, 0}});
    for (const Corners corners : both_corners) world.run_and_check({.corners = corners});
}

TEST_CASE("one rank is its own neighbour, the others own nothing") {
    World world(Partition{{{4, 3, 1}, {true, true, false}}, world_size(), {{0, {{0, 0, 0}, {4, 3, 1}}}}},
                Extent::horizontal(2));
    world.run_and_check();
}

TEST_CASE("some ranks have neighbours, the last has none") {
    const int ranks = world_size();
    std::vector<Subdomain> boxes;
    for (int rank = 0; rank < ranks; ++rank) {
        const Index begin = 2 * rank + (rank == ranks - 1 ? 8 : 0);
        boxes.push_back({rank, {{begin, 0, 0}, {begin + 2, 2, 1}}});
    }
    World world(Partition{{{2 * ranks + 8, 2, 1}, {}}, ranks, boxes}, Extent::horizontal(1));
    world.run_and_check();
}

TEST_CASE("several messages to one neighbour in one phase") {
    World world(line(4, 4, true), Extent::horizontal(2), 3, 2);
    for (const Corners corners : both_corners) {
        world.run_and_check({.corners = corners, .grouping = {.separate = true}});
        world.run_and_check({.corners = corners, .grouping = {.chunk_bytes = 40}});
    }
}

TEST_CASE("messages of many pages") {
    World world(line(8, 16, true), Extent::horizontal(4), 2, 16, 4);
    for (const Corners corners : both_corners) world.run_and_check({.corners = corners});
}

TEST_CASE("wet cells arrive by index lists too") {
    const Index nx = 6 * world_size(), ny = 15;
    std::vector<std::uint8_t> sea;  // every third column of cells is land
    for (Index cell = 0; cell < nx * ny; ++cell) sea.push_back((cell % nx + cell / nx) % 3 != 0 ? 1 : 0);
    const Mask mask(nx, ny, sea);
    World world(line(6, ny, true), Extent::horizontal(2), 1, 2);
    for (const Corners corners : both_corners) {
        world.fill();
        world.exchange({.corners = corners, .wet = &mask})->run();
        const auto view = world.fields[0].view<double>();
        const Block& block = world.fields[0].blocks()[0];
        for_cells(block.allocated, [&](const Index3& c) {
            const Index i = (c[0] + nx) % nx, j = (c[1] + ny) % ny;
            if (!mask.wet(i, j)) return;
            const double want = static_cast<double>(code(world.domain.partition().grid(), c, 0));
            REQUIRE(view(c[0], c[1], c[2]) == want);
        });
    }
}

TEST_CASE("a sender that hears nothing back overwrites nothing") {
    if (world_size() == 1) return;
    World world(line(2, 2, false), Extent{{1, 0, 0}, {0, 0, 0}});
    const auto exchange = world.exchange();
    const int rank = world.domain.rank();
    const auto view = world.fields[0].view<double>();
    const Index first = world.fields[0].blocks()[0].owned.lo[0];
    if (rank == world_size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (int round = 0; round < 200; ++round) {
        for (Index i = first; i < first + 2; ++i) view(i, 0) = view(i, 1) = 1000 * round + rank;
        exchange->run();
        if (rank > 0) REQUIRE(view(first - 1, 1) == 1000 * round + rank - 1);
    }
}

TEST_CASE("thousands of exchanges one after the other") {
    if (world_size() != 2) return;  // MPICH fails after 2046 communicators, whatever the number of ranks
    World world(line(2, 2, true), Extent::horizontal(1));
    for (int n = 0; n < 3000; ++n) {
        const auto exchange = world.exchange();
        if (n % 500 != 0) continue;
        world.fill();
        exchange->run();
        world.check();
    }
}

TEST_CASE("more exchanges at a time than there are communicators or windows is an error with a name") {
    const bool graphs = transport() == "neighbor" || transport() == "datatype";
    if (world_size() != 2 || (!graphs && transport() != "onesided")) return;
    World world(line(2, 2, true), Extent::horizontal(1));
    std::vector<std::unique_ptr<Exchange>> exchanges;
    const auto make_too_many = [&] {
        for (int n = 0; n < 2000; ++n) exchanges.push_back(world.exchange());
    };
    const std::string what = graphs ? "graph communicators of one domain: got" : "windows of one domain: got";
    REQUIRE_THROWS_WITH(make_too_many(), Catch::Contains(what) && Catch::Contains("choose p2p"));
    exchanges.clear();  // their communicators and windows are used again
    world.run_and_check();
}
