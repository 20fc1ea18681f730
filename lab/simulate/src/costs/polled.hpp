#pragma once
// The requests that a wait has polled in vain. SMPI lets time pass in calls that block, while the library polls: so a
// rank blocks between two polls until one of these requests is complete, which its owner sees when it polls next.

#include <mpi.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace lapwing_simulate {

class Polled {
  public:
    // Returns those of this rank: SMPI gives each its own. Calls of MPI have no place for them.
    static Polled& here();

    void forget();
    // Notes requests that were polled together, or one that its owner sees to be null once it is complete.
    void note(std::span<MPI_Request> requests) { together_[requests.data()] = requests.size(); }
    void note(MPI_Request& request) { alone_.insert(&request); }
    // Notes a poll that cannot be waited for.
    void note_probe() { probed_ = true; }
    // Writes the numbers of these requests that `wait_for_one` has seen complete since; returns how many.
    int take_ended(MPI_Request* requests, int* numbers);
    // Blocks until one of the requests is complete, and forgets them; false: nothing to wait for.
    bool wait_for_one();

  private:
    std::map<MPI_Request*, std::size_t> together_;  // their numbers
    std::set<MPI_Request*> alone_;
    std::map<MPI_Request*, std::vector<int>> ended_;  // of requests that were polled together
    bool probed_ = false;
};

}  // namespace lapwing_simulate
