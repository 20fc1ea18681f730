#include "lapwing_coast/layers/mode_coupling.hpp"

#include <cmath>

#include "lapwing_coast/layers/turbulence.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;

// From the bottom upwards.
void add_up(const lapwing::View<double>& layers, const lapwing::View<double>& total, Index levels, const Box& box) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* __restrict sum = total.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) sum[i] = 0.0;
        for (Index k = 0; k < levels; ++k) {
            const double* values = layers.row(j, k);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) sum[i] += values[i];
        }
    }
}

// Rows of values at the four faces of the other axis around the faces of a row.
struct FourAround {
    const double *here, *ahead, *behind, *ahead_behind;
    [[nodiscard]] double mean(Index i) const { return 0.25 * ((here[i] + ahead[i]) + (behind[i] + ahead_behind[i])); }
};

FourAround four_around_row(const lapwing::View<double>& view, int di, int dj, Index j) {
    return {view.row(j), view.row(j + dj) + di, view.row(j - di) - dj, view.row(j + dj - di) + di - dj};
}

void drag_row(const BottomDragContext& at, Index j, Index first, Index last) {
    const double *along = at.along.row(j), *over = at.over_thickness.row(j);
    const FourAround flow = four_around_row(at.across, at.ahead_x, at.ahead_y, j);
    const FourAround across = four_around_row(at.over_thickness_across, at.ahead_x, at.ahead_y, j);
    double* __restrict drag = at.drag.row(j);
    for (Index i = first; i < last; ++i) {
        const double u = along[i] * over[i];  // m/s
        const double v = 0.25 * ((flow.here[i] * across.here[i] + flow.ahead[i] * across.ahead[i]) +
                                 (flow.behind[i] * across.behind[i] + flow.ahead_behind[i] * across.ahead_behind[i]));
        const double law = TurbulenceConstants::kappa / std::log1p(0.5 / (over[i] * at.roughness));
        drag[i] = over[i] > 0.0 ? law * law * std::sqrt(u * u + v * v) : 0.0;
    }
}

void slow_row(const SlowTermsContext& at, Index j, Index first, Index last) {
    double* __restrict slow = at.slow.row(j);
    const double *change = at.change.row(j), *over = at.over_thickness.row(j), *drag = at.drag.row(j),
                 *lowest = at.flow.row(j), *sum = at.sum.row(j);
    const FourAround across = four_around_row(at.sum_across, at.ahead_x, at.ahead_y, j);
    const double over_levels = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double over_depth = over[i] * over_levels, other = across.mean(i);                      // 1/m, m2/s
        const double transport = std::sqrt(sum[i] * sum[i] + other * other);                          // m2/s
        const double counted = at.drag_coefficient * transport * sum[i] * (over_depth * over_depth);  // m2/s2
        const double driven = slow[i] + ((at.surface_stress - drag[i] * (lowest[i] * over[i])) + (counted - change[i]));
        slow[i] = over[i] > 0.0 ? driven : 0.0;
    }
}

}  // namespace

void layer_sum(void* context, Box box) {
    const auto& at = *static_cast<const LayerSumContext*>(context);
    add_up(at.flow, at.sum, at.levels, box);
}

void bottom_drag(void* context, Box box) {
    const auto& at = *static_cast<const BottomDragContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) drag_row(at, j, box.lo[0], box.hi[0]);
}

void slow_terms(void* context, Box box) {
    const auto& at = *static_cast<const SlowTermsContext*>(context);
    add_up(at.tendency, at.slow, at.levels, box);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) slow_row(at, j, box.lo[0], box.hi[0]);
}

void mean_transport(void* context, Box box) {
    const auto& at = *static_cast<const MeanTransportContext*>(context);
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const double* transport = at.transport[axis].row(j);
            double* __restrict mean = at.mean[axis].row(j);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                mean[i] = at.first ? at.weight * transport[i] : mean[i] + at.weight * transport[i];
        }
}

}  // namespace lapwing_coast
