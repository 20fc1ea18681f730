#include "shallow/shallow_method.hpp"

#include <cmath>

namespace lapwing::bench {

double ShallowModel::dt() const { return 0.125 * spacing / std::sqrt(gravity * depth); }

template <class Real>
ShallowStep<Real> ShallowModel::step(bool first) const {
    const auto real = [](double value) { return static_cast<Real>(value); };
    const Real friction_now = first ? Real{0} : real(dt() * friction / (spacing * spacing));
    return {.rows = ny,
            .gravity_x = real(gravity / spacing),
            .gravity_y = real(gravity / spacing),
            .per_dx = real(1 / spacing),
            .per_dy = real(1 / spacing),
            .coriolis = real(coriolis),
            .beta_dy = real(beta * spacing),
            .friction_x = friction_now,
            .friction_y = friction_now,
            .dt = real(dt()),
            .now = real(first ? 1.0 : 1.6),
            .before = real(first ? 0.0 : -0.6)};
}

template <class Real>
void store(std::span<const double> values, const Box& box, View<Real> view) {
    const double* from = values.data();
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) view(i, j) = static_cast<Real>(*from++);
    }
}

template <class Real>
void load(const Box& box, View<const Real> view, std::span<double> values) {
    double* to = values.data();
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) *to++ = static_cast<double>(view(i, j));
    }
}

template ShallowStep<float> ShallowModel::step(bool) const;
template ShallowStep<double> ShallowModel::step(bool) const;
template void store(std::span<const double>, const Box&, View<float>);
template void store(std::span<const double>, const Box&, View<double>);
template void load(const Box&, View<const float>, std::span<double>);
template void load(const Box&, View<const double>, std::span<double>);

}  // namespace lapwing::bench
