#pragma once
// Requests of MPI, many at once, that legs poll.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lapwing {

// The requests of the messages of a leg. One call asks MPI for all of them: sends mostly leave while receives are
// awaited, and then need no call of their own.
class MessageRequests {
  public:
    MessageRequests(std::size_t receives, std::size_t sends)
        : receives_(receives),
          requests_(receives + sends, MPI_REQUEST_NULL),
          numbers_(receives + sends),
          left_(sends) {}

    MPI_Request& receive(std::size_t message) { return requests_[message]; }
    MPI_Request& send(std::size_t message) { return requests_[receives_ + message]; }
    [[nodiscard]] std::span<MPI_Request> receives() { return {requests_.data(), receives_}; }
    [[nodiscard]] std::span<MPI_Request> all() { return requests_; }

    // Call this when all are active.
    void started() {
        sending_ = left_.size();
        std::fill(left_.begin(), left_.end(), 0);
    }
    // Writes the numbers of receives that have completed to the begin of `arrived`; returns how many.
    std::size_t poll(std::span<int> arrived);
    // True if all sends have completed. Asked when all receives have.
    bool sent();
    // True if MPI has said so of this one.
    [[nodiscard]] bool has_sent(std::size_t message) const { return left_[message] != 0; }

  private:
    // Takes note of a request that has completed; returns the count of arrivals.
    std::size_t note(int request, std::span<int> arrived, std::size_t count);

    std::size_t receives_;
    std::vector<MPI_Request> requests_;  // receives, then sends
    std::vector<int> numbers_;           // scratch
    std::vector<char> left_;             // for each send: true if it has completed
    std::size_t sending_ = 0;
};

// Writes the numbers of those that have completed since the last call to the begin of `numbers`; returns how many.
std::size_t completed(std::vector<MPI_Request>& requests, std::span<int> numbers);

// Returns why this MPI cannot be asked for requests of MPI_Rget; empty: it can. Local.
[[nodiscard]] std::string_view trouble_of_gets();

// Starts persistent ones.
void start_all(std::span<MPI_Request> requests);

// Frees inactive persistent requests; does nothing when MPI has been finalized: a program may close late. Local.
void free_requests(std::span<MPI_Request> requests);

}  // namespace lapwing
