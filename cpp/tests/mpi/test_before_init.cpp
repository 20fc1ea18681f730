// Errors of a program that forgets MPI_Init.
#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/domain.hpp"

using namespace lapwing;
using Catch::Contains;

TEST_CASE("a domain before MPI_Init is an error of the user") {
    const auto expected = Contains("MPI: got not initialised; expected running; call lapwing between MPI_Init");
    CHECK_THROWS_WITH(Domain(MPI_COMM_WORLD, {8, 6}), expected);
    CHECK_THROWS_WITH(Domain(block_partition({{8, 6, 1}}, {1, 1, 1}), MPI_COMM_WORLD), expected);
}
