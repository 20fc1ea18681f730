#include "mpi/progress/end_job.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace lapwing {

namespace {

constexpr std::chrono::milliseconds last_words{500};
constexpr std::chrono::seconds patience{3};  // with MPI_Abort

}  // namespace

void end_job(MPI_Comm comm, int code) {
    std::fflush(stdout);
    std::fflush(stderr);
    std::this_thread::sleep_for(last_words);
    // MPICH 5.0 waits in MPI_Abort for hosts that are cut off. Without this process the launcher ends the rest.
    std::thread([code] {
        std::this_thread::sleep_for(patience);
        ::_exit(code);
    }).detach();
    MPI_Abort(comm, code);
    ::_exit(code);
}

}  // namespace lapwing
