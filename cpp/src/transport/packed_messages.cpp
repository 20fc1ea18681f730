#include "lapwing/transport/packed_messages.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr Index line = 64;  // bytes of a cache line

// A piece as it lies in a buffer.
StridedBlock dense(const StridedBlock& piece, std::byte* buffer) {
    StridedBlock block{buffer, piece.value_size, piece.count};
    Index stride = piece.value_size;
    for (std::size_t loop = 0; loop < block.count.size(); ++loop) {
        block.stride[loop] = stride;
        stride *= block.count[loop];
    }
    return block;
}

std::vector<Index> sizes_of(std::span<const PackedMessage> messages) {
    std::vector<Index> sizes;
    for (const PackedMessage& message : messages) sizes.push_back(message.padded_bytes());
    return sizes;
}

}  // namespace

PackedMessage::PackedMessage(const BoundMessage& message)
    : peer_(message.peer), pieces_(message.pieces, message.integer) {
    if (!message.in_order) return;
    for (const StridedBlock& piece : message.pieces) one_by_one_.emplace_back(std::span(&piece, 1));
}

Index PackedMessage::padded_bytes() const { return (bytes() + line - 1) / line * line; }

void PackedMessage::unpack(const std::byte* buffer, Arrival arrival) const {
    if (arrival == Arrival::add) return pieces_.unpack_add(buffer);  // goes piece by piece
    if (one_by_one_.empty()) return pieces_.unpack(buffer);
    for (const PackList& piece : one_by_one_) {
        piece.unpack(buffer);
        buffer += piece.bytes();
    }
}

void PackedMessage::move(std::span<const Index> by) {
    pieces_.move(by);
    for (PackList& piece : one_by_one_) piece.move(by);
}

std::vector<PackedMessage> packed(std::span<const BoundMessage> messages) {
    std::vector<PackedMessage> all(messages.begin(), messages.end());
    for (const PackedMessage& message : all) static_cast<void>(mpi_count(message.bytes()));
    return all;
}

std::vector<PackedMessage*> addresses(std::vector<PackedMessage>& messages) {
    std::vector<PackedMessage*> all;
    for (PackedMessage& message : messages) all.push_back(&message);
    return all;
}

Index padded_bytes(std::span<const PackedMessage> messages) {
    Index sum = 0;
    for (const PackedMessage& message : messages) sum += message.padded_bytes();
    return sum;
}

MessageBuffers::MessageBuffers(std::span<const PackedMessage> messages) : MessageBuffers(sizes_of(messages)) {}

MessageBuffers::MessageBuffers(const std::vector<Index>& sizes)
    : bytes_(std::accumulate(sizes.begin(), sizes.end(), Index{0})) {
    if (bytes_ > 0) memory_.reset(static_cast<std::byte*>(std::aligned_alloc(line, bytes_)));
    if (bytes_ > 0 && memory_ == nullptr) {
        throw OutsideError(concat("buffers of an exchange: got no memory; expected ", bytes_,
                                  " bytes on this rank; exchange fewer fields at once or use more nodes"));
    }
    if (bytes_ > 0) std::memset(memory_.get(), 0, bytes_);
    std::byte* next = memory_.get();
    for (const Index of_message : sizes) {
        buffers_.push_back(next);
        next += of_message;
    }
}

void MessageBuffers::Free::operator()(std::byte* memory) const { std::free(memory); }

void move_to(const MessageBuffers& buffers, std::span<BoundMessage> messages) {
    for (std::size_t m = 0; m < messages.size(); ++m) {
        std::byte* next = buffers[m];
        for (StridedBlock& piece : messages[m].pieces) {
            piece = dense(piece, next);
            next += piece.bytes();
        }
    }
}

MpiCount mpi_count(Index bytes) {
    if (bytes <= std::numeric_limits<int>::max()) return {static_cast<int>(bytes), MPI_BYTE};
    const Index words = (bytes + 7) / 8;
    if (words > std::numeric_limits<int>::max()) {
        user_error("message", concat(bytes, " bytes"), "at most 16 GiB",
                   "use more ranks, or exchange fewer fields at once");
    }
    return {static_cast<int>(words), MPI_INT64_T};
}

}  // namespace lapwing
