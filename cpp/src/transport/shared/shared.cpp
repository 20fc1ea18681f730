#include "transport/shared/shared.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "memory/copies/string_move.hpp"

namespace lapwing {

namespace {

// The size from which reading the sender's field in place costs less than packing: two more flags cross the node,
// about 0.2 us, instead of copying the bytes once more.
constexpr Index in_place_from = 8192;  // bytes

// The size from which a message goes to its slot by string moves: run by run if all runs are long, else from private
// memory, where it is packed first.
constexpr Index moved_from = 4096;  // bytes

// Slots of an edge: a sender that is ahead finds one free; small messages look at the credit rarely.
int slots_for(Index bytes) { return bytes <= 4096 ? 4 : 2; }

std::shared_ptr<SharedMemory> holder_of(const StridedBlock& piece,
                                        const std::vector<std::shared_ptr<SharedMemory>>& fields) {
    for (const auto& memory : fields) {
        if (memory->holds(piece.data)) return memory;
    }
    return nullptr;
}

bool all_shared(const BoundMessage& message, const std::vector<std::shared_ptr<SharedMemory>>& fields) {
    for (const StridedBlock& piece : message.pieces) {
        if (holder_of(piece, fields) == nullptr) return false;
    }
    return true;
}

void write(Letter& letter, const SharedMemoryName& name) {
    for (std::int64_t value : {name.process, name.descriptor, name.bytes, name.device, name.inode}) letter.put(value);
}

SharedMemoryName read_name(Letter& letter) {
    SharedMemoryName name;
    for (std::int64_t* value : {&name.process, &name.descriptor, &name.bytes, &name.device, &name.inode}) {
        *value = letter.get();
    }
    return name;
}

// Memory of another rank of this node. Domain has tested that this works, so a failure is a failure of the system.
std::shared_ptr<SharedMemory> attached(const SharedMemoryName& name, int peer) {
    auto memory = SharedMemory::attach(name);
    if (memory == nullptr) {
        throw OutsideError(concat("transport shared: cannot map ", name.bytes, " bytes of rank ", peer,
                                  " (too many mappings or open files?); use the transport p2p"));
    }
    return memory;
}

void write(Letter& letter, const StridedBlock& piece, const SharedMemory& holder) {
    write(letter, holder.name());
    letter.put(piece, piece.data - holder.data());
}

}  // namespace

SharedLeg::SharedLeg(LegRequest request)
    : domain_(request.domain),
      tag_(request.tag),
      arrival_(request.arrival),
      bound_sends_(std::move(request.sends)),
      bound_receives_(std::move(request.receives)),
      shared_fields_(std::move(request.shared)) {
    Index total = 0, largest = 0;
    for (const BoundMessage& message : bound_sends_) {
        Send send{PackedMessage(message)};
        send.in_place = request.in_place && !request.in_order && message.bytes >= in_place_from &&
                        arrival_ == Arrival::replace && all_shared(message, shared_fields_);
        send.slots = send.in_place ? 1 : slots_for(message.bytes);
        send.slot_bytes = send.in_place ? 0 : send.message.padded_bytes();
        send.offset = total;
        send.long_runs = send.message.in_long_runs();
        if (!send.in_place && !send.long_runs && message.bytes >= moved_from)
            largest = std::max(largest, message.bytes);
        total += edge_bytes(send.slots, send.slot_bytes);
        sends_.push_back(std::move(send));
    }
    scratch_.resize(largest);
    for (const BoundMessage& message : bound_receives_) {
        receives_.push_back({PackedMessage(message)});
    }
    if (total == 0) return;
    memory_ = SharedMemory::create(total);
    if (memory_ == nullptr) {
        throw OutsideError(concat("transport shared: got no memory; expected ", total,
                                  " bytes that the ranks of a node can share; use the transport p2p"));
    }
    for (Send& send : sends_) {
        send.end.emplace(memory_->data() + send.offset, send.slots, send.slot_bytes);
    }
}

void SharedLeg::connect() {
    std::vector<Letter> letters(sends_.size());
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        const Send& send = sends_[m];
        write(letters[m], memory_->name());
        for (Index value : {send.offset, Index{send.slots}, send.slot_bytes}) letters[m].put(value);
        letters[m].put(send.in_place ? 1 : 0);
        if (!send.in_place) continue;
        for (const StridedBlock& piece : bound_sends_[m].pieces) {
            write(letters[m], piece, *holder_of(piece, shared_fields_));
        }
    }
    Post post(domain_.comm(), tag_);
    for (std::size_t m = 0; m < sends_.size(); ++m) post.send(letters[m], sends_[m].message.peer());
    std::vector<Letter> came;
    for (const Receive& receive : receives_) came.push_back(post.receive(receive.message.peer()));
    post.finish();  // all letters are on their way and read: from here on a rank may throw alone
    for (std::size_t m = 0; m < receives_.size(); ++m) open(came[m], receives_[m], bound_receives_[m]);
    bound_sends_.clear();
    bound_receives_.clear();
}

void SharedLeg::connected() {
    if (memory_ != nullptr) memory_->close();
}

void SharedLeg::open(Letter& letter, Receive& receive, const BoundMessage& bound) {
    receive.memory = attached_once(read_name(letter), bound.peer);
    const Index offset = letter.get();
    const auto slots = static_cast<int>(letter.get());
    const Index slot_bytes = letter.get();
    receive.end.emplace(receive.memory->data() + offset, slots, slot_bytes);
    if (letter.get() == 0) return;
    std::vector<StridedBlock> from;
    for (std::size_t p = 0; p < bound.pieces.size(); ++p) {
        const auto field = attached_once(read_name(letter), bound.peer);
        from.push_back(letter.get_piece(field->data()));
    }
    receive.copies.emplace(from, bound.pieces);
}

std::shared_ptr<SharedMemory> SharedLeg::attached_once(const SharedMemoryName& name, int peer) {
    for (const auto& [known, memory] : attached_) {
        if (known == name) return memory;
    }
    attached_.emplace_back(name, attached(name, peer));
    return attached_.back().second;
}

void SharedLeg::post(Send& send) {
    send.waits = !send.end->credit();
    if (send.waits) return;
    if (send.in_place) {
        // the receiver reads the field itself
    } else if (send.message.bytes() < moved_from) {
        send.message.pack(send.end->slot());
    } else if (send.long_runs) {
        send.message.pack_outward(send.end->slot());
    } else {
        send.message.pack(scratch_.data());
        string_move(send.end->slot(), scratch_.data(), send.message.bytes());
    }
    send.end->publish();
}

void SharedLeg::start() {
    for (Send& send : sends_) post(send);
    for (Receive& receive : receives_) receive.awaited = true;
}

std::size_t SharedLeg::poll(std::span<int> arrived) {
    std::size_t count = 0;
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        Receive& receive = receives_[m];
        if (!receive.awaited || !receive.end->arrived()) continue;
        receive.awaited = false;
        arrived[count++] = static_cast<int>(m);
    }
    for (Send& send : sends_) {
        if (send.waits) post(send);
    }
    return count;
}

void SharedLeg::deliver(int number) {
    Receive& receive = receives_[number];
    receive.copies ? receive.copies->run() : receive.message.unpack(receive.end->slot(), arrival_);
    receive.end->consume();
}

bool SharedLeg::sent() {
    bool all = true;
    for (Send& send : sends_) {
        if (send.waits) post(send);
        // data that is read in place must have been read; data in a slot no longer matters
        all &= !send.waits && (!send.in_place || send.end->drained());
    }
    return all;
}

// None is in place: memory that the node shares belongs to fields.
PackedMessages SharedLeg::packed_messages() {
    PackedMessages all;
    for (Send& send : sends_) all.sends.push_back(&send.message);
    for (Receive& receive : receives_) all.receives.push_back(&receive.message);
    return all;
}

std::vector<int> SharedLeg::unsent() {
    std::vector<int> peers;
    for (Send& send : sends_) {
        if (send.waits || (send.in_place && !send.end->drained())) peers.push_back(send.message.peer());
    }
    return peers;
}

Index SharedLeg::buffer_bytes() const { return (memory_ == nullptr ? 0 : memory_->bytes()) + scratch_.size(); }

}  // namespace lapwing
