// Values that kernels wrote into halos reach their owners, by any transport and on any number of ranks.
#include "exchange/halo_return.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "count_allocations.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "world.hpp"
#include "written_cells.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

// Written at these offsets, a component each.
const std::vector<Index3> offsets{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {1, 1, 0}, {-2, 1, 0}, {0, -1, -1}, {1, 1, -1}};

FieldSpec scattered() { return written_at(offsets); }

Index3 minus(const Index3& a, const Index3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Blocks; and boxes dealt out in turn, so that a rank has several and neighbours of its own.
std::vector<Partition> partitions(const Grid& grid) {
    std::vector<Subdomain> dealt;
    const Partition thrice = block_partition(grid, best_blocks(grid, 3 * world_size()));
    for (const Subdomain& s : thrice.subdomains()) dealt.push_back({s.rank % world_size(), s.box});
    return {blocks(grid), Partition(grid, world_size(), dealt)};
}

// Block, cell, number of the offset and value, of all that is allocated.
template <class Visit>
void for_values(const AnyField& field, Visit&& visit) {
    for (std::size_t b = 0; b < field.blocks().size(); ++b) {
        const Block& block = field.blocks()[b];
        const auto view = field.view<double>(static_cast<int>(b));
        for (int c = 0; c < std::ssize(offsets); ++c)
            for_cells(block.allocated,
                      [&](const Index3& cell) { visit(block, cell, c, view(cell[0], cell[1], cell[2], c)); });
    }
}

Index3 writer_of(const Index3& cell, int c) { return minus(cell, offsets[c]); }

double name_of(const Grid& grid, const Index3& writer, int c, int round) {
    return static_cast<double>(round + code(grid, writer, c));
}

// Every owned cell writes its name at the offsets, as a kernel does; unwritten values are `untouched`.
void scatter(const AnyField& field, const Grid& grid, int round) {
    for_values(field, [&](const Block& block, const Index3& cell, int c, double& value) {
        const Index3 writer = writer_of(cell, c);
        value = block.owned.contains(writer) ? name_of(grid, writer, c, round) : untouched;
    });
}

// Owned cells hold the names of the cells that wrote to them, wherever those are; halos what was there.
void check(const AnyField& field, const Grid& grid, int round) {
    for_values(field, [&](const Block& block, const Index3& cell, int c, double value) {
        Index3 writer = writer_of(cell, c);
        bool written = block.owned.contains(writer);
        if (block.owned.contains(cell)) {
            for (std::size_t a = 0; a < 3; ++a)
                if (grid.periodic[a]) writer[a] = (writer[a] + grid.size[a]) % grid.size[a];
            written = grid.box().contains(writer);
        }
        CAPTURE(cell[0], cell[1], cell[2], c, round);
        REQUIRE(value == (written ? name_of(grid, writer, c, round) : untouched));
    });
}

// All ranks get the same text, which describes a user's mistake.
std::string refused(Domain& domain, const AnyField& field, const std::string& transport) {
    std::string said = "none";
    try {
        const HaloReturn made(domain, field, transport);
    } catch (const UserError& error) {
        said = error.what();
    }
    require_same(MPI_COMM_WORLD, "errors of the ranks", said);
    return said;
}

}  // namespace

TEST_CASE("what was written beyond a box is moved to its owner, again and again") {
    for (const bool periodic : {true, false}) {
        const Grid grid{{9, 8, 6}, {periodic, !periodic, periodic}};
        for (const Partition& partition : partitions(grid)) {
            World world(partition);
            AnyField field(world.partition(), world.rank(), scattered());
            HaloReturn back(world.domain, field, transport());
            for (int round = 0; round < 3; ++round) {
                scatter(field, grid, round);
                back.run();
                check(field, grid, round);
            }
        }
    }
}

TEST_CASE("auto is a transport too") {
    const Grid grid{{9, 8, 6}, {true, true, true}};
    World world(blocks(grid));
    AnyField field(world.partition(), world.rank(), scattered());
    HaloReturn back(world.domain, field, "auto");
    scatter(field, grid, 0);
    back.run();
    check(field, grid, 0);
}

TEST_CASE("a field that is written on both sides is refused by all ranks, whoever has it") {
    const Grid grid{{9, 8, 6}, {true, true, true}};
    World world(blocks(grid));
    FieldSpec both = scattered();
    both.extents[1].lo[0] = 1;
    const int last = world_size() - 1;
    const AnyField good(world.partition(), world.rank(), scattered()), bad(world.partition(), world.rank(), both);
    REQUIRE_THAT(refused(world.domain, bad, transport()),
                 Contains("rank 0: extent of component 1 of field f") && Contains("one side of each axis at most"));
    REQUIRE_THAT(refused(world.domain, world.rank() == last ? bad : good, transport()),
                 Contains("rank " + std::to_string(last) + ": extent of component 1 of field f"));
    REQUIRE_THAT(refused(world.domain, good, "pigeon"), Contains("transport: got pigeon"));
    REQUIRE(refused(world.domain, good, transport()) == "none");
}

TEST_CASE("what is kept is as before, the rest as its writer left it") {
    World world(blocks(Grid{{12, 8, 1}, {true, true, false}}));
    FieldSpec spec = spec_of("pushed", Extent{});
    spec.extents[0].hi[0] = 1;  // every cell was written from the one before it along x
    AnyField field(world.partition(), world.rank(), spec);
    const View<double> view = field.view<double>();
    const Box owned = field.blocks()[0].owned;
    const auto written = [](Index i, Index j) { return static_cast<double>(100 * ((i + 12) % 12) + j); };
    std::vector<std::byte*> kept;
    for (Index j = owned.lo[1]; j < owned.hi[1]; j += 2) kept.push_back(field.blocks()[0].at({owned.lo[0], j, 0}, 0));
    HaloReturn back(world.domain, field, transport(), kept.size() * sizeof(double));

    for (const bool keeps : {false, true}) {
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j) {
            view(owned.lo[0], j) = -1.0;
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) view(i + 1, j) = written(i + 1, j);
        }
        const long before = allocations();
        keeps ? back.run(kept, sizeof(double)) : back.run();
        if (keeps) CHECK(allocations() == before);
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j) {
            const bool mine = keeps && (j - owned.lo[1]) % 2 == 0;
            CHECK(view(owned.lo[0], j) == (mine ? -1.0 : written(owned.lo[0], j)));
            for (Index i = owned.lo[0] + 1; i < owned.hi[0]; ++i) CHECK(view(i, j) == written(i, j));
        }
    }
}
