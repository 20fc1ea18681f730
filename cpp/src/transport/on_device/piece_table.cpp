#include "transport/on_device/piece_table.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/device_piece.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr Index line = 64;                     // bytes, between which messages begin
constexpr Index aligned = 8;                   // bytes, between which pieces begin: the longest value
constexpr Index most_values = Index{1} << 31;  // largest size of a piece

Index round_up(Index bytes, Index unit) { return (bytes + unit - 1) / unit * unit; }

unsigned values_of(const StridedBlock& block) {
    const Index values = block.bytes() / block.value_size;
    if (values < most_values) return static_cast<unsigned>(values);
    user_error("piece of a message of arrays of a device", concat(values, " values"), "fewer than 2^31",
               "use more ranks, or exchange fewer levels or components at once");
}

DevicePiece piece_of(const StridedBlock& block, const DeviceArrays& arrays, Index buffered,
                     std::vector<DeviceInteger>& offsets) {
    DevicePiece piece{};
    piece.array = block.memory;
    piece.place = block.data - arrays.begin_of(block.memory);
    piece.buffered = buffered;
    for (int loop = 0; loop < 4; ++loop) {
        piece.stride[loop] = block.stride[loop];
        piece.count[loop] = static_cast<unsigned>(block.count[loop]);
    }
    piece.value_size = block.value_size;
    piece.list = block.list;
    piece.first_offset = static_cast<int>(offsets.size());
    offsets.insert(offsets.end(), block.offsets.begin(), block.offsets.end());
    piece.negated = static_cast<int>(block.negated);
    return piece;
}

// Brings values to the device and returns where they lie. Blocks until they are there.
template <class Value>
DeviceMemory on_device(DeviceArrays& arrays, const std::vector<Value>& values) {
    const Device& device = arrays.device();
    const std::size_t bytes = values.size() * sizeof(Value);
    DeviceMemory there = device.allocate(bytes);
    if (bytes == 0) return there;
    const DeviceMemory pinned = device.allocate_pinned(bytes);
    const DeviceEvent copied = device.make_event();
    std::memcpy(pinned.get(), values.data(), bytes);
    device.copy(there.get(), pinned.get(), bytes, arrays.order().stream());
    device.record(copied, arrays.order().stream());
    device.wait_for(copied);
    return there;
}

}  // namespace

Index buffered_bytes(const BoundMessage& message) {
    Index bytes = 0;
    for (const StridedBlock& piece : message.pieces) bytes += round_up(piece.bytes(), aligned);
    return round_up(bytes, line);
}

PieceTable::PieceTable(DeviceArrays& arrays, std::span<const BoundMessage> messages, std::span<const Index> begins) {
    std::vector<DevicePiece> pieces;
    std::vector<DeviceInteger> offsets;
    for (std::size_t m = 0; m < messages.size(); ++m) {
        Index at = begins[m];
        for (const StridedBlock& block : messages[m].pieces) {
            most_ = std::max(most_, values_of(block));
            pieces.push_back(piece_of(merged(block), arrays, at, offsets));
            at += round_up(block.bytes(), aligned);
        }
    }
    count_ = static_cast<int>(pieces.size());
    pieces_ = on_device(arrays, pieces);
    offsets_ = on_device(arrays, offsets);
}

void PieceTable::launch(DeviceArrays& arrays, std::byte* buffer, bool packs) const {
    const DeviceMove move{reinterpret_cast<const DevicePiece*>(pieces_.get()),
                          reinterpret_cast<const DeviceInteger*>(offsets_.get()), arrays.table(),
                          reinterpret_cast<char*>(buffer), packs ? 1 : 0};
    arrays.device().move(move, count_, most_, arrays.order().stream());
}

}  // namespace lapwing
