#pragma once
// The work of `lapwing bench exchange`, and the arrays of one method for it: filled, rewritten at the edges and
// checked alike for all methods.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "memory/strided_copy.hpp"

namespace lapwing::bench {

// `fields` float64 fields of nx x ny cells per rank and `levels` levels (0: a 2D field), halo `width`,
// corners, both axes periodic, blocks[0] x blocks[1] ranks, x varying fastest.
struct ExchangeWork {
    int nx = 60, ny = 60;
    int levels = 0;
    int fields = 1;
    int width = 2;
    std::array<int, 2> blocks{1, 1};
    bool levels_fastest = false;  // in memory; else x

    [[nodiscard]] int layers() const { return levels > 0 ? levels : 1; }
    [[nodiscard]] int size(int axis) const { return axis == 0 ? nx : ny; }
    // Cells of one rank with the halo of one field, all levels.
    [[nodiscard]] Index3 allocated() const { return {nx + 2 * width, ny + 2 * width, layers()}; }
    // Bytes that arrive in the halos of one rank in one exchange.
    [[nodiscard]] Index halo_bytes() const;
    // Values between neighbours in x, y and z of an array with halo in the work's own order.
    [[nodiscard]] Index3 strides() const;
    // Place of a rank among the blocks, and who stands `dx`, `dy` blocks away, around the edge too.
    [[nodiscard]] std::array<int, 2> place_of(int rank) const { return {rank % blocks[0], rank / blocks[0]}; }
    [[nodiscard]] int neighbour_of(int rank, int dx, int dy) const;
};

// Makes the compiler compute a number that nobody needs, and what it is read from.
inline void keep_read(std::uint64_t read) { asm volatile("" ::"r"(read)); }

// One array of doubles with halo per field. Cell (0, 0, 0) is the first owned one; indices of halo cells are
// negative, or nx, ny and more.
class WorkArrays {
  public:
    // Allocates arrays in the order of the work, 64-byte aligned, zeroed.
    explicit WorkArrays(const ExchangeWork& work);
    // Takes arrays that somebody else holds: `origins` are the addresses of cells (0, 0, 0), `strides` in values.
    WorkArrays(const ExchangeWork& work, std::vector<double*> origins, const Index3& strides);

    [[nodiscard]] const ExchangeWork& work() const { return work_; }
    [[nodiscard]] const Index3& strides() const { return strides_; }
    [[nodiscard]] double* at(int field, Index i, Index j, Index k = 0) const {
        return origins_[field] + i * strides_[0] + j * strides_[1] + k * strides_[2];
    }
    [[nodiscard]] double* at(int field, const Index3& cell) const { return at(field, cell[0], cell[1], cell[2]); }

    // Stands for what a model does between exchanges with their cells: reads the halos, a value of each line, and
    // rewrites the owned cells that a neighbour reads. Without fresh edges the data of an exchange would never leave
    // the cache of the core that wrote them, and without a reader neither.
    void touch() const;

    // Owned cells get numbers that name field, level and global place, halo cells get NaN.
    void fill(int rank) const;
    // Cells, halo included, that do not hold what they should after an exchange of filled arrays that were touched so
    // often.
    [[nodiscard]] Index wrong_cells(int rank, Index touches) const;

  private:
    // Calls visit(value, number, i, j) for every cell of every field: the number names its place.
    template <class Visit>
    void for_cells(int rank, Visit&& visit) const;
    // True if a cell is one of this rank, and not within `margin` cells of its edges.
    [[nodiscard]] bool owned(Index i, Index j, Index margin) const;
    void touch_box(int field, Index i0, Index i1, Index j0, Index j1) const;
    [[nodiscard]] std::uint64_t read_box(int field, Index i0, Index i1, Index j0, Index j1) const;

    ExchangeWork work_;
    Index3 strides_;
    std::vector<double*> origins_;
    std::vector<std::shared_ptr<double>> keep_;
};

// ---- Boxes of work arrays as strided copies: within arrays, into a message and out of it.

// Strides of a dense buffer that holds a box in the order of memory.
Index3 dense_strides(const ExchangeWork& work, const Box& box);

// The cells of a box from one place to another: the addresses of its first cell there, and strides in values.
StridedCopy copy_cells(const ExchangeWork& work, const Box& box, const double* from, const Index3& from_strides,
                       double* to, const Index3& to_strides);

// Both halos of one axis of a field from the other end, over the cells of `range` along the other axes.
StridedCopy wrap_cells(const WorkArrays& arrays, int field, const Box& range, int axis);

}  // namespace lapwing::bench
