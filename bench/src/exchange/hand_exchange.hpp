#pragma once
// The references: what a modeller who knows MPI writes by hand for these cases.

#include <mpi.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/array_copy.hpp"

namespace lapwing::bench {

// Halo exchange with everything worked out beforehand: lists of copies, buffers, requests. What a rank gets from
// itself is copied directly. Ranks along one axis: whole rows or columns travel, halos of the other axis included;
// else corners come directly from the diagonal ranks.
class HandExchange {
  public:
    // Combined: one message per neighbour rank, all fields and sides in it. Separate: one per field and direction,
    // the usual way. Local.
    HandExchange(MPI_Comm comm, const WorkArrays& arrays, bool combined);
    void run();

  private:
    enum class End { send, receive };
    // A strip of one field on its way to the rank `dx`, `dy` blocks away.
    struct Strip {
        int field, dx, dy;
    };
    struct Message {
        int peer = 0, tag = 0, values = 0;
        double* buffer = nullptr;
        std::vector<StridedCopy> copies;
    };
    using Groups = std::map<std::pair<int, int>, std::vector<Strip>>;  // by peer and tag

    void plan_wraps();
    [[nodiscard]] Groups grouped(End end) const;
    [[nodiscard]] Index volume(const Groups& groups) const;
    [[nodiscard]] std::vector<Message> messages(const Groups& groups, End end, double*& buffer) const;
    [[nodiscard]] Box strip_box(const Strip& strip, End end) const;
    void finish(int requests);
    void add_copies(Message& message, const Strip& strip, End end) const;

    MPI_Comm comm_;
    WorkArrays arrays_;
    bool combined_;
    bool polls_ = false;
    int rank_ = 0;
    std::vector<StridedCopy> wraps_before_, wraps_meanwhile_;  // of cells that are sent; of the others
    std::shared_ptr<double> buffer_;
    std::vector<Message> sends_, receives_;
    std::vector<MPI_Request> requests_;
};

}  // namespace lapwing::bench
