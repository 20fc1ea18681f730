#pragma once
// Rows of cells in vectors, and fetches of memory before a kernel needs it.

#include <type_traits>

#include "lapwing/grid/box.hpp"

namespace lapwing_coast {

using lapwing::Index;

// Calls work(first, count) for parts of a row, each with a constant count that fills vectors, so that what is left over
// at the end of a row is no loop over single cells. Local.
template <class Work>
[[gnu::always_inline]] inline void for_vectors(Index length, Work&& work) {
    Index first = 0;
    for (; first + 8 <= length; first += 8) work(first, std::integral_constant<Index, 8>{});
    if (length & 4) work(first, std::integral_constant<Index, 4>{});
    if (length & 2) work(first + (length & 4), std::integral_constant<Index, 2>{});
    if (length & 1) work(length - 1, std::integral_constant<Index, 1>{});
}

// The distance at which kernels ask memory ahead of what they compute: memory takes as long to answer as they take for
// that many values of consecutive rows, or that many layers of columns.
inline constexpr Index values_ahead = 256, layers_ahead = 4;

// Asks memory for what comes `values_ahead` after `count` values of each row, without waiting. A processor looks ahead
// by itself, but only over a few vectors of a kernel that computes much: then the times of arithmetic and of memory add
// up. Name the rows that are furthest ahead in their fields, also those that are written. There may be nothing at that
// address; in narrow boxes the next row is elsewhere. Local.
template <class... Values>
[[gnu::always_inline]] inline void fetch(Index first, Index count, const Values*... rows) {
    if (first + count < 8) return;
    (__builtin_prefetch(rows + first + values_ahead), ...);
}

// Prefetches the rows of a layer, of that many columns, that a kernel will reach. Local.
template <class... Values>
[[gnu::always_inline]] inline void fetch_layer(Index columns, const Values*... rows) {
    for (Index first = 0; first < columns; first += 8) (__builtin_prefetch(rows + first), ...);
}

}  // namespace lapwing_coast
