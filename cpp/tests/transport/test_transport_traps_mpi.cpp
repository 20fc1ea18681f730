// Traps that have made halo exchanges wrong, slow to fail or endless elsewhere, tried on every transport.
#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <thread>

#include "lapwing/base/error.hpp"
#include "lapwing/grid/mask.hpp"
#include "lapwing/plan/chunks.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Fields u, v, ... of one extent.
std::vector<FieldSpec> fields(const Extent& extent, int number = 1, int levels = 0, int components = 1) {
    std::vector<FieldSpec> specs;
    for (int f = 0; f < number; ++f) {
        specs.push_back(spec_of(std::string(1, static_cast<char>('u' + f)), extent));
        specs.back().levels = levels;
        specs.back().components = components;
    }
    return specs;
}

std::unique_ptr<Exchange> exchange_of(World& world, ExchangeOptions options = {}) {
    options.transport = transport();
    return std::make_unique<Exchange>(world.domain, pointers(world.fields), options);
}

// Twice: what a first exchange leaves behind is another trap.
void run_and_check(World& world, const ExchangeOptions& options = {}) {
    const auto made = exchange_of(world, options);
    for (int again = 0; again < 2; ++again) lapwing::testing::run_and_check(world, world.fields, *made);
}

constexpr Corners both_corners[] = {Corners::direct, Corners::ordered};

Partition line(Index per_rank, Index ny, bool periodic) {
    return block_partition({{per_rank * world_size(), ny, 1}, {periodic, periodic, false}}, {world_size(), 1, 1});
}

}  // namespace

TEST_CASE("the same neighbour on both sides, and periodic axes of one and two cells") {
    for (const Index per_rank : {1, 2}) {
        for (const Index ny : {1, 2, 3}) {
            World world(line(per_rank, ny, true), fields(Extent::horizontal(1)));
            for (const Corners corners : both_corners) run_and_check(world, {.corners = corners});
        }
    }
}

// Neighbourhood collectives of some MPIs swap the sides of a periodic Cartesian communicator there.
TEST_CASE("axes of one and two ranks of a periodic Cartesian communicator") {
    const int ranks = world_size(), columns = ranks % 2 == 0 ? 2 : 1;
    std::array<int, 2> sizes{columns, ranks / columns}, periods{1, 1};
    MPI_Comm cartesian = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 0, &cartesian);
    {
        // ranks of a Cartesian communicator count along its last axis first
        const Grid grid{{3 * sizes[1], 4 * sizes[0], 1}, {true, true, false}};
        Domain domain(block_partition(grid, {sizes[1], sizes[0], 1}), cartesian, ranks_per_node());
        for (const Corners corners : both_corners) {
            std::vector<AnyField> made;
            for (const FieldSpec& spec : fields(Extent::horizontal(1), 2))
                made.emplace_back(domain.partition(), domain.rank(), spec);
            Exchange exchange(domain, pointers(made), {.transport = transport(), .corners = corners});
            for (int f = 0; f < 2; ++f) fill_with_codes(made[f], grid, f);
            exchange.run();
            for (int f = 0; f < 2; ++f) REQUIRE(misplaced(made[f], domain.partition(), f) == Texts{});
        }
        domain.close();
    }
    MPI_Comm_free(&cartesian);
}

TEST_CASE("sizes that do not divide") {
    const Grid grid{{7, 5, 1}, {true, false, false}};
    World world(block_partition(grid, best_blocks(grid, world_size())), fields(Extent{{2, 1, 0}, {1, 0, 0}}));
    for (const Corners corners : both_corners) run_and_check(world, {.corners = corners});
}

TEST_CASE("one rank is its own neighbour, the others own nothing") {
    World world(Partition{{{4, 3, 1}, {true, true, false}}, world_size(), {{0, {{0, 0, 0}, {4, 3, 1}}}}},
                fields(Extent::horizontal(2)));
    run_and_check(world);
}

TEST_CASE("some ranks have neighbours, the last has none") {
    const int ranks = world_size();
    std::vector<Subdomain> boxes;
    for (int rank = 0; rank < ranks; ++rank) {
        const Index begin = 2 * rank + (rank == ranks - 1 ? 8 : 0);
        boxes.push_back({rank, {{begin, 0, 0}, {begin + 2, 2, 1}}});
    }
    World world(Partition{{{2 * ranks + 8, 2, 1}, {}}, ranks, boxes}, fields(Extent::horizontal(1)));
    run_and_check(world);
}

TEST_CASE("several messages to one neighbour in one phase") {
    World world(line(4, 4, true), fields(Extent::horizontal(2), 3, 2));
    for (const Corners corners : both_corners) {
        const std::vector<const AnyField*> these = pointers(world.fields);
        const MessagePlan plan = exchange_plan(world.partition(), world.rank(), specs_of(these), {.corners = corners});
        Exchange exchange(world.domain, {in_chunks(plan, 40), transport()}, these, these);
        for (int again = 0; again < 2; ++again) lapwing::testing::run_and_check(world, world.fields, exchange);
    }
}

TEST_CASE("messages of many pages") {
    World world(line(8, 16, true), fields(Extent::horizontal(4), 2, 16, 4));
    for (const Corners corners : both_corners) run_and_check(world, {.corners = corners});
}

TEST_CASE("wet cells arrive by index lists too") {
    const Index nx = 6 * world_size(), ny = 15;
    std::vector<std::uint8_t> sea;  // every third column of cells is land
    for (Index cell = 0; cell < nx * ny; ++cell) sea.push_back((cell % nx + cell / nx) % 3 != 0 ? 1 : 0);
    const Mask mask(nx, ny, sea);
    World world(line(6, ny, true), fields(Extent::horizontal(2), 1, 2));
    for (const Corners corners : both_corners) {
        world.fill();
        exchange_of(world, {.corners = corners, .wet = &mask})->run();
        const auto view = world.fields[0].view<double>();
        const Block& block = world.fields[0].blocks()[0];
        for_cells(block.allocated, [&](const Index3& c) {
            const Index i = (c[0] + nx) % nx, j = (c[1] + ny) % ny;
            if (!mask.wet(i, j)) return;
            const double want = static_cast<double>(code(world.grid(), c, 0));
            REQUIRE(view(c[0], c[1], c[2]) == want);
        });
    }
}

TEST_CASE("a sender that hears nothing back overwrites nothing") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world(line(2, 2, false), fields(Extent{{1, 0, 0}, {0, 0, 0}}));
    const auto exchange = exchange_of(world);
    const int rank = world.rank();
    const auto view = world.fields[0].view<double>();
    const Index first = world.fields[0].blocks()[0].owned.lo[0];
    if (rank == world_size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (int round = 0; round < 200; ++round) {
        for (Index i = first; i < first + 2; ++i) view(i, 0) = view(i, 1) = 1000 * round + rank;
        exchange->run();
        if (rank > 0) REQUIRE(view(first - 1, 1) == 1000 * round + rank - 1);
    }
}

TEST_CASE("what has been waited for may be written, though the receiver has not looked yet") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    constexpr Index ny = 4096;  // as long a message as some transports read where it lies
    World world(line(1, ny, false), fields(Extent{{1, 0, 0}, {1, 0, 0}}));
    const int rank = world.rank();
    const std::vector<const AnyField*> these = pointers(world.fields);
    MessagePlan plan = exchange_plan(world.partition(), rank, specs_of(these), {.corners = Corners::direct});
    Exchange exchange(world.domain, {std::move(plan), transport()}, these, these);  // which reads in place where it can
    const auto view = world.fields[0].view<double>();
    for (int round = 0; round < 20; ++round) {
        for (Index j = 0; j < ny; ++j) view(rank, j) = 1000 * round + rank;
        Pending pending = exchange.start();
        if (round % world_size() == rank) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        pending.wait();
        for (Index j = 0; j < ny; ++j) view(rank, j) = -1;
        for (const int other : {rank - 1, rank + 1}) {
            if (other < 0 || other == world_size()) continue;
            for (Index j = 0; j < ny; ++j) REQUIRE(view(other, j) == 1000 * round + other);
        }
    }
}

TEST_CASE("thousands of exchanges one after the other") {
    // MPICH fails after 2046 communicators, whatever the number of ranks
    if (skipped_unless(world_size() == 2, "2 ranks")) return;
    World world(line(2, 2, true), fields(Extent::horizontal(1)));
    for (int n = 0; n < 3000; ++n) {
        const auto exchange = exchange_of(world);
        if (n % 500 != 0) continue;
        world.fill();
        exchange->run();
        world.check();
    }
}

TEST_CASE("more exchanges at a time than there are communicators or windows is an error with a name") {
    const bool graphs = transport() == "neighbor" || transport() == "datatype";
    const bool windows = transport() == "onesided" || transport() == "direct" || transport() == "pull";
    if (skipped_unless(world_size() == 2 && (graphs || windows), "2 ranks, and a transport of graphs or windows"))
        return;
    World world(line(2, 2, true), fields(Extent::horizontal(1)));
    std::vector<std::unique_ptr<Exchange>> exchanges;
    const auto make_too_many = [&] {
        for (int n = 0; n < 2000; ++n) exchanges.push_back(exchange_of(world));
    };
    const std::string what = graphs ? "graph communicators of one domain: got" : "windows of one domain: got";
    REQUIRE_THROWS_WITH(make_too_many(), Catch::Contains(what) && Catch::Contains("choose p2p"));
    exchanges.clear();  // their communicators and windows are used again
    run_and_check(world);
}
