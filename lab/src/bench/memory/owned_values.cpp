#include "memory/owned_values.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

// Calls use(row, cells) for the rows of the owned cells. Local.
template <class T, class Use>
void each_row(const AnyField& field, const Use& use) {
    const Box& box = field.blocks()[0].owned;
    const View<T> view = field.view<T>();
    for (Index c = 0; c < field.spec().components; ++c) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j) use(view.row(j, k, c) + box.lo[0], box.size(0));
        }
    }
}

}  // namespace

template <class T>
void store(std::span<const T> values, const AnyField& field) {
    const T* from = values.data();
    each_row<T>(field, [&](T* row, Index cells) {
        std::copy_n(from, cells, row);
        from += cells;
    });
}

template <class T>
void load(const AnyField& field, std::span<T> values) {
    T* to = values.data();
    each_row<T>(field, [&](const T* row, Index cells) { to = std::copy_n(row, cells, to); });
}

template void store(std::span<const float>, const AnyField&);
template void store(std::span<const double>, const AnyField&);
template void load(const AnyField&, std::span<float>);
template void load(const AnyField&, std::span<double>);

}  // namespace lapwing::bench
