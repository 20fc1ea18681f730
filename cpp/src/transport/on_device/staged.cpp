#include "transport/on_device/staged.hpp"

#include <algorithm>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

StagedLeg::Slots StagedLeg::slots_of(std::span<const BoundMessage> messages, int rank, Index& next) {
    Slots slots;
    for (const BoundMessage& message : messages) {
        const int number = static_cast<int>(slots.peers.size());
        slots.peers.push_back(message.peer);
        slots.begins.push_back(next);
        slots.bytes.push_back(buffered_bytes(message));
        if (message.peer == rank) {
            slots.own = number;
            continue;
        }
        static_cast<void>(mpi_count(slots.bytes.back()));
        slots.travelling.push_back(number);
        next += slots.bytes.back();
    }
    return slots;
}

StagedLeg::StagedLeg(const LegRequest& request)
    : comm_(request.domain.comm()),
      tag_(request.tag),
      arrays_(request.device),
      out_(slots_of(request.sends, request.domain.rank(), outgoing_)),
      packed_(arrays_->device().make_event()),
      unloaded_(arrays_->device().make_event()),
      requests_(0, 0) {
    staged_ = outgoing_;
    in_ = slots_of(request.receives, request.domain.rank(), staged_);
    buffered_ = staged_;
    if (out_.own >= 0) {
        out_.begins[out_.own] = in_.begins[in_.own] = staged_;
        buffered_ += out_.bytes[out_.own];
    }
    requests_ = MessageRequests(in_.travelling.size(), out_.travelling.size());
    buffer_ = arrays_->device().allocate(buffered_);
    pinned_ = arrays_->device().allocate_pinned(staged_);
    StagedLeg::rebind(request.sends, request.receives);
}

// Tasks on the stream may still use the buffers and tables.
StagedLeg::~StagedLeg() { arrays_->order().finish(); }

void StagedLeg::rebind(std::span<const BoundMessage> sends, std::span<const BoundMessage> receives) {
    packing_.emplace(*arrays_, sends, out_.begins);
    unpacking_.emplace(*arrays_, receives, in_.begins);
}

// ---- run often: pack and bring to the host, post what may be posted, bring back what comes, unpack at last

void StagedLeg::start() {
    const Device& device = arrays_->device();
    const StreamHandle stream = arrays_->order().stream();
    receiving_ = sending_ = own_arrived_ = false;
    undelivered_ = in_.peers.size();
    requests_.started();
    packing_->pack(*arrays_, buffer_.get());
    device.copy(pinned_.get(), buffer_.get(), outgoing_, stream);
    device.record(packed_, stream);
    if (undelivered_ == 0) arrays_->order().end();
    post();
}

// Messages that the device has not packed yet leave with a later call, and memory that it still reads is filled later.
void StagedLeg::post() {
    if (!receiving_ && arrays_->device().has_happened(unloaded_)) post_receives();
    if (!sending_ && arrays_->device().has_happened(packed_)) post_sends();
}

void StagedLeg::post_receives() {
    for (std::size_t n = 0; n < in_.travelling.size(); ++n) {
        const int m = in_.travelling[n];
        const auto [count, type] = mpi_count(in_.bytes[m]);
        check_mpi(
            MPI_Irecv(pinned_.get() + in_.begins[m], count, type, in_.peers[m], tag_, comm_, &requests_.receive(n)),
            "MPI_Irecv");
    }
    receiving_ = true;
}

void StagedLeg::post_sends() {
    for (std::size_t n = 0; n < out_.travelling.size(); ++n) {
        const int m = out_.travelling[n];
        const auto [count, type] = mpi_count(out_.bytes[m]);
        check_mpi(
            MPI_Isend(pinned_.get() + out_.begins[m], count, type, out_.peers[m], tag_, comm_, &requests_.send(n)),
            "MPI_Isend");
    }
    sending_ = true;
}

std::size_t StagedLeg::poll(std::span<int> arrived) {
    post();
    std::size_t count = 0;
    if (in_.own >= 0 && !own_arrived_) {
        arrived[count++] = in_.own;
        own_arrived_ = true;
    }
    const std::size_t more = requests_.poll(arrived.subspan(count));
    for (std::size_t n = count; n < count + more; ++n) arrived[n] = in_.travelling[arrived[n]];
    return count + more;
}

void StagedLeg::deliver(int receive) {
    const Device& device = arrays_->device();
    const StreamHandle stream = arrays_->order().stream();
    const Index begin = in_.begins[receive];
    if (receive != in_.own) device.copy(buffer_.get() + begin, pinned_.get() + begin, in_.bytes[receive], stream);
    if (--undelivered_ > 0) return;
    device.record(unloaded_, stream);
    unpacking_->unpack(*arrays_, buffer_.get());
    arrays_->order().end();
}

bool StagedLeg::sent() {
    post();
    return sending_ && requests_.sent() && arrays_->order().ended();
}

std::vector<int> StagedLeg::unsent() {
    std::vector<int> peers;
    for (std::size_t n = 0; n < out_.travelling.size(); ++n) {
        if (!requests_.has_sent(n)) peers.push_back(out_.peers[out_.travelling[n]]);
    }
    return peers;
}

// Pinned memory is MPI's for ever.
void StagedLeg::abandon() { static_cast<void>(new DeviceMemory(pinned_)); }

}  // namespace lapwing
