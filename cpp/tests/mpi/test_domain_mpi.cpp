// The communicator of a domain, which is made of the caller's.
#include "lapwing/mpi/domain.hpp"

#include <catch2/catch.hpp>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/transport/transport.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// A Cartesian communicator of all ranks, along x.
struct Cartesian {
    Cartesian() {
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        const int periods[] = {1};
        MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, periods, 0, &comm);
    }
    ~Cartesian() { MPI_Comm_free(&comm); }
    MPI_Comm comm = MPI_COMM_NULL;
};

int topology_of(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    MPI_Topo_test(comm, &topology);
    return topology;
}

}  // namespace

TEST_CASE("a domain on a Cartesian communicator has its ranks, and no topology") {
    const Cartesian cartesian;
    REQUIRE(topology_of(cartesian.comm) == MPI_CART);
    Domain domain(cartesian.comm, {16, 12}, {true, true, false});
    REQUIRE(topology_of(domain.comm()) == MPI_UNDEFINED);
    int relation = MPI_UNEQUAL, rank = -1;
    MPI_Comm_compare(domain.comm(), cartesian.comm, &relation);
    REQUIRE(relation == MPI_CONGRUENT);
    MPI_Comm_rank(cartesian.comm, &rank);
    REQUIRE(domain.rank() == rank);
    domain.close();
}

TEST_CASE("every transport fills the halos of a domain on a Cartesian communicator") {
    const Cartesian cartesian;
    Domain domain(cartesian.comm, {16, 12}, {true, true, false});
    for (const std::string& transport : {std::string("p2p"), std::string("neighbor"), std::string("datatype")}) {
        CAPTURE(transport);
        Field<double> field(domain, "f");
        Exchange exchange(domain, {field}, {.transport = transport});
        field.fill([](Index i, Index j) { return static_cast<double>(i + 100 * j); });
        exchange.run();
        const View<double> f = field.memory().view<double>(0);
        const Box& box = field.memory().blocks().front().owned;
        REQUIRE(f(box.lo[0] - 1, box.lo[1]) == static_cast<double>((box.lo[0] + 15) % 16 + 100 * box.lo[1]));
        REQUIRE(f(box.hi[0], box.lo[1]) == static_cast<double>(box.hi[0] % 16 + 100 * box.lo[1]));
    }
    domain.close();
}
