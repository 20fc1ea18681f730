#include "lapwing_coast/barotropic/velocity.hpp"

namespace lapwing_coast {

void Velocity::operator()(Box box, View<double> velocity, View<const double> flow,
                          View<const double> over_thickness) const {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double* over = over_thickness.row(j);
        for (Index k = 0; k < levels; ++k) {
            const double* along = flow.row(j, k);
            double* __restrict found = velocity.row(j, k);
            const double over_thick = shape.over(k);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) found[i] = over_thick * (along[i] * over[i]);
        }
    }
}

}  // namespace lapwing_coast
