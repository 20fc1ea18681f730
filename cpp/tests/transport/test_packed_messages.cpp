// The order in which the pieces of a message are put down.
#include "lapwing/transport/packed_messages.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace lapwing;

namespace {

constexpr Index row = 400;  // values

// `width` x `height` values of a plane, from column x of row y on.
StridedBlock block(std::vector<double>& plane, Index x, Index y, Index width, Index height) {
    StridedBlock piece;
    piece.data = reinterpret_cast<std::byte*>(plane.data() + y * row + x);
    piece.count = {width, height, 1, 1};
    piece.stride = {8, row * 8, 0, 0};
    return piece;
}

}  // namespace

TEST_CASE("pieces that overlap are put down in the order of the message") {
    // the first and the last lie side by side, so a walk over all would take them together
    std::vector<double> plane(row * 300);
    BoundMessage message{0, {}, {}, 0};
    message.pieces = {block(plane, 0, 0, 2, 300), block(plane, 0, 100, 4, 50), block(plane, 2, 0, 2, 300)};
    message.integer = {false, false, false};
    for (const StridedBlock& piece : message.pieces) message.bytes += piece.bytes();
    message.in_order = true;
    const PackedMessage packed(message);
    std::vector<std::byte> buffer(packed.padded_bytes());
    std::vector<double> want(plane.size());
    std::byte* at = buffer.data();
    double number = 0;
    for (const StridedBlock& piece : message.pieces) {
        number += 1;
        const Index first = (piece.data - reinterpret_cast<std::byte*>(plane.data())) / 8;
        for (Index j = 0; j < piece.count[1]; ++j) {
            for (Index i = 0; i < piece.count[0]; ++i, at += 8) {
                std::memcpy(at, &number, 8);
                want[first + j * row + i] = number;
            }
        }
    }
    packed.unpack(buffer.data(), Arrival::replace);
    REQUIRE(plane == want);
}
