#include "lapwing/strided_block.hpp"

#include <cstdint>
#include <cstring>

namespace lapwing {

StridedBlock merged(StridedBlock block) {
    if (block.list >= 0) return block;
    // Loops of one turn carry no meaning: drop them, then join a loop to the one inside it where
    // its stride is just the length of that one.
    StridedBlock out{block.data, block.value_size, {1, 1, 1, 1}, {block.value_size, 0, 0, 0}};
    int used = 0;
    for (int axis = 0; axis < 4; ++axis) {
        if (block.count[axis] == 1) continue;
        const int inner = used - 1;
        if (used > 0 && block.stride[axis] == out.stride[inner] * out.count[inner]) {
            out.count[inner] *= block.count[axis];
        } else {
            out.count[used] = block.count[axis];
            out.stride[used] = block.stride[axis];
            ++used;
        }
    }
    return out;
}

namespace {

// Calls row(pointer) for each innermost run of the block, in wire order.
template <class Row>
inline void for_rows(const StridedBlock& block, Row&& row) {
    for (Index l = 0; l < block.count[3]; ++l) {
        for (Index k = 0; k < block.count[2]; ++k) {
            std::byte* plane = block.data + l * block.stride[3] + k * block.stride[2];
            for (Index j = 0; j < block.count[1]; ++j) row(plane + j * block.stride[1]);
        }
    }
}

// Calls value(pointer) for each value of a block with an index list, in wire order.
template <class Value>
void for_listed(const StridedBlock& block, Value&& value) {
    const auto at = [&](int loop, Index turn) {
        return loop == block.list ? block.offsets[static_cast<std::size_t>(turn)] : turn * block.stride[loop];
    };
    for (Index l = 0; l < block.count[3]; ++l) {
        for (Index k = 0; k < block.count[2]; ++k) {
            for (Index j = 0; j < block.count[1]; ++j) {
                for (Index i = 0; i < block.count[0]; ++i)
                    value(block.data + at(0, i) + at(1, j) + at(2, k) + at(3, l));
            }
        }
    }
}

// Gathers `count` values `stride` bytes apart.
template <class T>
inline void gather_run(T* to, const std::byte* from, Index count, Index stride) {
    for (Index i = 0; i < count; ++i) std::memcpy(to + i, from + i * stride, sizeof(T));
}

template <class T>
inline void scatter_run(std::byte* to, const T* from, Index count, Index stride) {
    for (Index i = 0; i < count; ++i) std::memcpy(to + i * stride, from + i, sizeof(T));
}

template <class T>
void pack_values(const StridedBlock& from, std::byte* buffer) {
    if (from.list >= 0) {
        for_listed(from, [&](const std::byte* value) {
            std::memcpy(buffer, value, sizeof(T));
            buffer += sizeof(T);
        });
        return;
    }
    T* out = reinterpret_cast<T*>(buffer);
    const Index n = from.count[0], stride = from.stride[0];
    // Short runs (the two columns of a side halo) are the common case and want no call to memcpy.
    if (stride == sizeof(T) && n == 2) {
        for_rows(from, [&](const std::byte* row) {
            std::memcpy(out, row, 2 * sizeof(T));
            out += 2;
        });
    } else if (stride == sizeof(T)) {
        for_rows(from, [&](const std::byte* row) {
            std::memcpy(out, row, static_cast<std::size_t>(n) * sizeof(T));
            out += n;
        });
    } else {
        for_rows(from, [&](const std::byte* row) {
            gather_run(out, row, n, stride);
            out += n;
        });
    }
}

template <class T>
void unpack_values(const StridedBlock& to, const std::byte* buffer) {
    if (to.list >= 0) {
        for_listed(to, [&](std::byte* value) {
            std::memcpy(value, buffer, sizeof(T));
            buffer += sizeof(T);
        });
        return;
    }
    const T* in = reinterpret_cast<const T*>(buffer);
    const Index n = to.count[0], stride = to.stride[0];
    if (stride == sizeof(T) && n == 2) {
        for_rows(to, [&](std::byte* row) {
            std::memcpy(row, in, 2 * sizeof(T));
            in += 2;
        });
    } else if (stride == sizeof(T)) {
        for_rows(to, [&](std::byte* row) {
            std::memcpy(row, in, static_cast<std::size_t>(n) * sizeof(T));
            in += n;
        });
    } else {
        for_rows(to, [&](std::byte* row) {
            scatter_run(row, in, n, stride);
            in += n;
        });
    }
}

// Values in the buffer need not be aligned: a piece of 8-byte values may follow an odd number of 4-byte ones.
template <class T>
void add_values(const StridedBlock& to, const std::byte* buffer) {
    const auto add = [&](std::byte* value) {
        T arrived;
        std::memcpy(&arrived, buffer, sizeof(T));
        *reinterpret_cast<T*>(value) += arrived;
        buffer += sizeof(T);
    };
    if (to.list >= 0) return for_listed(to, add);
    for_rows(to, [&](std::byte* row) {
        for (Index i = 0; i < to.count[0]; ++i) add(row + i * to.stride[0]);
    });
}

// Calls row(from, to) for each pair of innermost runs of two blocks with equal counts.
template <class Row>
inline void for_row_pairs(const StridedBlock& from, const StridedBlock& to, Row&& row) {
    for (Index l = 0; l < from.count[3]; ++l) {
        for (Index k = 0; k < from.count[2]; ++k) {
            const std::byte* in = from.data + l * from.stride[3] + k * from.stride[2];
            std::byte* out = to.data + l * to.stride[3] + k * to.stride[2];
            for (Index j = 0; j < from.count[1]; ++j, in += from.stride[1], out += to.stride[1]) row(in, out);
        }
    }
}

template <class T>
void copy_values(const StridedBlock& from, const StridedBlock& to) {
    if (from.list >= 0) {
        std::vector<std::byte> values(static_cast<std::size_t>(from.bytes()));
        pack_values<T>(from, values.data());
        return unpack_values<T>(to, values.data());
    }
    const Index n = from.count[0];
    const bool contiguous = from.stride[0] == sizeof(T) && to.stride[0] == sizeof(T);
    if (contiguous && n == 2) {
        for_row_pairs(from, to, [](const std::byte* in, std::byte* out) { std::memcpy(out, in, 2 * sizeof(T)); });
    } else if (contiguous) {
        const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
        for_row_pairs(from, to, [=](const std::byte* in, std::byte* out) { std::memcpy(out, in, bytes); });
    } else {
        for_row_pairs(from, to, [&](const std::byte* in, std::byte* out) {
            for (Index i = 0; i < n; ++i) std::memcpy(out + i * to.stride[0], in + i * from.stride[0], sizeof(T));
        });
    }
}

}  // namespace

void pack(const StridedBlock& from, std::byte* buffer) {
    from.value_size == 8 ? pack_values<std::uint64_t>(from, buffer) : pack_values<std::uint32_t>(from, buffer);
}

void unpack(const StridedBlock& to, const std::byte* buffer) {
    to.value_size == 8 ? unpack_values<std::uint64_t>(to, buffer) : unpack_values<std::uint32_t>(to, buffer);
}

void unpack_add(const StridedBlock& to, const std::byte* buffer, bool integer) {
    if (to.value_size == 8) {
        integer ? add_values<std::int64_t>(to, buffer) : add_values<double>(to, buffer);
    } else {
        integer ? add_values<std::int32_t>(to, buffer) : add_values<float>(to, buffer);
    }
}

void copy(const StridedBlock& from, const StridedBlock& to) {
    from.value_size == 8 ? copy_values<std::uint64_t>(from, to) : copy_values<std::uint32_t>(from, to);
}

}  // namespace lapwing
