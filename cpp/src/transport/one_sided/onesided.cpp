#include "transport/one_sided/onesided.hpp"

#include <atomic>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "transport/letter.hpp"

namespace lapwing {

namespace {

constexpr Index line = 64;          // bytes of a cache line: counters have one of their own
constexpr std::uint64_t slots = 2;  // slots of an edge: a sender that is one exchange ahead finds a free slot

Index slot_at(std::uint64_t number, Index bytes) { return line + number % slots * bytes; }

}  // namespace

OneSidedLeg::OneSidedLeg(const LegRequest& request)
    : domain_(request.domain),
      tag_(request.tag),
      arrival_(request.arrival),
      flushes_at_once_(domain_.node().ranks() == domain_.ranks()),
      messages_out_(packed(request.sends)),
      messages_in_(packed(request.receives)),
      buffers_(messages_out_),
      sends_(messages_out_.size()),
      receives_(messages_in_.size()) {
    lay_out();
}

void OneSidedLeg::lay_out() {
    for (Send& send : sends_) {
        send.credit = window_bytes_;
        window_bytes_ += line;
    }
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        receives_[m].edge = window_bytes_;
        window_bytes_ += slot_at(0, 0) + slots * messages_in_[m].padded_bytes();
    }
}

// Each end tells the other where to put: first of all sends, then of all receives, in the order of the plan.
void OneSidedLeg::connect() {
    window_ = lease_window(domain_, window_bytes_);
    if (window_ == nullptr) return;
    std::vector<Letter> letters(sends_.size() + receives_.size());
    Post post(domain_.comm(), tag_);
    auto letter = letters.begin();
    for (std::size_t m = 0; m < sends_.size(); ++m, ++letter) {
        letter->put(sends_[m].credit);
        post.send(*letter, messages_out_[m].peer());
    }
    for (std::size_t m = 0; m < receives_.size(); ++m, ++letter) {
        letter->put(receives_[m].edge);
        post.send(*letter, messages_in_[m].peer());
    }
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        receives_[m].credit_there = post.receive(messages_in_[m].peer()).get();
    }
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        sends_[m].there = post.receive(messages_out_[m].peer()).get();
    }
    post.finish();
}

// A counter that another rank puts, 8 bytes at once.
OneSidedLeg::Counter OneSidedLeg::load(Index place) const {
    return std::atomic_ref(*reinterpret_cast<Counter*>(window_->memory + place)).load(std::memory_order_acquire);
}

void OneSidedLeg::put(const void* data, Index bytes, int peer, MPI_Aint place) {
    const auto [count, type] = mpi_count(bytes);
    check_mpi(MPI_Put(data, count, type, peer, place, count, type, window_->win), "MPI_Put");
}

void OneSidedLeg::flush(int peer) { check_mpi(MPI_Win_flush(peer, window_->win), "MPI_Win_flush"); }

void OneSidedLeg::post(std::size_t m) {
    Send& send = sends_[m];
    const PackedMessage& message = messages_out_[m];
    send.state = Send::State::waits;
    if (send.published - load(send.credit) >= slots) return;
    message.pack(buffers_[m]);
    put(buffers_[m], message.bytes(), message.peer(), send.there + slot_at(send.published, message.padded_bytes()));
    send.state = Send::State::put;
}

// The sequence number must not pass the message.
void OneSidedLeg::announce(std::size_t m) {
    Send& send = sends_[m];
    const int peer = messages_out_[m].peer();
    flush(peer);
    ++send.published;
    put(&send.published, sizeof(Counter), peer, send.there);
    flush(peer);
    send.state = Send::State::idle;
}

void OneSidedLeg::announce_all() {
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        if (sends_[m].state == Send::State::put) announce(m);
    }
}

void OneSidedLeg::start() {
    for (std::size_t m = 0; m < sends_.size(); ++m) post(m);
    for (Receive& receive : receives_) receive.awaited = true;
    if (flushes_at_once_) announce_all();
}

// Reading counters calls no MPI, and other ranks' puts may need MPI here.
void OneSidedLeg::make_progress() const {
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, domain_.comm(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void OneSidedLeg::advance() {
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        if (sends_[m].state == Send::State::waits) post(m);
    }
    announce_all();
}

std::size_t OneSidedLeg::poll(std::span<int> arrived) {
    if (window_ == nullptr) return 0;
    check_mpi(MPI_Win_sync(window_->win), "MPI_Win_sync");
    std::size_t count = 0;
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        Receive& receive = receives_[m];
        if (!receive.awaited || load(receive.edge) <= receive.consumed) continue;
        receive.awaited = false;
        arrived[count++] = static_cast<int>(m);
    }
    advance();
    if (count == 0) make_progress();
    return count;
}

void OneSidedLeg::deliver(int number) {
    Receive& receive = receives_[number];
    const PackedMessage& message = messages_in_[number];
    message.unpack(window_->memory + receive.edge + slot_at(receive.consumed, message.padded_bytes()), arrival_);
    ++receive.consumed;
    put(&receive.consumed, sizeof(Counter), message.peer(), receive.credit_there);
    receive.owes_flush = true;
}

bool OneSidedLeg::sent() {
    if (window_ == nullptr) return true;
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        if (receives_[m].owes_flush) flush(messages_in_[m].peer());
        receives_[m].owes_flush = false;
    }
    check_mpi(MPI_Win_sync(window_->win), "MPI_Win_sync");
    advance();
    for (const Send& send : sends_) {
        if (send.state != Send::State::idle) return false;
    }
    return true;
}

// Announces what was put, or its receivers would wait for ever. Others may still put into the window, and puts from
// here may still be on their way.
void OneSidedLeg::abandon() {
    try {
        announce_all();
    } catch (const OutsideError&) {  // called by a destructor: errors cannot be reported
    }
    buffers_.abandon();
    static_cast<void>(new std::vector<Send>(std::move(sends_)));
    static_cast<void>(new std::vector<Receive>(std::move(receives_)));
    static_cast<void>(new std::shared_ptr<PutWindow>(window_));
}

Index OneSidedLeg::buffer_bytes() const { return buffers_.bytes() + (window_ == nullptr ? 0 : window_->bytes); }

}  // namespace lapwing
