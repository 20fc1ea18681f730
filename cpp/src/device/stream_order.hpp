#pragma once
// The order of an exchange on streams: it begins after what a caller's stream holds, and the caller's stream goes on
// after it. Both streams run on meanwhile.

#include <memory>
#include <optional>

#include "lapwing/device/device.hpp"

namespace lapwing {

// Local. Work of the exchange goes on `stream()`, one piece after the other.
class StreamOrder {
  public:
    explicit StreamOrder(std::shared_ptr<const Device> device);
    ~StreamOrder() { finish(); }
    StreamOrder(const StreamOrder&) = delete;
    StreamOrder& operator=(const StreamOrder&) = delete;

    [[nodiscard]] const Device& device() const { return *device_; }
    [[nodiscard]] StreamHandle stream() const { return own_.get(); }

    // Says which stream exchanges follow from the next `begin` on; none: the host, which has waited for what writes the
    // arrays, and waits for the exchange.
    void follow(std::optional<StreamHandle> caller) { caller_ = caller; }
    // Lets what comes on `stream()` wait for all that the caller's stream holds now.
    void begin();
    // Lets what comes on the caller's stream wait for all that `stream()` holds now.
    void end();
    // True if readers that the exchange serves need not wait any more: a stream does it for them, or all has happened.
    [[nodiscard]] bool ended() const { return caller_.has_value() || device_->has_happened(ended_); }
    // Blocks until all that `stream()` holds has been carried out, or the device has failed: before memory is released.
    void finish() noexcept;

  private:
    std::shared_ptr<const Device> device_;
    DeviceStream own_;
    DeviceEvent begun_, ended_, finished_;
    std::optional<StreamHandle> caller_;
};

}  // namespace lapwing
