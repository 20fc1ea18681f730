#pragma once
// Transport partitioned: MPI_Psend_init and MPI_Precv_init of MPI-4. A large message is packed slab by slab, and each
// partition of it is given to MPI as soon as it is full, so that packing and sending overlap. Good for large messages
// where the MPI sends partitions by themselves; small ones have one partition and are as persistent.

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

// Why this build has no partitioned communication; empty: it has. Local.
std::string no_partitions_declared();

class PartitionedLeg final : public Leg {
  public:
    explicit PartitionedLeg(const LegRequest& request);
    ~PartitionedLeg() override;

    void connect() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return send_buffers_.bytes() + receive_buffers_.bytes(); }

  private:
    struct Send {
        int peer = 0;
        Index bytes = 0;
        std::vector<PackedMessage> slabs;  // in the order of the buffer
    };
    void pack_and_start(std::size_t send);

    Domain& domain_;
    int tag_;
    Arrival arrival_;
    std::vector<Send> sends_;
    std::vector<PackedMessage> receives_;
    MessageBuffers send_buffers_, receive_buffers_;
    std::vector<MPI_Request> sending_, receiving_;
    std::vector<int> scratch_;  // numbers of sends
    std::size_t leaving_ = 0;   // sends that have not left
};

}  // namespace lapwing
