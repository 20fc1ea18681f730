#include "lapwing/mpi/waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/base/simulated.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "mpi/progress/requests.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

double watchdog_seconds() {
    const char* text = std::getenv("LAPWING_WATCHDOG");
    if (text == nullptr || *text == '\0') return 0.0;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds >= 0.0)) {
        user_error("LAPWING_WATCHDOG", text, "seconds, 0 for none", "set it to a number such as 60");
    }
    return seconds;
}

// MPI moves on in its calls only. What is polled may be memory, and other ranks may wait for MPI here: for a put to be
// taken, or a message of another communicator.
void make_mpi_progress(MPI_Comm comm) {
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

// One list for the process, as MPI's progress is: all open domains are of one thread.
std::vector<Moving*>& in_flight() {
    static std::vector<Moving*> all;
    return all;
}

void move_on() {
    for (Moving* moving : in_flight()) static_cast<void>(moving->test());
}

// Between two polls that were in vain. Real ranks may share cores; simulated ones poll again when something has
// happened. Whether time has passed for certain: a simulation needs that, and finds it in MPI_Iprobe else.
bool let_others_run() {
    if constexpr (simulated) return AwaitedRequests::wait_for_one();
    sched_yield();
    return false;
}

// With a message. Does not return.
void end_job(MPI_Comm comm, const std::string& message) {
    std::fprintf(stderr, "lapwing: %s\n", message.c_str());
    std::fflush(stderr);
    // The launcher is killed with the job: the message must have passed it before.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    MPI_Abort(comm, 3);
}

std::size_t room = 0;  // how many may be in flight without an allocation

}  // namespace

void InFlight::enlist(Moving& moving) {
    ++count_;
    in_flight().push_back(&moving);
}

void InFlight::release(Moving& moving) {
    --count_;
    std::erase(in_flight(), &moving);
}

void InFlight::reserve_one_more() {
    constexpr std::size_t most = 32768;  // as there are tags
    room = std::min(room + 1, most);
    if (room > in_flight().capacity()) in_flight().reserve(2 * room);
}

void wait_until(const Awaited& awaited, MPI_Comm comm, int polls) {
    static const double limit = watchdog_seconds();
    const auto polled = [&] {
        if constexpr (simulated) AwaitedRequests::forget();
        for (int n = 0; n < polls; ++n) {
            if (awaited.call_poll(awaited.poll)) return true;
            if constexpr (simulated) AwaitedRequests::add_others();
            move_on();
        }
        return false;
    };
    if (polled()) return;
    const auto begin = Clock::now();
    for (;;) {
        const bool happened = let_others_run();
        if (polled()) return;
        if (!happened) make_mpi_progress(comm);
        if (limit <= 0.0 || std::chrono::duration<double>(Clock::now() - begin).count() < limit) continue;
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", limit);
        end_job(comm, concat("no progress for ", std::string_view(seconds),
                             " s (LAPWING_WATCHDOG): ", awaited.call_describe(awaited.describe)));
    }
}

void wait_or_end(const Awaited& awaited, MPI_Comm comm, int polls) {
    try {
        wait_until(awaited, comm, polls);
    } catch (const OutsideError& error) {
        end_job(comm, concat(error.what(), ", while ", awaited.call_describe(awaited.describe)));
        throw;
    }
}

void wait_for(MPI_Request request, MPI_Comm comm, const char* what) {
    if (simulated && in_flight().empty()) {  // polling is dear there, and nothing else has to be moved on
        check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        return;
    }
    const auto poll = [&] {
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done != 0;
    };
    // not in the time loop: others first. Until it is over MPI may write into the memory of the collective, the
    // caller's
    wait_or_end(poll, [&] { return concat("a rank waits for ", what); }, comm, 1);
}

}  // namespace lapwing
