#pragma once
// Transport staged: arrays of a device, by way of pinned memory of the host. One launch packs all messages, a copy
// brings them to the host, MPI moves them, a copy for each brings them to the other device, one launch unpacks all.
// Good everywhere; every MPI has it.

#include <optional>
#include <vector>

#include "lapwing/transport/leg.hpp"
#include "mpi/progress/requests.hpp"
#include "transport/on_device/piece_table.hpp"

namespace lapwing {

// A message to the rank itself stays in the buffer on the device.
class StagedLeg final : public Leg {
  public:
    explicit StagedLeg(const LegRequest& request);
    ~StagedLeg() override;

    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    void abandon() override;
    [[nodiscard]] std::vector<int> unsent() override;
    void rebind(std::span<const BoundMessage> sends, std::span<const BoundMessage> receives) override;
    [[nodiscard]] Index buffer_bytes() const override { return buffered_ + staged_; }

  private:
    // The places of messages in the buffers, in bytes, and the numbers of messages that travel.
    struct Slots {
        std::vector<int> peers;
        std::vector<Index> begins, bytes;
        std::vector<int> travelling;
        int own = -1;  // number of the message to the rank itself
    };
    // Lets the messages that travel lie from byte `next` on, and moves it behind them.
    [[nodiscard]] static Slots slots_of(std::span<const BoundMessage> messages, int rank, Index& next);
    void post();
    void post_receives();
    void post_sends();

    MPI_Comm comm_;
    int tag_;
    std::shared_ptr<DeviceArrays> arrays_;
    Index outgoing_ = 0, staged_ = 0, buffered_ = 0;  // bytes that leave, of pinned memory, of the buffer on the device
    Slots out_, in_;
    std::optional<PieceTable> packing_, unpacking_;
    DeviceMemory buffer_, pinned_;
    DeviceEvent packed_;    // happens once outgoing values are in pinned memory
    DeviceEvent unloaded_;  // happens once incoming values have left pinned memory
    MessageRequests requests_;
    bool receiving_ = false, sending_ = false, own_arrived_ = false;
    std::size_t undelivered_ = 0;
};

}  // namespace lapwing
