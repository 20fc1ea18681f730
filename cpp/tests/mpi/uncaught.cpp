// A program without run_main with an uncaught exception: on all ranks, or on the last one, for which all others wait
// (LAPWING_TEST_THROWS). Run on several ranks.
#include <mpi.h>

#include <cstdlib>
#include <string_view>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

using namespace lapwing;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const Domain domain(MPI_COMM_WORLD, {8, 6});
    const bool all = std::getenv("LAPWING_TEST_THROWS") == std::string_view("all");
    if (all || domain.rank() == domain.ranks() - 1) throw UserError("depth: got nothing");
    static_cast<void>(reduced(domain.comm(), 1, MPI_MAX, "a number"));
    return 1;
}
