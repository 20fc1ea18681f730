#pragma once
// A device: memory, streams and events of a library that is loaded at run time.

#include <cstddef>
#include <memory>
#include <string>

#include "lapwing/device/functions.hpp"

namespace lapwing {

// Memory, a stream or an event, released with its last owner; each holds on to its device.
using DeviceMemory = std::shared_ptr<std::byte>;
using DeviceStream = std::shared_ptr<OpaqueStream>;
using DeviceEvent = std::shared_ptr<OpaqueEvent>;

// All of it is local. What the library refuses throws OutsideError with the call, the device and the library's text.
class Device : public std::enable_shared_from_this<Device> {
  public:
    // Uses a table of functions; `keep` is held as long as the device. For objects in shared pointers only.
    Device(const DeviceFunctions& functions, std::string name, std::shared_ptr<void> keep);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] int number() const { return functions_.number; }

    // Memory of the device, and memory of the host that it copies from and to by itself. At least one byte.
    [[nodiscard]] DeviceMemory allocate(std::size_t bytes) const;
    [[nodiscard]] DeviceMemory allocate_pinned(std::size_t bytes) const;
    // `urgent`: its work comes before other streams' work.
    [[nodiscard]] DeviceStream make_stream(bool urgent) const;
    [[nodiscard]] DeviceEvent make_event() const;
    [[nodiscard]] AddressKind kind_of(const void* address) const;

    void record(const DeviceEvent& event, StreamHandle stream) const;
    void await(StreamHandle stream, const DeviceEvent& event) const;
    [[nodiscard]] bool has_happened(const DeviceEvent& event) const;
    // Blocks until it has happened: for what is made once, or is over except for the device's word.
    void wait_for(const DeviceEvent& event) const;
    void copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) const;
    void move(const DeviceMove& move, int pieces, unsigned most, StreamHandle stream) const;

  private:
    void require(int code, const char* call) const;

    DeviceFunctions functions_;
    std::string name_;
    std::shared_ptr<void> keep_;
};

// Throws UserError unless `address` lies in memory of this device; `what` names it. Local.
void require_on_device(const Device& device, const void* address, const std::string& what);

}  // namespace lapwing
