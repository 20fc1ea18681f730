#include "device/stream_order.hpp"

#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

StreamOrder::StreamOrder(std::shared_ptr<const Device> device)
    : device_(std::move(device)),
      own_(device_->make_stream(true)),
      begun_(device_->make_event()),
      ended_(device_->make_event()),
      finished_(device_->make_event()) {}

void StreamOrder::begin() {
    if (!caller_) return;
    device_->record(begun_, *caller_);
    device_->await(stream(), begun_);
}

void StreamOrder::end() {
    device_->record(ended_, stream());
    if (caller_) device_->await(*caller_, ended_);
}

void StreamOrder::finish() noexcept {
    try {
        device_->record(finished_, stream());
        device_->wait_for(finished_);
    } catch (const OutsideError&) {  // it has failed: nothing runs any more
    }
}

}  // namespace lapwing
