#include "lapwing_coast/layers/mode_coupling.hpp"

#include <cmath>

#include "lapwing_coast/layers/turbulence.hpp"

namespace lapwing_coast {

namespace {

// Rows of values at the four faces of the other axis around the faces of a row.
struct FourAround {
    const double *here, *ahead, *behind, *ahead_behind;
    [[nodiscard]] double mean(Index i) const { return 0.25 * ((here[i] + ahead[i]) + (behind[i] + ahead_behind[i])); }
};

FourAround four_around_row(const View<const double>& view, Axis axis, Index j) {
    const auto [di, dj] = ahead_along[axis];
    return {view.row(j), view.row(j + dj) + di, view.row(j - di) - dj, view.row(j + dj - di) + di - dj};
}

// Adds the stress and D times the drive of the air to a row.
void add_air(double* __restrict driving, const double* over, const double* stress, const double* drive, Index levels,
             const Box& box) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        if (over[i] > 0.0) driving[i] += stress[i] + static_cast<double>(levels) / over[i] * drive[i];
}

}  // namespace

void LayerSum::operator()(Box box, View<double> sum, View<const double> flow) const {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* __restrict total = sum.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) total[i] = 0.0;
        for (Index k = 0; k < levels; ++k) {
            const double* values = flow.row(j, k);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) total[i] += values[i];
        }
    }
}

void BottomDrag::operator()(Box box, View<double> drag, View<const double> along, View<const double> across,
                            View<const double> over_thickness, View<const double> over_thickness_across) const {
    const double thick = shape.relative(0), over_lowest = shape.over(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *lowest = along.row(j), *over = over_thickness.row(j);
        const FourAround flow = four_around_row(across, axis, j);
        const FourAround over_across = four_around_row(over_thickness_across, axis, j);
        double* __restrict found = drag.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double u = lowest[i] * over[i];  // m/s
            const double v =
                0.25 * ((flow.here[i] * over_across.here[i] + flow.ahead[i] * over_across.ahead[i]) +
                        (flow.behind[i] * over_across.behind[i] + flow.ahead_behind[i] * over_across.ahead_behind[i]));
            const double law = TurbulenceConstants::kappa / std::log1p(0.5 * thick / (over[i] * roughness));
            found[i] = over[i] > 0.0 ? law * law * (over_lowest * std::sqrt(u * u + v * v)) : 0.0;
        }
    }
}

void SlowTerms::operator()(Box box, View<double> slow, View<const double> tendency, View<const double> flow,
                           View<const double> over_thickness, View<const double> drag, View<const double> sum,
                           View<const double> sum_across, View<const double> change, const Views& air_stress,
                           const Views& air_drive) const {
    LayerSum{levels}(box, slow, tendency);
    const double over_levels = 1.0 / static_cast<double>(levels), stress = *surface_stress;
    const double over_lowest = shape.over(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* __restrict driving = slow.row(j);
        const double *changed = change.row(j), *over = over_thickness.row(j), *held = drag.row(j);
        const double *lowest = flow.row(j), *total = sum.row(j);
        const FourAround across = four_around_row(sum_across, axis, j);
#pragma omp simd
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double over_depth = over[i] * over_levels, side = across.mean(i);                      // 1/m, m2/s
            const double transport = std::sqrt(total[i] * total[i] + side * side);                       // m2/s
            const double counted = drag_coefficient * transport * total[i] * (over_depth * over_depth);  // m2/s2
            const double driven =
                driving[i] + ((stress - held[i] * (over_lowest * (lowest[i] * over[i]))) + (counted - changed[i]));
            driving[i] = over[i] > 0.0 ? driven : 0.0;
        }
        if (!air_stress.empty()) add_air(driving, over, air_stress[0].row(j), air_drive[0].row(j), levels, box);
    }
}

void MeanTransport::operator()(Box box, View<double> mean_x, View<double> mean_y, View<const double> transport_x,
                               View<const double> transport_y) const {
    const auto count = [&](double* __restrict mean, const double* transport) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            mean[i] = first ? weight * transport[i] : mean[i] + weight * transport[i];
    };
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) count(mean_x.row(j), transport_x.row(j));
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) count(mean_y.row(j), transport_y.row(j));
}

}  // namespace lapwing_coast
