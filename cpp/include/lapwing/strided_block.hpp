#pragma once
// Copies between strided memory and contiguous buffers: the innermost work of every transport.

#include <array>
#include <cstddef>

#include "lapwing/box.hpp"

namespace lapwing {

// Values of one piece in memory, loops merged as far as they run contiguously. count[0] is the
// fastest in the wire order.
struct StridedBlock {
    std::byte* data = nullptr;
    int value_size = 8;                      // bytes: 4 or 8
    std::array<Index, 4> count{1, 1, 1, 1};  // values
    std::array<Index, 4> stride{};           // bytes

    [[nodiscard]] Index bytes() const { return value_size * count[0] * count[1] * count[2] * count[3]; }
};

// The same block with neighbouring loops merged where memory and wire order allow it. Local.
StridedBlock merged(StridedBlock block);

// Memory to buffer and back; `buffer` has bytes() bytes. `add_from` adds, in the value's type.
void pack(const StridedBlock& from, std::byte* buffer);
void unpack(const StridedBlock& to, const std::byte* buffer);
void unpack_add(const StridedBlock& to, const std::byte* buffer, bool integer);

// Memory to memory; both have the same (unmerged) counts.
void copy(const StridedBlock& from, const StridedBlock& to);

}  // namespace lapwing
