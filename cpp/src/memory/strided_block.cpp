#include "lapwing/memory/strided_block.hpp"

#include <cstdint>
#include <cstring>

#include "memory/copies/loop_nest.hpp"

namespace lapwing {

StridedBlock merged(StridedBlock block) {
    // Loops of one turn carry no meaning: drop them, then join a loop to the inner loop if its stride is just the
    // length of the inner loop.
    StridedBlock out{block.data, block.value_size, {1, 1, 1, 1}, {block.value_size, 0, 0, 0}};
    out.offsets = std::move(block.offsets);
    out.memory = block.memory;
    out.negated = block.negated;
    int used = 0;
    for (int axis = 0; axis < 4; ++axis) {
        if (block.count[axis] == 1 && axis != block.list) continue;
        const int inner = used - 1;
        const bool listed = axis == block.list || (used > 0 && inner == out.list);
        if (used > 0 && !listed && block.stride[axis] == out.stride[inner] * out.count[inner]) {
            out.count[inner] *= block.count[axis];
        } else {
            if (axis == block.list) out.list = used;
            out.count[used] = block.count[axis];
            out.stride[used] = block.stride[axis];
            ++used;
        }
    }
    return out;
}

namespace {

// Bytes from the begin of a block to turn `n` of one of its loops.
Index at(const StridedBlock& block, int axis, Index n) {
    return axis == block.list ? block.offsets[n] : n * block.stride[axis];
}

// Values in the buffer need not be aligned: a piece of 8-byte values may follow an odd number of 4-byte ones.
template <class T>
void add_run(std::byte* to, const std::byte* from, Index count, Index stride) {
    for (Index i = 0; i < count; ++i) {
        T arrived, here;
        std::memcpy(&arrived, from + i * static_cast<Index>(sizeof(T)), sizeof(T));
        std::memcpy(&here, to + i * stride, sizeof(T));
        here += arrived;
        std::memcpy(to + i * stride, &here, sizeof(T));
    }
}

// Adds the values of a buffer in wire order.
template <class T>
void add_values(const StridedBlock& to, const std::byte* buffer) {
    const Index run = to.list == 0 ? 1 : to.count[0], runs = to.count[0] / run;
    for (Index l = 0; l < to.count[3]; ++l) {
        for (Index k = 0; k < to.count[2]; ++k) {
            for (Index j = 0; j < to.count[1]; ++j) {
                std::byte* row = to.data + at(to, 3, l) + at(to, 2, k) + at(to, 1, j);
                for (Index r = 0; r < runs; ++r, buffer += run * static_cast<Index>(sizeof(T))) {
                    add_run<T>(row + (to.list == 0 ? at(to, 0, r) : 0), buffer, run, to.stride[0]);
                }
            }
        }
    }
}

// Value by value, so that lists need no memory: a CopyList prepares them.
void copy_values(const StridedBlock& from, const StridedBlock& to) {
    const std::size_t size = from.value_size;
    const Index* const count = from.count.data();
    for (Index l = 0; l < count[3]; ++l) {
        for (Index k = 0; k < count[2]; ++k) {
            for (Index j = 0; j < count[1]; ++j) {
                const std::byte* in = from.data + at(from, 3, l) + at(from, 2, k) + at(from, 1, j);
                std::byte* out = to.data + at(to, 3, l) + at(to, 2, k) + at(to, 1, j);
                for (Index i = 0; i < count[0]; ++i) std::memcpy(out + at(to, 0, i), in + at(from, 0, i), size);
            }
        }
    }
}

}  // namespace

void pack(const StridedBlock& from, std::byte* buffer) {
    if (from.bytes() > 0) run_nest<&LoopNest::forward>(nest_of(from, 0), buffer);
}

void unpack(const StridedBlock& to, const std::byte* buffer) {
    // only read: copies in both directions have one type
    if (to.bytes() > 0) run_nest<&LoopNest::backward>(nest_of(to, 0), const_cast<std::byte*>(buffer));
}

void unpack_add(const StridedBlock& to, const std::byte* buffer, bool integer) {
    if (to.bytes() == 0) return;
    if (to.value_size == 8) {
        integer ? add_values<std::int64_t>(to, buffer) : add_values<double>(to, buffer);
    } else if (to.value_size == 1) {
        add_values<bool>(to, buffer);
    } else {
        integer ? add_values<std::int32_t>(to, buffer) : add_values<float>(to, buffer);
    }
}

void copy(const StridedBlock& from, const StridedBlock& to) {
    if (from.bytes() == 0) return;
    if (from.list < 0 && to.list < 0) return run_nest<&LoopNest::forward>(nest_of(from, to, to.data), to.data);
    copy_values(from, to);
}

}  // namespace lapwing
