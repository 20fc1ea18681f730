#pragma once
// The arrays of one exchange on a device: where each begins, as the kernel reads it, and the stream that moves them.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/stream_order.hpp"

namespace lapwing {

// Pieces say how far they lie from the begin of their array, so that an array that moves costs one address. Local.
class DeviceArrays {
  public:
    // `count` arrays, all of which begin at a place of the device until they are placed.
    DeviceArrays(const std::shared_ptr<const Device>& device, std::size_t count);

    [[nodiscard]] const Device& device() const { return order_.device(); }
    [[nodiscard]] StreamOrder& order() { return order_; }
    [[nodiscard]] std::byte* begin_of(std::size_t array) const { return begins_[array]; }
    // Says where an array begins from the next `upload` on.
    void place(std::size_t array, std::byte* begin);
    // Brings the begins to the device where they have changed, in the order of its stream.
    void upload();
    // The begins as the kernel reads them.
    [[nodiscard]] char* const* table() const { return reinterpret_cast<char* const*>(on_device_.get()); }

  private:
    StreamOrder order_;
    DeviceMemory on_device_, pinned_;
    DeviceEvent uploaded_;
    std::vector<std::byte*> begins_;
    bool changed_ = true;
};

}  // namespace lapwing
