#pragma once
// A transpose as one writes it for one model: pack by hand, MPI_Isend or MPI_Alltoallv, unpack.

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing::bench {

// An array of doubles that holds a box.
struct BoxArray {
    double* data = nullptr;  // of the first cell
    Box box;
    Index3 strides{};  // in values

    [[nodiscard]] double* at(const Index3& cell) const;
};

// `from` of each rank to `to` of each rank, where box number r of both lists belongs to rank r. Values change their
// places while they are packed, in tiles, into the order of the target; what stays on the rank is copied directly,
// while messages are on their way.
class HandTranspose {
  public:
    // `collective`: one MPI_Alltoallv among the ranks that have the rows or columns in common, else messages of their
    // own. The arrays must outlive it. Collective over `comm`.
    HandTranspose(MPI_Comm comm, std::span<const Box> from_boxes, std::span<const Box> to_boxes, const BoxArray& from,
                  const BoxArray& to, bool collective);
    // Frees the communicator. Collective.
    void close();
    void run();

  private:
    // The values that a peer gets or gives, and their place in the buffers.
    struct Part {
        int peer = 0;
        Box send, receive;
        Index send_at = 0, receive_at = 0;
    };
    void pack(const Part& part);
    void unpack(const Part& part);
    void run_messages();
    void run_collective();

    MPI_Comm comm_;
    MPI_Comm group_ = MPI_COMM_NULL;  // of the collective
    BoxArray from_, to_;
    Box own_;
    std::vector<Part> parts_;
    std::shared_ptr<double> out_, in_;
    std::vector<MPI_Request> requests_;
    std::vector<int> send_counts_, send_places_, receive_counts_, receive_places_;  // by rank of the group
};

}  // namespace lapwing::bench
