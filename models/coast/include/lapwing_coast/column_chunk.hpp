#pragma once
// Columns of water side by side, as the kernels of the vertical take them: a few at a time, from the bottom (layer 0)
// to the surface.

#include <algorithm>
#include <optional>

#include <lapwing/box.hpp>
#include <lapwing/field.hpp>

namespace lapwing_coast {

// Columns that a kernel takes at once: enough to fill the vectors, few enough for a column's workspace to stay in the
// nearest cache. Results do not depend on it.
inline constexpr lapwing::Index chunk_columns = 32;

// Values of columns side by side: those of layer k begin at [k], one column after the other.
template <class T>
struct Layers {
    T* first = nullptr;
    lapwing::Index step = 0;  // values from a layer to the one above
    T* operator[](lapwing::Index k) const { return first + k * step; }
};

// The columns of a field with levels from cell (i, j) on; T is double or const double. Local.
template <class T = const double>
Layers<T> layers_at(const lapwing::View<double>& view, lapwing::Index i, lapwing::Index j) {
    return {view.row(j) + i, view.row(j, 1) - view.row(j, 0)};
}

// A quantity at the surface or the bottom: a number for all columns, or a field without levels.
struct ColumnForcing {
    std::optional<lapwing::View<double>> field;  // at cell centres
    double everywhere = 0;                       // where there is no field

    // Writes the values of cells (i, j) to (i + columns - 1, j) to `row`. Local.
    void fill(lapwing::Index i, lapwing::Index j, lapwing::Index columns, double* row) const {
        if (field) {
            std::copy_n(field->row(j) + i, columns, row);
        } else {
            std::fill_n(row, columns, everywhere);
        }
    }
};

// Calls work(i, j, columns) for each chunk of the rows of `box`, from cell (i, j) on. Local.
template <class Work>
void for_chunks(const lapwing::Box& box, Work&& work) {
    for (lapwing::Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (lapwing::Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns)
            work(i, j, std::min(chunk_columns, box.hi[0] - i));
}

}  // namespace lapwing_coast
