#include "lapwing/solver/tridiagonal.hpp"

#include "lapwing/base/error.hpp"

namespace lapwing {

Tridiagonal::Tridiagonal(std::vector<double> diagonal, Index lines, double beside)
    : over_pivot_(std::move(diagonal)), lines_(lines), beside_(beside) {
    const auto values = static_cast<Index>(over_pivot_.size());
    if (lines < 1 || values < lines || values % lines != 0)
        user_error("diagonal of tridiagonal systems", concat(values, " values for ", lines, " lines"),
                   "as many for each line", "pass points times lines of them");
    for (Index l = 0; l < lines; ++l) over_pivot_[l] = 1.0 / over_pivot_[l];
    for (Index n = lines; n < values; ++n) {
        const double pivot = over_pivot_[n] - beside * beside * over_pivot_[n - lines];
        over_pivot_[n] = 1.0 / pivot;
    }
}

void Tridiagonal::solve(double* values, Index stride) const {
    const Index points = this->points(), lines = lines_;
    if (stride < lines && points > 1)
        user_error("stride of right-hand sides", stride, concat("at least ", lines, ", the lines"),
                   "pass how far the points of a line are apart");
    const double beside = beside_;
    const double* over = over_pivot_.data();
    for (Index l = 0; l < lines; ++l) values[l] *= over[l];
    for (Index j = 1; j < points; ++j) {
        const double* before = values + (j - 1) * stride;
        double* here = values + j * stride;
        for (Index l = 0; l < lines; ++l) here[l] = (here[l] - before[l] * beside) * over[j * lines + l];
    }
    for (Index j = points - 2; j >= 0; --j) {
        const double* behind = values + (j + 1) * stride;
        double* here = values + j * stride;
        for (Index l = 0; l < lines; ++l) here[l] -= behind[l] * over[j * lines + l] * beside;
    }
}

}  // namespace lapwing
