#include "memory/sign_change.hpp"

#include <cstdint>
#include <utility>

namespace lapwing {

namespace {

// The same values with every loop upwards in memory.
StridedBlock upwards(StridedBlock block) {
    for (std::size_t loop = 0; loop < block.count.size(); ++loop) {
        if (block.stride[loop] >= 0 || static_cast<int>(loop) == block.list) continue;
        block.data += (block.count[loop] - 1) * block.stride[loop];
        block.stride[loop] = -block.stride[loop];
    }
    return merged(std::move(block));
}

Index at(const StridedBlock& block, int loop, Index n) {
    return loop == block.list ? block.offsets[n] : n * block.stride[loop];
}

template <class T>
void negate_run(std::byte* first, Index count, Index stride) {
    T* const values = reinterpret_cast<T*>(first);
    if (stride == static_cast<Index>(sizeof(T))) {
        for (Index n = 0; n < count; ++n) values[n] = -values[n];
    } else {
        const Index step = stride / static_cast<Index>(sizeof(T));
        for (Index n = 0; n < count; ++n) values[n * step] = -values[n * step];
    }
}

template <class T>
void negate(const StridedBlock& block) {
    const bool listed = block.list == 0;
    const Index run = listed ? 1 : block.count[0], runs = block.count[0] / run;
    for (Index l = 0; l < block.count[3]; ++l) {
        for (Index k = 0; k < block.count[2]; ++k) {
            for (Index j = 0; j < block.count[1]; ++j) {
                std::byte* const row = block.data + at(block, 3, l) + at(block, 2, k) + at(block, 1, j);
                for (Index r = 0; r < runs; ++r)
                    negate_run<T>(row + (listed ? at(block, 0, r) : 0), run, block.stride[0]);
            }
        }
    }
}

}  // namespace

SignChange::SignChange(std::span<const StridedBlock> pieces) {
    for (const StridedBlock& piece : pieces)
        if (piece.negated != Negated::no && piece.bytes() > 0) blocks_.push_back(upwards(piece));
}

void SignChange::run() const {
    for (const StridedBlock& block : blocks_) {
        const bool integers = block.negated == Negated::integers;
        if (block.value_size == 8) {
            integers ? negate<std::int64_t>(block) : negate<double>(block);
        } else {
            integers ? negate<std::int32_t>(block) : negate<float>(block);
        }
    }
}

}  // namespace lapwing
