#include "lapwing/mpi/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/base/host.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/tags.hpp"
#include "lapwing/mpi/watchdog.hpp"
#include "mpi/progress/end_job.hpp"

namespace lapwing {

namespace {

// MPI advances in its calls only. The polled object may be memory, and other ranks may wait for MPI here: for a put to
// be taken, or a message of another communicator.
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
    constexpr std::size_t most = Tags::most;
    room = std::min(room + 1, most);
    if (room > in_flight().capacity()) in_flight().reserve(2 * room);
}

void (*interruption)() = nullptr;

void set_interruption(void (*look)()) { interruption = look; }

void look_for_interruption() {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point next;
    if (interruption == nullptr || Clock::now() < next) return;
    next = Clock::now() + std::chrono::milliseconds(100);
    interruption();
}

void wait_until(const Awaited& awaited, MPI_Comm comm, int polls) {
    const auto polled = [&] {
        for (int n = 0; n < polls; ++n) {
            if (awaited.call_poll(awaited.poll)) return true;
            move_on();
        }
        return false;
    };
    Host::begin_wait();
    if (polled()) return;
    Watchdog watchdog;
    for (;;) {
        const bool time_has_passed = Host::let_others_run();
        if (polled()) return;
        if (!time_has_passed) make_mpi_progress(comm);
        watchdog.look(awaited.call_describe, awaited.describe);
        look_for_interruption();
    }
}

void wait_or_end(const Awaited& awaited, MPI_Comm comm, int polls) {
    const auto end = [&](const char* why) {
        std::fprintf(stderr, "lapwing: %s, while %s\n", why, awaited.call_describe(awaited.describe).c_str());
        end_job(3);
    };
    try {
        wait_until(awaited, comm, polls);
    } catch (const OutsideError& error) {
        end(error.what());
    } catch (...) {
        end("interrupted");
    }
}

void wait_for(MPI_Request request, MPI_Comm comm, const char* what) {
    const auto poll = [&] {
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done != 0;
    };
    // not in the time loop: others first. Until it is over MPI may write into the memory of the collective, the
    // caller's
    wait_or_end(poll, [&] { return concat("rank ", rank_in(comm), " waits for ", what); }, comm, 1);
}

}  // namespace lapwing
