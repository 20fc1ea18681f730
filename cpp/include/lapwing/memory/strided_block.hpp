#pragma once
// Copies between strided memory and contiguous buffers: the innermost work of every transport.

#include <array>
#include <cstddef>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// True, by the kind of number, if values change their sign where they arrive: components of vectors beyond a fold.
enum class Negated { no, floats, integers };

// Values of one piece in memory: four nested loops, count[0] the fastest in the wire order. Loop `list` of an
// index list runs over `offsets` instead of multiples of its stride; count[list] is their number.
struct StridedBlock {
    std::byte* data = nullptr;
    int value_size = 8;                      // bytes: 1, 4 or 8
    std::array<Index, 4> count{1, 1, 1, 1};  // values
    std::array<Index, 4> stride{};           // bytes
    int list = -1;                           // number of the loop over `offsets`; -1: none
    std::vector<Index> offsets{};            // bytes
    int memory = 0;                          // number of the block of a field that it lies in, counted over all fields
    Negated negated = Negated::no;           // changes the sign of what is written

    [[nodiscard]] Index bytes() const { return value_size * count[0] * count[1] * count[2] * count[3]; }
};

// The same values with neighbouring loops merged where memory and wire order allow it; an index list is left as it
// is. Local.
StridedBlock merged(StridedBlock block);

// Memory to buffer and back; `buffer` has bytes() bytes. `unpack_add` adds, in the value's type; of truth values either
// holds.
void pack(const StridedBlock& from, std::byte* buffer);
void unpack(const StridedBlock& to, const std::byte* buffer);
void unpack_add(const StridedBlock& to, const std::byte* buffer, bool integer);

// Memory to memory; both have the same (unmerged) counts.
void copy(const StridedBlock& from, const StridedBlock& to);

}  // namespace lapwing
