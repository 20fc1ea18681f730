#pragma once
// Transport onesided: MPI_Put into the receiver's window, then a sequence number behind it, and a count of consumed
// messages back, the credit. Good on networks that write to remote memory by themselves.
//
// MPI has no way to ask, without blocking, whether a put has arrived. `start` therefore waits for its own puts only
// where all ranks share a node, where they are copies; otherwise they are announced in the first `poll`, which may,
// where a network writes by software (TCP), last until the receiver's next MPI call.

#include <cstdint>
#include <memory>
#include <vector>

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "transport/one_sided/put_window.hpp"

namespace lapwing {

class OneSidedLeg final : public Leg {
  public:
    explicit OneSidedLeg(const LegRequest& request);

    void connect() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    void abandon() override;
    PackedMessages packed_messages() override { return {addresses(messages_out_), addresses(messages_in_)}; }
    [[nodiscard]] Index buffer_bytes() const override;

  private:
    using Counter = std::uint64_t;
    struct Send {
        enum class State { idle, waits, put };  // waits: for credit; put: on its way, but not announced
        Index credit = 0;                       // place of the counter of the receiver, in this rank's window
        MPI_Aint there = 0;                     // place of the edge in the receiver's window
        Counter published = 0;
        State state = State::idle;
    };
    struct Receive {
        Index edge = 0;  // in this rank's window: sequence number, then slots
        MPI_Aint credit_there = 0;
        Counter consumed = 0;
        bool awaited = false, owes_flush = false;
    };

    void lay_out();
    Counter load(Index place) const;
    void put(const void* data, Index bytes, int peer, MPI_Aint place);
    void flush(int peer);
    void post(std::size_t send);
    void announce(std::size_t send);
    void announce_all();
    void advance();
    void make_progress() const;

    Domain& domain_;
    int tag_;
    Arrival arrival_;
    bool flushes_at_once_;
    std::vector<PackedMessage> messages_out_, messages_in_;
    MessageBuffers buffers_;  // buffers of sends
    Index window_bytes_ = 0;
    std::shared_ptr<PutWindow> window_;
    std::vector<Send> sends_;
    std::vector<Receive> receives_;
};

}  // namespace lapwing
