#pragma once
// The one place where lapwing waits.

#include <mpi.h>

#include <functional>
#include <string>

namespace lapwing {

// Something in flight that somebody has to move on.
class Moving {
  public:
    virtual ~Moving() = default;
    // Moves on whatever can move, without blocking; true when it is there.
    [[nodiscard]] virtual bool test() = 0;
};

// What is in flight in this process, on any domain. Whoever waits, for an exchange or a reduction, moves all of it on:
// a neighbour may be waiting for another exchange, whose second phase this rank has still to send, before it comes to
// what this rank waits for. Local.
void enlist(Moving& moving);
void release(Moving& moving);
// Makes room for one more, so that `enlist` does not allocate in the time loop.
void reserve_one_more();

// Calls `poll` until it is true, and moves on what is in flight; offers the processor to others after each `polls`
// calls that were not. With LAPWING_WATCHDOG seconds set, prints what `describe` says and aborts the job of `comm` when
// that time has passed. In the time loop both may capture two pointers, for which a std::function does not allocate.
// Local.
void wait_until(const std::function<bool()>& poll, const std::function<std::string()>& describe, MPI_Comm comm,
                int polls);

// Waits for a nonblocking collective; `what` names it for the watchdog. MPI's own blocking collectives do
// not yield the processor, which costs a scheduler slice per call where ranks share a core. Local.
void wait_for(MPI_Request request, MPI_Comm comm, const char* what);

}  // namespace lapwing
