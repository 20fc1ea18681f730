#pragma once
// Pieces of rows that kernels take at once, and the order in which they take them.

#include <algorithm>
#include <array>
#include <type_traits>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing_weather {

// Columns of a piece, at most. Results do not depend on it.
inline constexpr lapwing::Index chunk_columns = 256;

// Values of a line of the cache, and of the widest vector.
inline constexpr lapwing::Index line_values = 8;

// A value for each column of a piece, on whole lines; one line more, so that several do not fall on the same ones.
struct alignas(64) Row : std::array<double, chunk_columns + line_values> {};

// Calls work(i, j, n) for each piece: n columns of row j, from column i on. The pieces of a row are about as long.
template <class Work>
void for_chunks(const lapwing::Box& box, Work&& work) {
    using lapwing::Index;
    const Index pieces = std::max<Index>(1, (box.size(0) + chunk_columns - 1) / chunk_columns);
    const Index lines = (box.size(0) + pieces * line_values - 1) / (pieces * line_values);
    const Index columns = std::max<Index>(1, lines) * line_values;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; i += columns) work(i, j, std::min(columns, box.hi[0] - i));
}

// Layers of a slab: the rows that one row of that many layers shares with the next row stay in the second cache.
inline constexpr int slab_layers = 10;

// n columns from column i on of row j in layer k, and the row and layer after these.
struct Piece {
    lapwing::Index i, n, j;
    int k;
    lapwing::Index next_j;
    int next_k;
};

// Calls begin(i, j, n), then work(piece) layer by layer, for each piece of a slab; one slab after the other.
template <class Begin, class Work>
void for_slabs(const lapwing::Box& box, int levels, Begin&& begin, Work&& work) {
    for (int first = 0; first < levels; first += slab_layers) {
        const int end = std::min(first + slab_layers, levels);
        for_chunks(box, [&](lapwing::Index i, lapwing::Index j, lapwing::Index n) {
            begin(i, j, n);
            for (int k = first; k + 1 < end; ++k) work(Piece{i, n, j, k, j, k + 1});
            work(Piece{i, n, j, end - 1, j + 1, first});
        });
    }
}

// Asks for what the next piece needs of a field, `rows` rows further on, while this one is computed: by itself the
// processor follows fewer rows than kernels read, and none to another page. Changes no value; places beyond the field
// are passed over.
template <class T>
[[gnu::always_inline]] inline void fetch_next(const lapwing::View<T>& field, const Piece& piece,
                                              lapwing::Index rows = 0) {
    const T* row = field.row(piece.next_j + rows, piece.next_k) + piece.i;
    for (lapwing::Index m = 0; m < piece.n; m += line_values) __builtin_prefetch(row + m, !std::is_const_v<T>);
}

}  // namespace lapwing_weather
