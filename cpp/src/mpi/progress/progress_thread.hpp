#pragma once
// A thread that calls MPI while the ranks compute, for an MPI that moves long messages on only when it is called.

#include <mpi.h>

#include <thread>

namespace lapwing {

// True if LAPWING_PROGRESS_THREAD asks for one. Local; throws UserError for other values than 0 and 1.
bool wants_progress_thread();

// Calls MPI every few tens of microseconds from a thread of its own, until it is destroyed or MPI is finalised.
class ProgressThread {
  public:
    // Throws UserError unless MPI was initialised for threads that all call it. Local.
    ProgressThread();
    ~ProgressThread();
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

  private:
    static int at_finalize(MPI_Comm comm, int key, void* self, void* unused);
    void stop();

    MPI_Comm comm_ = MPI_COMM_NULL;  // a communicator of this process alone: nothing ever arrives on it
    int key_ = MPI_KEYVAL_INVALID;
    std::jthread thread_;
};

}  // namespace lapwing
