// The main of tests that run on several ranks. Every rank runs every test in the same order; the exit code is the
// worst of all ranks, and ranks other than 0 keep quiet unless they failed.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "run_catch.hpp"

namespace {

// Launched by another MPI's mpiexec, every process is alone, and a test on 4 ranks would pass four times on one.
void refuse_singletons(int size) {
    for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
        const char* launched = std::getenv(name);
        if (launched == nullptr || std::atoi(launched) == size) continue;
        std::cerr << "MPI sees " << size << " rank(s), but " << name << "=" << launched
                  << ": started by another MPI's mpiexec; use the one that CTest uses\n";
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

int run_on_this_rank(int argc, char** argv, int rank) {
    std::ostringstream report;
    std::streambuf* screen = std::cout.rdbuf();
    if (rank != 0) std::cout.rdbuf(report.rdbuf());
    const int failed = run_catch(argc, argv);
    std::cout.rdbuf(screen);
    if (rank != 0 && failed != 0) std::cout << "rank " << rank << ":\n" << report.str() << std::flush;
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    refuse_singletons(size);
    int failed = run_on_this_rank(argc, argv, rank);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    // more than 255 failures must not wrap to success
    return std::min(failed, 255);
}
