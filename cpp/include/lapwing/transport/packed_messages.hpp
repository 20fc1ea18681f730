#pragma once
// The buffers of one leg, and the packing to and from them.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/memory/copy_list.hpp"

namespace lapwing {

// A message as bytes: the place of its pieces, and its buffer.
class PackedMessage {
  public:
    // Pieces that may overlap are unpacked one after the other.
    explicit PackedMessage(const BoundMessage& message);

    [[nodiscard]] int peer() const { return peer_; }
    [[nodiscard]] Index bytes() const { return pieces_.bytes(); }
    // Bytes of its buffer: whole cache lines, so that messages do not share them.
    [[nodiscard]] Index padded_bytes() const;

    void pack(std::byte* buffer) const { pieces_.pack(buffer); }
    // See PackList.
    void pack_outward(std::byte* buffer) const { pieces_.pack_outward(buffer); }
    [[nodiscard]] bool in_long_runs() const { return pieces_.in_long_runs(); }
    // Replaces or adds.
    void unpack(const std::byte* buffer, Arrival arrival) const;
    // Says that the blocks which hold the pieces have moved by these numbers of bytes. Local.
    void move(std::span<const Index> by);

  private:
    int peer_;
    PackList pieces_;
    std::vector<PackList> one_by_one_;  // empty: in any order
};

// The messages with buffers. Local.
std::vector<PackedMessage> packed(std::span<const BoundMessage> messages);

// Returns their addresses. Local.
std::vector<PackedMessage*> addresses(std::vector<PackedMessage>& messages);

// Sum of the buffers of messages.
Index padded_bytes(std::span<const PackedMessage> messages);

// One allocation, cut into the buffers of messages. Does not move once made.
class MessageBuffers {
  public:
    explicit MessageBuffers(std::span<const PackedMessage> messages);
    // Makes buffers of these sizes in bytes, each a whole number of cache lines.
    explicit MessageBuffers(const std::vector<Index>& sizes);

    [[nodiscard]] std::byte* operator[](std::size_t message) const { return buffers_[message]; }
    [[nodiscard]] std::byte* data() const { return memory_.get(); }
    [[nodiscard]] Index bytes() const { return bytes_; }
    // Leaves the memory to MPI for ever: its requests were never waited for.
    void abandon() { static_cast<void>(memory_.release()); }

  private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::vector<std::byte*> buffers_;
    Index bytes_ = 0;
};

// Lets the pieces of messages lie in their buffers, one after the other, for datatypes that describe buffers. Local.
void move_to(const MessageBuffers& buffers, std::span<BoundMessage> messages);

// MPI counts are int: more bytes travel as 8-byte words, for which buffers have room (padded_bytes).
struct MpiCount {
    int count;
    MPI_Datatype type;
};
// Throws UserError above 16 GiB. Local.
MpiCount mpi_count(Index bytes);

}  // namespace lapwing
