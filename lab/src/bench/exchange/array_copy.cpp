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

StridedCopy copy_cells(const ExchangeWork& work, const Box& box, const double* from, const Index3& from_strides,
                       double* to, const Index3& to_strides) {
    return make_copy(from, to, loops_over(work, box, from_strides, to_strides));
}

StridedCopy wrap_cells(const WorkArrays& arrays, int field, const Box& range, int axis) {
    const ExchangeWork& work = arrays.work();
    const Index n = work.size(axis), w = work.width, stride = arrays.strides()[axis];
    Box lower = range;  // the lower halo; the upper one is the second turn of the loop over both
    lower.lo[axis] = -w;
    lower.hi[axis] = 0;
    Loops loops = loops_over(work, lower, arrays.strides(), arrays.strides());
    const auto order = memory_order(work);
    const auto own = std::find(order.begin(), order.end(), axis) - order.begin();
    loops.insert(loops.begin() + own + 1, {2, -(n - w) * stride, (n + w) * stride});
    double* first = arrays.at(field, lower.lo);
    return make_copy(first + n * stride, first, std::move(loops));
}

}  // namespace lapwing::bench
