#pragma once
// Boxes of work arrays as strided copies: within arrays, into a message and out of it.

#include "exchange/work_arrays.hpp"
#include "memory/strided_copy.hpp"

namespace lapwing::bench {

// Strides of a dense buffer that holds a box in the order of memory.
Index3 dense_strides(const ExchangeWork& work, const Box& box);

// The cells of a box from one place to another: the addresses of its first cell there, and strides in values.
StridedCopy copy_cells(const ExchangeWork& work, const Box& box, const double* from, const Index3& from_strides,
                       double* to, const Index3& to_strides);

// Both halos of one axis of a field from the other end, over the cells of `range` along the other axes.
StridedCopy wrap_cells(const WorkArrays& arrays, int field, const Box& range, int axis);

}  // namespace lapwing::bench
