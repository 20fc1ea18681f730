#include "lapwing/device/device.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

Device::Device(const DeviceFunctions& functions, std::string name, std::shared_ptr<void> keep)
    : functions_(functions), name_(std::move(name)), keep_(std::move(keep)) {}

void Device::require(int code, const char* call) const {
    if (code == 0) return;
    throw OutsideError(concat("call ", call, " of device ", name_, ": got ", functions_.text_of(functions_.self, code),
                              "; expected success; if it lacks memory, exchange fewer arrays at once or use more "
                              "devices"));
}

DeviceMemory Device::allocate(std::size_t bytes) const {
    void* address = nullptr;
    require(functions_.allocate(functions_.self, std::max<std::size_t>(bytes, 1), &address), "allocate");
    return {static_cast<std::byte*>(address), [device = shared_from_this()](std::byte* memory) {
                device->functions_.release(device->functions_.self, memory);
            }};
}

DeviceMemory Device::allocate_pinned(std::size_t bytes) const {
    void* address = nullptr;
    require(functions_.allocate_pinned(functions_.self, std::max<std::size_t>(bytes, 1), &address), "allocate_pinned");
    return {static_cast<std::byte*>(address), [device = shared_from_this()](std::byte* memory) {
                device->functions_.release_pinned(device->functions_.self, memory);
            }};
}

DeviceStream Device::make_stream(bool urgent) const {
    StreamHandle made = nullptr;
    require(functions_.make_stream(functions_.self, urgent, &made), "make_stream");
    return {made, [device = shared_from_this()](StreamHandle stream) {
                device->functions_.drop_stream(device->functions_.self, stream);
            }};
}

DeviceEvent Device::make_event() const {
    EventHandle made = nullptr;
    require(functions_.make_event(functions_.self, &made), "make_event");
    return {made, [device = shared_from_this()](EventHandle event) {
                device->functions_.drop_event(device->functions_.self, event);
            }};
}

AddressKind Device::kind_of(const void* address) const {
    AddressKind kind;
    require(functions_.kind_of(functions_.self, address, &kind), "kind_of");
    return kind;
}

void Device::record(const DeviceEvent& event, StreamHandle stream) const {
    require(functions_.record(functions_.self, event.get(), stream), "record");
}

void Device::await(StreamHandle stream, const DeviceEvent& event) const {
    require(functions_.await(functions_.self, stream, event.get()), "await");
}

bool Device::has_happened(const DeviceEvent& event) const {
    bool happened = false;
    require(functions_.has_happened(functions_.self, event.get(), &happened), "has_happened");
    return happened;
}

void Device::wait_for(const DeviceEvent& event) const {
    while (!has_happened(event)) std::this_thread::yield();
}

void Device::copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) const {
    if (bytes > 0) require(functions_.copy(functions_.self, to, from, bytes, stream), "copy");
}

void Device::move(const DeviceMove& move, int pieces, unsigned most, StreamHandle stream) const {
    if (pieces > 0 && most > 0) require(functions_.move(functions_.self, move, pieces, most, stream), "move");
}

void require_on_device(const Device& device, const void* address, const std::string& what) {
    const AddressKind kind = device.kind_of(address);
    if (kind.on_device && kind.number == device.number()) return;
    user_error(what, kind.on_device ? concat("memory of device ", kind.number) : std::string("memory of the host"),
               concat("memory of device ", device.number(), ", ", device.name()),
               kind.on_device ? "open the device that the array lies on"
                              : "copy it to the device, or use an exchange of arrays on the host");
}

}  // namespace lapwing
