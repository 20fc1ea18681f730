#pragma once
// Strided blocks in memory of their own, and the values of a block one after the other, for tests.

#include "lapwing/memory/strided_block.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "random_numbers.hpp"

namespace lapwing::testing {

// A block of T: any loop fastest, rows padded, any direction; loop `list`, if any, over every second or so of its
// places.
template <class T>
struct Strided {
    std::vector<T> memory;
    StridedBlock block;

    Strided(Random& random, const std::array<Index, 4>& count, int list = -1) {
        std::array<int, 4> loops{0, 1, 2, 3};
        for (std::size_t n = 3; n > 0; --n) {
            std::swap(loops[n], loops[random.between(0, static_cast<int>(n))]);
        }
        block.value_size = sizeof(T);
        block.count = count;
        block.list = list;
        Index stride = random.coin() ? 1 : random.between(1, 3);
        Index first = 0;
        for (int loop : loops) {
            const auto size = static_cast<Index>(sizeof(T));
            const bool backwards = random.between(0, 3) == 0;
            Index places = count[loop];
            block.stride[loop] = (backwards ? -stride : stride) * size;
            if (loop == list) {
                places = 0;
                for (Index n = 0; n < count[loop]; ++n) {
                    places += random.coin() ? 1 : 0;
                    block.offsets.push_back(places++ * block.stride[loop]);
                }
                block.stride[loop] = 0;
            }
            if (backwards) first += stride * (places - 1);
            stride *= places + (random.coin() ? random.between(0, 2) : 0);
        }
        memory.resize(stride + 1, T(-1));
        block.data = reinterpret_cast<std::byte*>(memory.data() + first);
    }
    Strided(const Strided& other) : memory(other.memory), block(other.block) {
        block.data = reinterpret_cast<std::byte*>(memory.data()) + (other.block.data - other.begin());
    }
    Strided(Strided&& other) noexcept = default;
    Strided& operator=(const Strided&) = delete;

    [[nodiscard]] const std::byte* begin() const { return reinterpret_cast<const std::byte*>(memory.data()); }
    [[nodiscard]] std::size_t values() const { return block.bytes() / sizeof(T); }

    T& at(const std::array<Index, 4>& n) {
        Index bytes = 0;
        for (int a = 0; a < 4; ++a) {
            bytes += a == block.list ? block.offsets[n[a]] : n[a] * block.stride[a];
        }
        return *reinterpret_cast<T*>(block.data + bytes);
    }

    // Calls visit(value) in wire order: loop 0 fastest.
    template <class Visit>
    void each(Visit&& visit) {
        for (Index l = 0; l < block.count[3]; ++l)
            for (Index k = 0; k < block.count[2]; ++k)
                for (Index j = 0; j < block.count[1]; ++j)
                    for (Index i = 0; i < block.count[0]; ++i) visit(at({i, j, k, l}));
    }

    // first, first + 1, ... in wire order
    void number_from(T first) {
        each([&](T& value) { value = first++; });
    }
};

inline std::array<Index, 4> random_count(Random& random) {
    std::array<Index, 4> count;
    for (auto& n : count) n = random.between(1, 4);
    if (random.coin()) count[random.between(0, 3)] = random.between(1, 40);
    return count;
}

// The number of a loop, or -1 for none.
inline int random_list(Random& random) { return std::max(-1, random.between(-4, 3)); }

}  // namespace lapwing::testing
