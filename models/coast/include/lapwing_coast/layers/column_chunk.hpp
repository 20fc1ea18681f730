#pragma once
// Columns of water side by side, as the kernels of the vertical take them: a few at a time, from the bottom (layer 0)
// to the surface.

#include <algorithm>
#include <optional>

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/row_vectors.hpp"

namespace lapwing_coast {

// Columns that a kernel takes at once: enough to hide how long each waits for its layer below, and for whole lines of
// each layer's row; few enough for their workspace to stay in a near cache. Results do not depend on it.
inline constexpr Index chunk_columns = 64;
// Rows with fewer columns than this are taken several at once, which is worth copying them side by side and back.
inline constexpr Index gathered_below = 8;

// Values of rows of columns: (k) points to the values of layer k, one column after the other.
template <class T>
struct Layers {
    T* first = nullptr;
    Index layer_step = 0;  // values from a layer to the one above
    Index row_step = 0;    // and from a row to the next
    T* operator()(Index k, Index row = 0) const { return first + k * layer_step + row * row_step; }
    operator Layers<const T>() const { return {first, layer_step, row_step}; }
};

// The columns of a field with levels from cell (i, j) on. Local.
template <class T>
Layers<T> layers_at(const View<T>& view, Index i, Index j) {
    return {view.row(j) + i, view.row(j, 1) - view.row(j, 0), view.row(j + 1) - view.row(j)};
}

// Cells (i, j) to (i + columns - 1, j + rows - 1).
struct Chunk {
    Index i = 0, j = 0, columns = 0, rows = 1;
};

// Calls work(chunk) for all columns of `box`: along each row, and if less than `gathered_below` columns of it are left,
// columns of several rows at once. Local.
template <class Work>
void for_chunks(const Box& box, Work&& work) {
    const Index rest = box.size(0) % chunk_columns, narrow = rest < gathered_below ? rest : 0;
    const Index end = box.hi[0] - narrow, rows = narrow > 0 ? chunk_columns / narrow : 1;
    for (Index j = box.lo[1]; j < box.hi[1]; j += rows) {
        const Index rows_here = std::min(rows, box.hi[1] - j);
        for (Index row = j; row < j + rows_here; ++row)
            for (Index i = box.lo[0]; i < end; i += chunk_columns)
                work(Chunk{i, row, std::min(chunk_columns, end - i), 1});
        if (narrow > 0) work(Chunk{end, j, narrow, rows_here});
    }
}

// Copies `levels` layers of rows of that many columns. Local.
void copy_layers(const Layers<const double>& from, const Layers<double>& to, Index columns, Index rows, Index levels);

// A quantity at the surface: a number for all columns, or a field without levels.
struct ColumnForcing {
    std::optional<View<const double>> field{};  // at cell centres
    const double* everywhere = nullptr;         // where there is no field; null: 0

    // Writes the values of the cells of `chunk` to `out`, row after row. Local.
    void fill(const Chunk& chunk, double* out) const {
        for (Index row = 0; row < chunk.rows; ++row, out += chunk.columns) {
            if (field) {
                std::copy_n(field->row(chunk.j + row) + chunk.i, chunk.columns, out);
            } else {
                std::fill_n(out, chunk.columns, everywhere == nullptr ? 0.0 : *everywhere);
            }
        }
    }
};

}  // namespace lapwing_coast
