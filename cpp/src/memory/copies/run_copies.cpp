// The innermost loops of every copy, one instance for each length of a short run and each way of finding rows.
#include <cstdint>
#include <cstring>
#include <utility>

#include "memory/copies/loop_nest.hpp"
#include "memory/copies/string_move.hpp"

namespace lapwing {

namespace {

constexpr int word = 4;                   // bytes: the smallest number
constexpr int short_words = 32;           // runs up to here have a copy of their own: 16 values of 8 bytes
constexpr int short_bytes = 3;            // runs of truth values as well
constexpr Index long_run = worth_a_move;  // bytes from which on memcpy's own choice of instructions pays for its call

enum class Rows { strided, list, lists };

struct LongRun {
    static void move(std::byte* to, const std::byte* from, Index bytes) { std::memcpy(to, from, bytes); }
};

// Blocks of a cache line; the last block overlaps the previous block instead of being shorter.
struct MediumRun {
    static constexpr Index block = 64;
    static void move(std::byte* to, const std::byte* from, Index bytes) {
        for (Index n = 0; n < bytes - block; n += block) std::memcpy(to + n, from + n, block);
        std::memcpy(to + bytes - block, from + bytes - block, block);
    }
};

struct MovedRun {
    static void move(std::byte* to, const std::byte* from, Index bytes) { string_move(to, from, bytes); }
};

// Values of a vector beyond a fold, of which runs are turned, change their sign or both. Memory may not be aligned: the
// compiler makes plain loads and stores of the copies of values.
template <class T, bool turned, bool negated>
struct FoldedRun {
    static void move(std::byte* to, const std::byte* from, Index bytes) {
        constexpr Index size = sizeof(T);
        const Index count = bytes / size;
        for (Index n = 0; n < count; ++n) {
            T value;
            std::memcpy(&value, from + (turned ? count - 1 - n : n) * size, size);
            if constexpr (negated) value = -value;
            std::memcpy(to + n * size, &value, size);
        }
    }
};

// The compiler turns a memcpy of known length into a few moves.
template <int Bytes>
struct ShortRun {
    static void move(std::byte* to, const std::byte* from, Index /*bytes*/) { std::memcpy(to, from, Bytes); }
};

template <class Run, Rows rows, bool forward>
void move_runs(std::byte* a, std::byte* b, const Shape& shape) {
    const Shape s = shape;  // a copy that bytes written below cannot change
    for (Index plane = 0; plane < s.planes.count; ++plane, a += s.planes.a, b += s.planes.b) {
#pragma GCC unroll 2
        for (Index row = 0; row < s.rows.count; ++row) {
            std::byte* at_a = a + (rows == Rows::strided ? row * s.rows.a : s.a_list[row]);
            std::byte* at_b = b + (rows == Rows::lists ? s.b_list[row] : row * s.rows.b);
            forward ? Run::move(at_b, at_a, s.run) : Run::move(at_a, at_b, s.run);
        }
    }
}

template <class Run, class Outward = Run>
Copies copies_of_run(const Shape& shape) {
    const auto of = []<Rows rows>() -> Copies {
        return {move_runs<Run, rows, true>, move_runs<Run, rows, false>, move_runs<Outward, rows, true>};
    };
    if (shape.b_list != nullptr) return of.template operator()<Rows::lists>();
    if (shape.a_list != nullptr) return of.template operator()<Rows::list>();
    return of.template operator()<Rows::strided>();
}

using Choice = Copies (*)(const Shape&);

// The copies of 1, 2, ... units of `Unit` bytes.
template <int Unit, int... Units>
constexpr std::array<Choice, sizeof...(Units)> short_choices(std::integer_sequence<int, Units...>) {
    return {copies_of_run<ShortRun<(Units + 1) * Unit>>...};
}

template <class T>
Copies folded_copies(const Shape& shape, bool negated) {
    if (!negated) return copies_of_run<FoldedRun<T, true, false>>(shape);
    return shape.turned ? copies_of_run<FoldedRun<T, true, true>>(shape)
                        : copies_of_run<FoldedRun<T, false, true>>(shape);
}

Copies folded_copies(const Shape& shape, Index value_size) {
    const bool negated = shape.negated != Negated::no;
    if (value_size == 1) return folded_copies<std::int8_t>(shape, false);  // truth values have no sign
    if (shape.negated == Negated::floats)
        return value_size == 8 ? folded_copies<double>(shape, negated) : folded_copies<float>(shape, negated);
    return value_size == 8 ? folded_copies<std::int64_t>(shape, negated) : folded_copies<std::int32_t>(shape, negated);
}

}  // namespace

Copies copies_for(const Shape& shape, Index value_size) {
    static constexpr auto of_words = short_choices<word>(std::make_integer_sequence<int, short_words>());
    static constexpr auto of_bytes = short_choices<1>(std::make_integer_sequence<int, short_bytes>());
    if (shape.transposed) return transposing_copies_for(shape);
    if (shape.turned || shape.negated != Negated::no) return folded_copies(shape, value_size);
    if (shape.run % word == 0 && shape.run <= short_words * word) return of_words[shape.run / word - 1](shape);
    if (shape.run <= short_bytes) return of_bytes[shape.run - 1](shape);
    if (shape.run < MediumRun::block) return copies_of_run<LongRun>(shape);
    return shape.run < long_run ? copies_of_run<MediumRun>(shape) : copies_of_run<LongRun, MovedRun>(shape);
}

}  // namespace lapwing
