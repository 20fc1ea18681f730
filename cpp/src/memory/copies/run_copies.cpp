// The innermost loops of every copy, one instance for each length of a short run and each way of finding rows.
#include <cstring>
#include <utility>

#include "memory/copies/loop_nest.hpp"
#include "memory/copies/string_move.hpp"

namespace lapwing {

namespace {

constexpr int word = 4;                   // bytes: the smallest value
constexpr int short_words = 32;           // runs up to here have a copy of their own: 16 values of 8 bytes
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

// The compiler turns a memcpy of known length into a few moves.
template <int Words>
struct ShortRun {
    static void move(std::byte* to, const std::byte* from, Index /*bytes*/) { std::memcpy(to, from, Words * word); }
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

template <int... Words>
constexpr std::array<Choice, sizeof...(Words)> short_choices(std::integer_sequence<int, Words...>) {
    return {copies_of_run<ShortRun<Words + 1>>...};
}

}  // namespace

Copies copies_for(const Shape& shape) {
    static constexpr auto of_words = short_choices(std::make_integer_sequence<int, short_words>());
    if (shape.transposed) return transposing_copies_for(shape);
    if (shape.run <= short_words * word) return of_words[shape.run / word - 1](shape);
    return shape.run < long_run ? copies_of_run<MediumRun>(shape) : copies_of_run<LongRun, MovedRun>(shape);
}

}  // namespace lapwing
