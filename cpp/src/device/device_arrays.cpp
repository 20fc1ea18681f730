#include "device/device_arrays.hpp"

#include <cstring>

namespace lapwing {

DeviceArrays::DeviceArrays(const std::shared_ptr<const Device>& device, std::size_t count)
    : order_(device),
      on_device_(device->allocate(count * sizeof(std::byte*))),
      pinned_(device->allocate_pinned(count * sizeof(std::byte*))),
      uploaded_(device->make_event()),
      begins_(count, on_device_.get()) {}

void DeviceArrays::place(std::size_t array, std::byte* begin) {
    changed_ = changed_ || begins_[array] != begin;
    begins_[array] = begin;
}

// The copy before may still read the pinned memory: it is over long since, as the exchange that needed it is.
void DeviceArrays::upload() {
    if (!changed_ || begins_.empty()) return;  // a rank may have no box
    const std::size_t bytes = begins_.size() * sizeof(std::byte*);
    device().wait_for(uploaded_);
    std::memcpy(pinned_.get(), begins_.data(), bytes);
    device().copy(on_device_.get(), pinned_.get(), bytes, order_.stream());
    device().record(uploaded_, order_.stream());
    changed_ = false;
}

}  // namespace lapwing
