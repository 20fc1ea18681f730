#pragma once
// The one place where lapwing waits.

#include <mpi.h>

#include <string>

namespace lapwing {

// Something in flight that has to be advanced.
class Moving {
  public:
    virtual ~Moving() = default;
    // Advances whatever can advance, without blocking; true when it has arrived.
    [[nodiscard]] virtual bool test() = 0;
};

// All that is in flight on a domain. A wait for an exchange or a reduction advances what is in flight on any
// domain of this process: a neighbour may be waiting for another exchange, whose second phase this rank has still to
// send, before it comes to what this rank waits for. All local.
class InFlight {
  public:
    void enlist(Moving& moving);
    void release(Moving& moving);
    [[nodiscard]] int count() const { return count_; }
    // Makes room for one more, so that `enlist` does not allocate in the time loop.
    static void reserve_one_more();

  private:
    int count_ = 0;
};

// The subject of a wait: a function that tells whether it is complete, and one that describes it. Holds neither.
struct Awaited {
    bool (*call_poll)(const void*);
    const void* poll;
    std::string (*call_describe)(const void*);
    const void* describe;
};
void wait_until(const Awaited& awaited, MPI_Comm comm, int polls);
void wait_or_end(const Awaited& awaited, MPI_Comm comm, int polls);

// Calls `poll` until it is true, and advances what is in flight; yields the processor after each `polls` calls that
// were false. A watchdog looks after it and calls `describe` to learn what is waited for; throws what an interruption
// throws. Local.
template <class Poll, class Describe>
void wait_until(const Poll& poll, const Describe& describe, MPI_Comm comm, int polls) {
    wait_until({[](const void* object) { return (*static_cast<const Poll*>(object))(); }, &poll,
                [](const void* object) -> std::string { return (*static_cast<const Describe*>(object))(); }, &describe},
               comm, polls);
}

// The same for a wait that only all ranks can end together: if MPI fails on this rank, the job ends with a message.
// Local.
template <class Poll, class Describe>
void wait_or_end(const Poll& poll, const Describe& describe, MPI_Comm comm, int polls) {
    wait_or_end(
        {[](const void* object) { return (*static_cast<const Poll*>(object))(); }, &poll,
         [](const void* object) -> std::string { return (*static_cast<const Describe*>(object))(); }, &describe},
        comm, polls);
}

// Waits for a nonblocking collective; `what` names it for the watchdog. MPI's own blocking collectives do
// not yield the processor, which costs a scheduler slice per call where ranks share a core. If MPI fails in between, or
// an interruption comes, the job ends with a message: the memory of the collective could not be taken back. Local.
void wait_for(MPI_Request request, MPI_Comm comm, const char* what);

// The hook that waits, and steps between them, call ten times a second: it may throw, which ends the wait or the run of
// steps. It serves languages with signals of their own: Python's Ctrl-C. Null: nothing. Local.
void set_interruption(void (*look)());
void look_for_interruption();

}  // namespace lapwing
