#pragma once
// The common part of legs that move a phase in one collective.

#include <mpi.h>

#include <memory>
#include <vector>

#include "lapwing/transport/leg.hpp"

// True if the MPI has the persistent collectives of MPI-4. Open MPI 5 has them and calls itself MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define LAPWING_MPI_FOUR 1
#else
#define LAPWING_MPI_FOUR 0
#endif

namespace lapwing {

// Messages of one direction in ascending order of peers: messages to one peer lie together, in the order of the plan.
struct ByPeer {
    explicit ByPeer(std::vector<BoundMessage> unsorted);
    // The arguments of the collective are for these ranks, which include the peers.
    void spread_over(const std::vector<int>& ranks);

    std::vector<BoundMessage> messages;
    std::vector<std::size_t> place;   // number in the plan -> in `messages`
    std::vector<int> peers;           // each once
    std::vector<std::size_t> begins;  // peers[n] has messages begins[n] <= m < begins[n + 1]
    std::vector<std::size_t> slots;   // for each peer: its place in the arguments of the collective
    std::size_t slot_count = 0;
};

class CollectiveLeg : public Leg {
  public:
    void connect() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    bool sent() override;
    void abandon() override;

  protected:
    // The participants: each rank with its peers, or all ranks that are connected through others.
    enum class Among { neighbors, group };

    CollectiveLeg(LegRequest& request, Among among);
    ~CollectiveLeg() override;

    // Fills the arguments of `call`: `slots` and `slot_count` of both directions are known. Local.
    virtual void lay_out() = 0;
    virtual void pack() = 0;
    // Makes the persistent collective, or, where the MPI has none, starts one.
    virtual void call(MPI_Comm comm, MPI_Request& request) = 0;

    Domain& domain_;
    const Among among_;
    Arrival arrival_;
    ByPeer sends_, receives_;

  private:
    bool completed();

    MPI_Comm comm_ = MPI_COMM_NULL;  // null: not on this rank
    std::shared_ptr<void> lease_;    // keeps the communicator
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool active_ = false, told_ = true;
};

}  // namespace lapwing
