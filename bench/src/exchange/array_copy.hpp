#pragma once
// Boxes of work arrays as strided copies: within arrays, into a message and out of it.

#include "exchange/work_arrays.hpp"
#include "memory/strided_copy.hpp"

namespace lapwing::bench {

// Owned and halo cells of a rank in its own indices: cell (0, 0, 0) is the first owned one. A box of one field.
struct ArrayBox {
    const WorkArrays* arrays;
    int field;
    Box box;

    [[nodiscard]] double* first() const { return arrays->at(field, box.lo[0], box.lo[1], box.lo[2]); }
};

// Strides of a dense buffer that holds a box in the order of memory.
Index3 dense_strides(const ExchangeWork& work, const Box& box);

// A box to the same cells `shift` away, in the same or other arrays of the same work.
StridedCopy copy_cells(const ArrayBox& from, const WorkArrays& to, const Index3& shift);

// Both halos of one axis from the other end of the same array, over the cells of `range` along the other axes.
StridedCopy wrap_cells(const ArrayBox& range, int axis);

// Into a buffer with the strides of a message, which may be that of a larger box; and out of it.
StridedCopy pack_cells(const ArrayBox& from, double* buffer, const Index3& buffer_strides);
StridedCopy unpack_cells(const ArrayBox& to, const double* buffer, const Index3& buffer_strides);

}  // namespace lapwing::bench
