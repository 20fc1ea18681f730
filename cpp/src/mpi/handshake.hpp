#pragma once
// Handshake: empty messages that find out which neighbours are there, so that waiting for a late neighbour can be told
// from waiting for its bytes.

#include <mpi.h>

#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// Empty messages to and from every neighbour of a plan. Also from those that only receive from this rank: a large
// message cannot leave either before its receiver is there.
class Handshake {
  public:
    // Takes a tag, as Domain::next_tag does: to be made in the same order on all ranks.
    Handshake(Domain& domain, const MessagePlan& plan);
    Handshake(const Handshake&) = delete;
    Handshake& operator=(const Handshake&) = delete;
    ~Handshake();  // an unfinished handshake leaves its tag to MPI

    // Tells all neighbours that this rank is there; never blocks, and is not to be called again before `test` was
    // true. Every neighbour must do it too. Local.
    void start();
    // True if all neighbours have told so. Local, does not block.
    [[nodiscard]] bool test();
    // Blocks until they have, and meanwhile moves all that is in flight on the domain. Local.
    void wait();

    // Runs it `rounds` times in a row and keeps the least time as `least_seconds`: its cost among ranks that are all
    // there. Blocks for the neighbours, which must do it too.
    void calibrate(int rounds);
    [[nodiscard]] double least_seconds() const { return least_seconds_; }

    // Neighbours in ascending order, and those that have not told yet.
    [[nodiscard]] const std::vector<int>& peers() const { return peers_; }
    [[nodiscard]] std::vector<int> missing() const;

  private:
    [[nodiscard]] std::string describe() const;

    Domain& domain_;
    Tag tag_;
    std::vector<int> peers_;
    std::vector<MPI_Request> requests_;  // receives from all peers, then sends to all
    double least_seconds_ = 0;
};

}  // namespace lapwing
