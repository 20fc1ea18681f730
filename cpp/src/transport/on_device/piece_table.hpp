#pragma once
// The pieces of messages as the kernel of a device reads them: made once, used by each launch.

#include <span>

#include "device/device_arrays.hpp"
#include "lapwing/memory/bound_plan.hpp"

namespace lapwing {

// Returns the bytes that a message takes in a buffer of a device: each piece begins at a multiple of 8 bytes, the next
// message in another line. Both ends know it. Local.
Index buffered_bytes(const BoundMessage& message);

// A table of all pieces of some messages, in memory of the device. Local.
class PieceTable {
  public:
    // Message m lies in the buffer from byte begins[m] on. Blocks until the device has the table. Throws UserError for
    // a piece of 2^31 values or more.
    PieceTable(DeviceArrays& arrays, std::span<const BoundMessage> messages, std::span<const Index> begins);

    // Packs all of them from the arrays into the buffer, or unpacks them, by one launch on the stream of the arrays.
    void pack(DeviceArrays& arrays, std::byte* buffer) const { launch(arrays, buffer, true); }
    void unpack(DeviceArrays& arrays, std::byte* buffer) const { launch(arrays, buffer, false); }

  private:
    void launch(DeviceArrays& arrays, std::byte* buffer, bool packs) const;

    DeviceMemory pieces_, offsets_;
    int count_ = 0;
    unsigned most_ = 0;  // values of the largest piece
};

}  // namespace lapwing
