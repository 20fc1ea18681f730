// The tests' MPI is initialised for one thread; the thread itself is tried by Python's tests, with another MPI level.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/domain.hpp"

using namespace lapwing;

TEST_CASE("a progress thread is refused on all ranks where MPI or the wish is not made for it") {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Partition partition = block_partition({{8, 8, 1}, {}}, {1, ranks, 1});
    using Catch::Contains;
    setenv("LAPWING_PROGRESS_THREAD", "1", 1);
    CHECK_THROWS_WITH(Domain(partition, MPI_COMM_WORLD), Contains("expected MPI_THREAD_MULTIPLE"));
    setenv("LAPWING_PROGRESS_THREAD", "yes", 1);
    CHECK_THROWS_WITH(Domain(partition, MPI_COMM_WORLD), Contains("LAPWING_PROGRESS_THREAD: got yes"));
    unsetenv("LAPWING_PROGRESS_THREAD");
    Domain domain(partition, MPI_COMM_WORLD);
    domain.close();
}
