#include "lapwing_coast/barotropic/continuity.hpp"

namespace lapwing_coast {

using lapwing::Index;

void continuity(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ContinuityContext*>(context);
    const Index first = box.lo[0], last = box.hi[0];
    const double over_dx = at.over_dx, over_dy = at.over_dy;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* __restrict level = at.sea_level.row(j);
        const double* x = at.transport_x.row(j);
        const double* y = at.transport_y.row(j);
        const double* y_behind = at.transport_y.row(j - 1);
        for (Index i = first; i < last; ++i) level[i] -= over_dx * (x[i] - x[i - 1]) + over_dy * (y[i] - y_behind[i]);
    }
}

}  // namespace lapwing_coast
