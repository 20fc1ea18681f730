#include "lapwing/mpi/run_main.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/shared_files.hpp"
#include "mpi/open_leases.hpp"
#include "mpi/progress/end_job.hpp"

namespace lapwing {

namespace {

constexpr std::chrono::seconds patience{5};  // until the other ranks have met an error too

struct Ending {
    int code = 0;
    std::string message;
};

Ending ending_of(const std::function<void()>& program) {
    try {
        program();
        return {};
    } catch (const UserError& error) {
        return {2, error.what()};
    } catch (const std::exception& error) {
        return {3, error.what()};
    } catch (...) {
        return {3, "an exception that is no std::exception"};
    }
}

void print(int rank, const std::string& message) {
    const bool named = message.starts_with("rank ");  // an error that all ranks raised says whose it is
    const std::string who = named ? "" : "rank " + std::to_string(rank) + ": ";
    std::fprintf(stderr, "lapwing: %s%s\n", who.c_str(), message.c_str());
    std::fflush(stderr);
}

// True if all ranks have come here. A rank with an error does not wait for ever: others may wait in an exchange that it
// has left.
bool all_came(bool with_error) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    const auto end = std::chrono::steady_clock::now() + patience;
    int done = 0;
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
        if (with_error && std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

std::terminate_handler before = nullptr;

// Called by the C++ library in the thread that threw. Other ranks may have met the same.
void end_uncaught() {
    const std::exception_ptr problem = std::current_exception();
    int ended = 0, main = 0;
    MPI_Finalized(&ended);
    if (problem == nullptr || ended != 0) return before();
    const Ending mine = ending_of([&] { std::rethrow_exception(problem); });
    MPI_Is_thread_main(&main);
    if (main == 0) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        print(rank, mine.message);
        end_job(mine.code);
    }
    // the rank's open objects are not closed, so MPI may wait for it
    std::thread([code = mine.code] {
        std::this_thread::sleep_for(2 * patience);
        std::_Exit(code);
    }).detach();
    std::_Exit(end_of_program(mine.code, mine.message));
}

}  // namespace

void end_together_when_uncaught() {
    if (std::get_terminate() != end_uncaught) before = std::set_terminate(end_uncaught);
}

int end_of_program(int code, const std::string& message) {
    int rank = 0, running = 0, ended = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (running == 0 || ended != 0) {
        if (code != 0) std::fprintf(stderr, "lapwing: %s\n", message.c_str());
        return code;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!all_came(code != 0)) {
        print(rank, message);
        end_job(code);
    }
    struct {
        int code, rank;
    } worst{-code, rank};  // the lowest rank that has the largest code
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    if (code != 0 && worst.rank == rank) print(rank, message);
    if (worst.code != 0) leave_leases_open();
    MPI_Finalize();
    return -worst.code;
}

int run_main(int argc, char** argv, const std::function<void()>& program) {
    explain_bus_errors();
    int level = 0;  // MPI's choice: a program with several threads finds out there
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Barrier(MPI_COMM_WORLD);
    unlink_shared_files();
    const Ending mine = ending_of(program);
    return end_of_program(mine.code, mine.message);
}

}  // namespace lapwing
