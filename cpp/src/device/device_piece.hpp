#pragma once
// One piece of a message in device memory, and the arithmetic that finds a value of it on both sides. The kernel of
// the driver and the fake device compile this header, so that tests without a device run the arithmetic of the kernel.

#if defined(__CUDACC__)
#define LAPWING_ON_DEVICE __host__ __device__
using DeviceInteger = long long;
#else
#include <cstdint>
#define LAPWING_ON_DEVICE
using DeviceInteger = std::int64_t;
#endif

namespace lapwing {

// The values of a piece: four nested loops over the memory of an array, count[0] the fastest, against values that
// follow each other in a buffer. Loop `list`, if there is one, runs over offsets instead of multiples of its stride.
struct DevicePiece {
    DeviceInteger place;      // bytes from the begin of its array to the first value
    DeviceInteger buffered;   // bytes from the begin of the buffer, a multiple of the value size
    DeviceInteger stride[4];  // bytes
    unsigned count[4];        // values; their product is below 2^31
    int array;                // number of its array
    int value_size;           // bytes: 4 or 8
    int list;                 // number of the loop over offsets; -1: none
    int first_offset;         // where the offsets of that loop begin among all offsets, in bytes
    int negated;              // 0: values are copied; 1: floats, 2: integers change their sign when unpacked
    int unused;
};

// The arguments of the kernel. All pointers are addresses of the device.
struct DeviceMove {
    const DevicePiece* pieces;
    const DeviceInteger* offsets;  // offsets of all lists, bytes
    char* const* arrays;           // where each array begins
    char* buffer;
    int packs;  // 1: from arrays to the buffer; 0: from the buffer to arrays
};

// Returns the number of values of a piece.
LAPWING_ON_DEVICE inline unsigned values_of(const DevicePiece& piece) {
    return piece.count[0] * piece.count[1] * piece.count[2] * piece.count[3];
}

// Returns the bytes from the begin of the array to value `n` of the piece in wire order.
LAPWING_ON_DEVICE inline DeviceInteger place_of(const DevicePiece& piece, const DeviceInteger* offsets, unsigned n) {
    DeviceInteger place = piece.place;
    for (int loop = 0; loop < 4; ++loop) {
        const unsigned turn = n % piece.count[loop];
        n /= piece.count[loop];
        place += loop == piece.list ? offsets[piece.first_offset + static_cast<int>(turn)]
                                    : static_cast<DeviceInteger>(turn) * piece.stride[loop];
    }
    return place;
}

// Copies a value of type `Bits`, which is as long as the value, and changes its sign if that is wanted.
template <class Bits>
LAPWING_ON_DEVICE inline void move_bits(const char* from, char* to, int negated) {
    constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
    Bits bits = *reinterpret_cast<const Bits*>(from);
    if (negated == 1) bits ^= sign;
    if (negated == 2) bits = Bits(0) - bits;
    *reinterpret_cast<Bits*>(to) = bits;
}

// Moves value `n` of a piece between its array, which begins at `array`, and the buffer.
LAPWING_ON_DEVICE inline void move_value(const DevicePiece& piece, const DeviceInteger* offsets, char* array,
                                         char* buffer, bool packs, unsigned n) {
    char* const there = array + place_of(piece, offsets, n);
    char* const packed = buffer + piece.buffered + static_cast<DeviceInteger>(n) * piece.value_size;
    const char* const from = packs ? there : packed;
    char* const to = packs ? packed : there;
    const int negated = packs ? 0 : piece.negated;
    piece.value_size == 8 ? move_bits<unsigned long long>(from, to, negated) : move_bits<unsigned>(from, to, negated);
}

}  // namespace lapwing
