// Copies whose fastest axis is another one on each side: by squares of values that are transposed in registers, so that
// whole cache lines are read and written. Value by value they take 20 to 40 times as long.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "memory/copies/loop_nest.hpp"

namespace lapwing {

namespace {

constexpr int side = 8;  // values along a square: a cache line of 8-byte ones

// If the lines of one side are this much further apart than the other's, squares follow each other along the lines of
// that side: each is on a page of its own, and often in the same set of a cache.
constexpr Index far_apart = 8;

// Eight values that the compiler keeps in one register, or in as few as the processor has room for.
template <class T>
struct Line {
    using Type [[gnu::vector_size(side * sizeof(T))]] = T;
};

// Values (r, p) of a square from r contiguous to p contiguous; lines are `to_step` and `from_step` bytes apart.
template <class T>
inline void move_square(std::byte* to, const std::byte* from, Index to_step, Index from_step) {
    using V = typename Line<T>::Type;
    V even[side], odd[side];  // the square before and after every other step
    for (int p = 0; p < side; ++p) std::memcpy(&even[p], from + p * from_step, sizeof(V));
    for (int p = 0; p < side; p += 2) {
        odd[p] = __builtin_shufflevector(even[p], even[p + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        odd[p + 1] = __builtin_shufflevector(even[p], even[p + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (const int p : {0, 1, 4, 5}) {
        even[p] = __builtin_shufflevector(odd[p], odd[p + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        even[p + 2] = __builtin_shufflevector(odd[p], odd[p + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int p = 0; p < side / 2; ++p) {
        odd[p] = __builtin_shufflevector(even[p], even[p + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        odd[p + 4] = __builtin_shufflevector(even[p], even[p + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int r = 0; r < side; ++r) std::memcpy(to + r * to_step, &odd[r], sizeof(V));
}

// `from` has rows contiguous, planes `from_step` apart; `to` has planes contiguous, rows `to_step` apart.
template <class T>
void transpose(std::byte* to, const std::byte* from, Index rows, Index planes, Index to_step, Index from_step) {
    constexpr Index size = sizeof(T);
    const Index whole_rows = rows / side * side, whole_planes = planes / side * side;
    const auto square = [&](Index r, Index p) {
        move_square<T>(to + r * to_step + p * size, from + p * from_step + r * size, to_step, from_step);
    };
    if (std::abs(from_step) >= far_apart * std::abs(to_step)) {
        for (Index p = 0; p < whole_planes; p += side) {
            for (Index r = 0; r < whole_rows; r += side) square(r, p);
        }
    } else {
        for (Index r = 0; r < whole_rows; r += side) {
            for (Index p = 0; p < whole_planes; p += side) square(r, p);
        }
    }
    for (Index r = 0; r < rows; ++r) {  // the rest on both sides
        for (Index p = r < whole_rows ? whole_planes : 0; p < planes; ++p) {
            std::memcpy(to + r * to_step + p * size, from + p * from_step + r * size, size);
        }
    }
}

template <class T>
void forward(std::byte* a, std::byte* b, const Shape& shape) {
    transpose<T>(b, a, shape.rows.count, shape.planes.count, shape.rows.b, shape.planes.a);
}

template <class T>
void backward(std::byte* a, std::byte* b, const Shape& shape) {
    transpose<T>(a, b, shape.planes.count, shape.rows.count, shape.planes.a, shape.rows.b);
}

}  // namespace

Copies transposing_copies_for(const Shape& shape) {
    if (shape.run == 1) return {forward<std::uint8_t>, backward<std::uint8_t>, forward<std::uint8_t>};
    if (shape.run == 4) return {forward<std::uint32_t>, backward<std::uint32_t>, forward<std::uint32_t>};
    return {forward<std::uint64_t>, backward<std::uint64_t>, forward<std::uint64_t>};
}

}  // namespace lapwing
