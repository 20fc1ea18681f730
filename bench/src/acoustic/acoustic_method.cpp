#include "acoustic/acoustic_method.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

// Calls use(row, cells) for the rows of the owned cells. Local.
template <class Use>
void each_row(const AnyField& field, const Use& use) {
    const Box& box = field.blocks()[0].owned;
    const View<float> view = field.view<float>();
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) use(view.row(j, k) + box.lo[0], box.size(0));
    }
}

}  // namespace

void store(std::span<const float> values, const AnyField& field) {
    const float* from = values.data();
    each_row(field, [&](float* row, Index cells) {
        std::copy_n(from, cells, row);
        from += cells;
    });
}

void load(const AnyField& field, std::span<float> values) {
    float* to = values.data();
    each_row(field, [&](const float* row, Index cells) { to = std::copy_n(row, cells, to); });
}

}  // namespace lapwing::bench
