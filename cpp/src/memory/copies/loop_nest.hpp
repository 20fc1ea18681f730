#pragma once
// Two places in memory and the loops that walk both: the form in which every copy is run. Private to the library.

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lapwing/memory/strided_block.hpp"

namespace lapwing {

// One loop over both sides; steps in bytes.
struct Loop {
    Index count = 1;
    Index a = 0, b = 0;
};

// The runs of a copy in one call: `planes` times `rows` contiguous runs. Rows of an index list stand at a_list[row]
// instead of row * rows.a, if a_list is set, and similarly for b_list.
struct Shape {
    Index run = 0;  // bytes, contiguous on both sides
    Loop rows, planes;
    const Index* a_list = nullptr;
    const Index* b_list = nullptr;
    bool turned = false;  // true if the values of a run follow each other downwards on side b
    Negated negated = Negated::no;
    // True if runs are single values, rows contiguous on side a and planes on side b, so that squares of values move.
    bool transposed = false;
};

using CopyFunction = void (*)(std::byte* a, std::byte* b, const Shape& shape);

struct Copies {
    CopyFunction forward = nullptr, backward = nullptr;  // a to b, b to a
    CopyFunction outward = nullptr;                      // a to b, whose lines lie in the cache of another core
};

// Runs from here on are worth a string move each: shorter ones read the lines that they take over all the same.
constexpr Index worth_a_move = 4096;  // bytes

// Side a is memory; side b is memory too, or an offset in a buffer whose address comes with the call.
struct LoopNest : Copies {
    std::byte* a = nullptr;
    Index b = 0;  // bytes
    Shape shape;
    std::array<Loop, 2> outer;
    int a_memory = 0, b_memory = -1;  // numbers of their blocks; -1: a buffer

    [[nodiscard]] Index bytes() const {
        return shape.run * shape.rows.count * shape.planes.count * outer[0].count * outer[1].count;
    }
};

// The copies for a shape of values of `value_size` bytes. Local.
Copies copies_for(const Shape& shape, Index value_size);

// Returns the copies of a transposed shape. Local.
Copies transposing_copies_for(const Shape& shape);

// Loops of a block against its values one after the other from byte `offset` of a buffer on. The block's index list
// is referred to, not copied. Local.
LoopNest nest_of(const StridedBlock& block, Index offset);

// Loops of two blocks of equal counts without index lists; `b` counts from `base`. Local.
LoopNest nest_of(const StridedBlock& from, const StridedBlock& to, const std::byte* base);

// The same if either has an index list: the offsets that the nest refers to are put into `lists`, which must outlive
// it. Local.
LoopNest nest_of(const StridedBlock& from, const StridedBlock& to, const std::byte* base,
                 std::array<std::vector<Index>, 2>& lists);

// Returns the rows of the only plane in `planes` planes, and the rows left over (perhaps none). Only for as many rows
// or more, without an index list. Local.
std::pair<LoopNest, LoopNest> with_planes(const LoopNest& nest, Index planes);

// Returns how often the outermost loop of the nest turns that does so more than once; the planes if none does. Local.
Index turns(const LoopNest& nest);

// Runs a nest of at least one byte; `base` is where side b counts from.
template <CopyFunction Copies::* copy>
inline void run_nest(const LoopNest& nest, std::byte* base) {
    base += nest.b;
    for (Index m = 0; m < nest.outer[1].count; ++m) {
        for (Index n = 0; n < nest.outer[0].count; ++n) {
            (nest.*copy)(nest.a + m * nest.outer[1].a + n * nest.outer[0].a,
                         base + m * nest.outer[1].b + n * nest.outer[0].b, nest.shape);
        }
    }
}

}  // namespace lapwing
