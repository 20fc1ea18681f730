#pragma once
// Pieces of rows that kernels take at once, all layers of a piece before the next.

#include <algorithm>
#include <array>

#include "lapwing/grid/box.hpp"

namespace lapwing_weather {

// Columns of a piece. Results do not depend on it.
inline constexpr lapwing::Index chunk_columns = 64;

// A value for each of them, on whole lines of the cache.
struct alignas(64) Row : std::array<double, chunk_columns> {};

// Calls work(i, j, n) for each piece: n columns of row j, from column i on.
template <class Work>
void for_chunks(const lapwing::Box& box, Work&& work) {
    for (lapwing::Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (lapwing::Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns)
            work(i, j, std::min(chunk_columns, box.hi[0] - i));
}

}  // namespace lapwing_weather
