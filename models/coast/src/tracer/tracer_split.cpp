#include "lapwing_coast/tracer/tracer_split.hpp"

namespace lapwing_coast {

namespace {

constexpr Fraction whole_x{{1.0, 0.0, 0.0}}, whole_y{{0.0, 1.0, 0.0}}, whole_z{{0.0, 0.0, 1.0}};
constexpr Fraction half_x{{0.5, 0.0, 0.0}}, half_y{{0.0, 0.5, 0.0}};
constexpr std::array<Fraction, 5> of_half_steps{half_x, half_y, whole_z, half_y, half_x};
constexpr std::array<Fraction, 3> of_whole_steps{whole_x, whole_y, whole_z};
constexpr std::array<Fraction, 2> of_horizontal_together{Fraction{{1.0, 1.0, 0.0}}, whole_z};

}  // namespace

std::span<const Fraction> fractions_of(Split split) {
    if (split == Split::half_steps) return of_half_steps;
    if (split == Split::whole_steps) return of_whole_steps;
    return of_horizontal_together;
}

}  // namespace lapwing_coast
