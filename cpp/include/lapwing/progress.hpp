#pragma once
// The one place where lapwing waits.

#include <mpi.h>

#include <string>

namespace lapwing {

// Calls poll(object) until it is true. Yields the processor when ranks outnumber cores. With
// LAPWING_WATCHDOG seconds set, prints what describe(object) says and aborts the job of `comm`
// when that time has passed. Local.
void wait_until(bool (*poll)(void*), std::string (*describe)(const void*), void* object, MPI_Comm comm);

// Waits for a nonblocking collective; `what` names it for the watchdog. MPI's own blocking collectives do
// not yield the processor, which costs a scheduler slice per call where ranks share a core. Local.
void wait_for(MPI_Request request, MPI_Comm comm, const char* what);

}  // namespace lapwing
