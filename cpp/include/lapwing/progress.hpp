#pragma once
// The one place where lapwing waits.

#include <mpi.h>

#include <string>

namespace lapwing {

// Something in flight that somebody has to move on.
class Moving {
  public:
    virtual ~Moving() = default;
    // Moves on whatever can move, without blocking; true when it is there.
    [[nodiscard]] virtual bool test() = 0;
};

// Calls poll(object) until it is true; offers the processor to others after each `polls` calls that were not. With
// LAPWING_WATCHDOG seconds set, prints what describe(object) says and aborts the job of `comm`
// when that time has passed. Local.
void wait_until(bool (*poll)(void*), std::string (*describe)(const void*), void* object, MPI_Comm comm, int polls);

// Waits for a nonblocking collective; `what` names it for the watchdog. MPI's own blocking collectives do
// not yield the processor, which costs a scheduler slice per call where ranks share a core. Local.
void wait_for(MPI_Request request, MPI_Comm comm, const char* what);

}  // namespace lapwing
