// An exchange that could not be started is not in flight, and one that is too large for MPI is refused when it is made.
#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {
bool refuses = false;  // true if this MPI takes no receives
}

extern "C" int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
    return refuses ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

TEST_CASE("an exchange whose start failed can be started again, and the domain closed") {
    World world(blocks({{8 * world_size(), 6, 1}, {true, true, false}}),
                std::vector{spec_of("u", Extent::horizontal(1))});
    Exchange exchange(world.domain, pointers(world.fields), {.transport = "p2p"});
    run_and_check(world, world.fields, exchange);
    const bool alone = exchange.plan().phases[0].receives.empty();  // no message, nothing to refuse
    refuses = true;
    if (!alone) REQUIRE_THROWS_WITH(exchange.start(), Contains("MPI_Irecv"));
    refuses = false;
    REQUIRE_FALSE(exchange.active());
    run_and_check(world, world.fields, exchange);
    MPI_Barrier(MPI_COMM_WORLD);
    world.domain.close();  // throws while anything is in flight
}

TEST_CASE("fields without memory are refused when an exchange of them is made") {
    const Partition partition = blocks({{8 * world_size(), 6, 1}, {true, true, false}});
    Domain domain(partition, MPI_COMM_WORLD);
    const AnyField field = AnyField::declared(partition, domain.rank(), spec_of("u", Extent::horizontal(1)));
    const std::vector<const AnyField*> fields{&field};
    for (const char* transport : {"p2p", "shared", "auto"})
        REQUIRE_THROWS_WITH(Exchange(domain, fields, {.transport = transport}),
                            Contains("field u: got a use before it has memory"));
    domain.close();
}

// Memory of one column stands for all: only sizes are asked.
TEST_CASE("a message beyond what MPI can count is refused on all ranks when the exchange is made") {
    if (world_size() < 2) return;
    constexpr Index levels = (Index{1} << 31) - 8;
    const Grid grid{{2 * world_size(), 2, 1}, {}};
    Domain domain(block_partition(grid, {world_size(), 1, 1}), MPI_COMM_WORLD);
    FieldSpec spec;
    spec.name = "tall";
    spec.levels = static_cast<int>(levels);
    spec.extents = {Extent{{1, 0, 0}, {1, 0, 0}}};
    std::vector<double> column(64);
    Block block;
    block.owned = spec.with_levels(domain.partition().subdomain(domain.rank()).box);
    block.allocated = grow(block.owned, spec.extents[0]);
    block.data = reinterpret_cast<std::byte*>(column.data());
    block.strides = {8, 32, 0, 0};
    const AnyField tall(domain.partition(), domain.rank(), spec, {block}, nullptr);
    const std::vector<const AnyField*> fields{&tall};
    for (const char* transport : {"p2p", "persistent"})
        REQUIRE_THROWS_WITH(Exchange(domain, fields, {.transport = transport}), Contains("at most 16 GiB"));
    domain.close();
}
