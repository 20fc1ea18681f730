#include "lapwing_coast/barotropic/velocity.hpp"

namespace lapwing_coast {

using lapwing::Index;

void velocity(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const VelocityContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double* over = at.over_thickness.row(j);
        for (Index k = 0; k < at.levels; ++k) {
            const double* flow = at.flow.row(j, k);
            double* __restrict found = at.velocity.row(j, k);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) found[i] = flow[i] * over[i];
        }
    }
}

}  // namespace lapwing_coast
