#pragma once
// The order in which kernels of tracers go through layered fields: rows along the fastest axis, x or the levels, in
// planes.

#include <algorithm>
#include <cstddef>

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// Values of planes of rows: row r of plane p begins at (p, r).
template <class T>
struct Rows {
    T* first = nullptr;
    Index plane_step = 0, row_step = 0;
    T* operator()(Index plane, Index row) const { return first + plane * plane_step + row * row_step; }
};

// The fastest axis, and the number of levels of the fields, which no box cuts.
struct Layers {
    Index count = 1;
    bool fastest = false;  // the levels are, else x

    // Axes along which planes and rows follow each other.
    [[nodiscard]] std::size_t plane_axis() const { return fastest ? 1 : 2; }
    [[nodiscard]] std::size_t row_axis() const { return fastest ? 0 : 1; }
    // The axis along which the cells of a row do.
    [[nodiscard]] std::size_t cell_axis() const { return fastest ? 2 : 0; }
    // The first cell of row r of plane p, counted from the first cells of `first`.
    [[nodiscard]] lapwing::Index3 cell(lapwing::Index3 first, Index p, Index r) const {
        first[plane_axis()] += p;
        first[row_axis()] += r;
        return first;
    }
};

// Returns the rows that begin at `cell`.
template <class T>
Rows<T> rows_at(const Layers& layers, const View<T>& view, const lapwing::Index3& cell) {
    T& first = view(cell[0], cell[1], cell[2]);
    const auto step_along = [&](std::size_t axis) {
        lapwing::Index3 next = cell;
        ++next[axis];
        return &view(next[0], next[1], next[2]) - &first;
    };
    return {&first, step_along(layers.plane_axis()), step_along(layers.row_axis())};
}

// The cell `steps` further along the axis; the column ends at its surface and its bottom.
inline lapwing::Index3 moved(const Layers& layers, lapwing::Index3 cell, Axis axis, Index steps) {
    cell[axis] += steps;
    if (axis == lapwing::z) cell[2] = std::clamp<lapwing::Index>(cell[2], 0, layers.count - 1);
    return cell;
}

// The cell whose upper interface is the lower one of `cell`. Nothing flows through the bottom, as nothing does through
// the surface, which stands for it.
inline lapwing::Index3 before(const Layers& layers, lapwing::Index3 cell, Axis axis) {
    if (axis == lapwing::z && cell[2] == 0) return {cell[0], cell[1], layers.count - 1};
    return moved(layers, cell, axis, -1);
}

// The columns of a horizontal box, all levels.
inline Box columns_of(const Layers& layers, Box box) {
    box.lo[2] = 0;
    box.hi[2] = layers.count;
    return box;
}

// Calls work(first cell, planes, rows of each, their length) for the cells of `box`: at once for levels whose cells
// have all neighbours along `axis` at the same distance; those near the ends of a column, where the axis is the
// vertical, are alone.
template <class Work>
void for_planes(const Layers& layers, Axis axis, const Box& box, Work&& work) {
    const auto alike = [&](Index k, Index end) {
        if (k >= end) return;
        const lapwing::Index3 first{box.lo[0], box.lo[1], k};
        if (layers.fastest) {
            work(first, box.size(1), box.size(0), end - k);
        } else {
            work(first, end - k, box.size(1), box.size(0));
        }
    };
    const Index edge = axis == lapwing::z ? 2 : 0;
    const Index low = std::clamp(edge, box.lo[2], box.hi[2]);
    const Index high = std::clamp(layers.count - edge, low, box.hi[2]);
    for (Index k = box.lo[2]; k < low; ++k) alike(k, k + 1);
    alike(low, high);
    for (Index k = high; k < box.hi[2]; ++k) alike(k, k + 1);
}

// Calls work(box) for parts of the columns of `box`, from the bottom up and as they follow each other in memory, small
// enough for the values of several fields to stay in the nearest caches.
template <class Work>
void for_parts(const Layers& layers, const Box& box, Work&& work) {
    constexpr Index rows = 4;
    if (layers.fastest) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; i += rows)
                work(Box{{i, j, 0}, {std::min(i + rows, box.hi[0]), j + 1, layers.count}});
        return;
    }
    for (Index k = 0; k < layers.count; ++k)
        for (Index j = box.lo[1]; j < box.hi[1]; j += rows)
            work(Box{{box.lo[0], j, k}, {box.hi[0], std::min(j + rows, box.hi[1]), k + 1}});
}

}  // namespace lapwing_coast
