#pragma once
// One directed edge between two ranks of a node: a protocol over raw shared memory, without MPI.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// The memory of an edge: two counters on cache lines of their own and, behind them, slots for messages. Message n
// (from 1) lies in slot (n - 1) % slots. Zeroed memory is an unused edge.
//
// `published` counts the messages the sender has written, `consumed` the messages the receiver is done with: the
// credit. Each counter has one writer, which stores with release order; the other loads with acquire order, so what was
// written before a count is seen after it. Two slots without the second counter are overwritten by a sender that gets
// nothing back from its receiver.
struct EdgeMemory {
    alignas(64) std::atomic<std::uint64_t> consumed;
    alignas(64) std::atomic<std::uint64_t> published;  // next to the first slot

    [[nodiscard]] std::byte* slots() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(EdgeMemory) == 128 && std::atomic<std::uint64_t>::is_always_lock_free);

// Bytes of an edge with slots of `slot_bytes`, a multiple of a cache line.
constexpr Index edge_bytes(int slots, Index slot_bytes) {
    return static_cast<Index>(sizeof(EdgeMemory)) + slots * slot_bytes;
}

// The sender's end.
class SendingEnd {
  public:
    // `memory` is edge_bytes(slots, slot_bytes) long and aligned to a cache line.
    SendingEnd(std::byte* memory, int slots, Index slot_bytes)
        : edge_(reinterpret_cast<EdgeMemory*>(memory)), slots_(slots), slot_bytes_(slot_bytes) {}

    // True if a slot is free: without it the next message has to wait. Asks the receiver's counter, a cache line
    // of the other core, only when the last answer does not do.
    [[nodiscard]] bool credit() {
        const auto slots = static_cast<std::uint64_t>(slots_);
        if (published_ - seen_ < slots) return true;
        seen_ = consumed();
        return published_ - seen_ < slots;
    }
    // Returns where the next message goes. Only with credit.
    [[nodiscard]] std::byte* slot() const {
        return edge_->slots() + static_cast<Index>(published_ % static_cast<std::uint64_t>(slots_)) * slot_bytes_;
    }
    // The message is there, or, of an edge without slots, the sender's own memory may be read.
    void publish() { edge_->published.store(++published_, std::memory_order_release); }
    // True if the receiver is done with everything.
    [[nodiscard]] bool drained() {
        if (seen_ != published_) seen_ = consumed();
        return seen_ == published_;
    }

  private:
    [[nodiscard]] std::uint64_t consumed() const { return edge_->consumed.load(std::memory_order_acquire); }

    EdgeMemory* edge_;
    int slots_;
    Index slot_bytes_;
    std::uint64_t published_ = 0;
    std::uint64_t seen_ = 0;  // consumed, when last asked
};

// The receiver's end.
class ReceivingEnd {
  public:
    ReceivingEnd(std::byte* memory, int slots, Index slot_bytes)
        : edge_(reinterpret_cast<EdgeMemory*>(memory)), slots_(slots), slot_bytes_(slot_bytes) {}

    // True if the next message is there.
    [[nodiscard]] bool arrived() const { return edge_->published.load(std::memory_order_acquire) > consumed_; }
    // Returns where it lies. Only when it has arrived.
    [[nodiscard]] const std::byte* slot() const {
        return edge_->slots() + static_cast<Index>(consumed_ % static_cast<std::uint64_t>(slots_)) * slot_bytes_;
    }
    // Done with it: the sender may write there again.
    void consume() { edge_->consumed.store(++consumed_, std::memory_order_release); }

  private:
    EdgeMemory* edge_;
    int slots_;
    Index slot_bytes_;
    std::uint64_t consumed_ = 0;
};

}  // namespace lapwing
