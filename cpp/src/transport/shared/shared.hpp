#pragma once
// Transport shared: ranks of one node through memory that both map, without MPI on the way.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "transport/letter.hpp"
#include "transport/shared/edge.hpp"

namespace lapwing {

// Small messages, and messages from private memory, are packed into slots that the receiver unpacks. Larger messages of
// fields in shared memory are copied once: the receiver reads the sender's field in place.
class SharedLeg final : public Leg {
  public:
    explicit SharedLeg(LegRequest request);

    void connect() override;
    void connected() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    PackedMessages packed_messages() override;
    [[nodiscard]] std::vector<int> unsent() override;
    [[nodiscard]] Index buffer_bytes() const override;

  private:
    struct Send {
        PackedMessage message;
        bool in_place = false;
        bool long_runs = false;
        int slots = 1;
        Index slot_bytes = 0;  // 0: in place
        Index offset = 0;      // place of its edge in this rank's memory
        std::optional<SendingEnd> end{};
        bool waits = false;  // started, but without credit yet
    };
    struct Receive {
        PackedMessage message;
        std::shared_ptr<SharedMemory> memory{};  // memory of the sender
        std::optional<ReceivingEnd> end{};
        std::optional<CopyList> copies{};  // in place
        bool awaited = false;
    };

    void open(Letter& letter, Receive& receive, const BoundMessage& bound);
    std::shared_ptr<SharedMemory> attached_once(const SharedMemoryName& name, int peer);
    void post(Send& send);

    Domain& domain_;
    int tag_;
    Arrival arrival_;
    std::vector<BoundMessage> bound_sends_, bound_receives_;  // until connected
    std::vector<std::shared_ptr<SharedMemory>> shared_fields_;
    std::shared_ptr<SharedMemory> memory_;  // the edges of all sends
    std::vector<std::byte> scratch_;        // where larger messages are packed
    std::vector<Send> sends_;
    std::vector<Receive> receives_;
    std::vector<std::pair<SharedMemoryName, std::shared_ptr<SharedMemory>>> attached_;  // each once
};

}  // namespace lapwing
