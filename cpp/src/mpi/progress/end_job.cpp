#include "mpi/progress/end_job.hpp"

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace lapwing {

namespace {

constexpr std::chrono::milliseconds last_words{500};
constexpr std::chrono::seconds patience{3};  // longest time for MPI_Abort

}  // namespace

void end_job(int code) {
    std::fflush(stdout);
    std::fflush(stderr);
    std::this_thread::sleep_for(last_words);
    // The launcher ends the other processes once this process is gone.
    std::thread([code] {
        std::this_thread::sleep_for(patience);
        ::_exit(code);
    }).detach();
    // not a smaller communicator: MPICH 5.0 waits for its ranks, also those on hosts that are cut off
    MPI_Abort(MPI_COMM_WORLD, code);
    ::_exit(code);
}

}  // namespace lapwing
