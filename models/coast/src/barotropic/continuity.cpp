#include "lapwing_coast/barotropic/continuity.hpp"

namespace lapwing_coast {

void Continuity::operator()(Box box, View<double> sea_level, View<const double> transport_x,
                            View<const double> transport_y) const {
    const Index first = box.lo[0], last = box.hi[0];
    const double per_x = over_dx, per_y = over_dy;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* __restrict level = sea_level.row(j);
        const double* x = transport_x.row(j);
        const double* y = transport_y.row(j);
        const double* y_behind = transport_y.row(j - 1);
        for (Index i = first; i < last; ++i) level[i] -= per_x * (x[i] - x[i - 1]) + per_y * (y[i] - y_behind[i]);
    }
}

}  // namespace lapwing_coast
