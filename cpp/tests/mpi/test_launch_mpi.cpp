// The launcher and the library are of the same MPI, and messages arrive.
#include <mpi.h>

#include <catch2/catch.hpp>

TEST_CASE("every rank hears from its left neighbour") {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    int heard = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &heard, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(heard == left);
}
