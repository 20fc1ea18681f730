#include "exchange/array_copy.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

std::array<std::size_t, 3> memory_order(const ExchangeWork& work) {
    return work.levels_fastest ? std::array<std::size_t, 3>{2, 0, 1} : std::array<std::size_t, 3>{0, 1, 2};
}

using Loops = std::vector<StridedCopy::Loop>;

Loops loops_over(const ExchangeWork& work, const Box& box, const Index3& from, const Index3& to) {
    Loops loops;
    for (std::size_t axis : memory_order(work))
        loops.push_back({box.size(static_cast<int>(axis)), from[axis], to[axis]});
    return loops;
}

}  // namespace

Index3 dense_strides(const ExchangeWork& work, const Box& box) {
    Index3 strides{};
    Index next = 1;
    for (std::size_t axis : memory_order(work)) {
        strides[axis] = next;
        next *= box.size(static_cast<int>(axis));
    }
    return strides;
}

StridedCopy copy_cells(const ArrayBox& from, const WorkArrays& to, const Index3& shift) {
    const Box& box = from.box;
    double* target = to.at(from.field, box.lo[0] + shift[0], box.lo[1] + shift[1], box.lo[2] + shift[2]);
    return make_copy(from.first(), target, loops_over(to.work(), box, from.arrays->strides(), to.strides()));
}

StridedCopy wrap_cells(const ArrayBox& range, int axis) {
    const ExchangeWork& work = range.arrays->work();
    const Index n = work.size(axis), w = work.width, stride = range.arrays->strides()[axis];
    ArrayBox lower = range;  // the lower halo; the upper one is the second turn of the loop over both
    lower.box.lo[axis] = -w;
    lower.box.hi[axis] = 0;
    Loops loops = loops_over(work, lower.box, range.arrays->strides(), range.arrays->strides());
    const auto order = memory_order(work);
    const auto own = std::find(order.begin(), order.end(), axis) - order.begin();
    loops.insert(loops.begin() + own + 1, {2, -(n - w) * stride, (n + w) * stride});
    return make_copy(lower.first() + n * stride, lower.first(), std::move(loops));
}

StridedCopy pack_cells(const ArrayBox& from, double* buffer, const Index3& buffer_strides) {
    return make_copy(from.first(), buffer,
                     loops_over(from.arrays->work(), from.box, from.arrays->strides(), buffer_strides));
}

StridedCopy unpack_cells(const ArrayBox& to, const double* buffer, const Index3& buffer_strides) {
    return make_copy(buffer, to.first(), loops_over(to.arrays->work(), to.box, buffer_strides, to.arrays->strides()));
}

}  // namespace lapwing::bench
