#include "lapwing_coast/barotropic/inflow.hpp"

namespace lapwing_coast {

namespace {

// Calls use(i, j, volume of a river in the step, m3) for the mouths in a box.
template <class Use>
void for_mouths(const RaiseLevel& water, const Box& box, const Use& use) {
    for (std::size_t n = 0; n < water.rivers->size(); ++n) {
        const double volume = water.time_step * water.rates->rivers[n];  // m3
        water.cells.for_images(box, (*water.rivers)[n],
                               [&](Index i, Index j) { use(i, j, volume, (*water.rivers)[n]); });
    }
}

// Calls use(i, j) for the wet cells of a box, where it rains.
template <class Use>
void for_rain(const RaiseLevel& water, const Box& box, const View<const double>& depth, const Use& use) {
    if (water.rates->rain == 0.0) return;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            if (depth(i, j) > 0.0) use(i, j);
}

// The value of a tracer once `in` of the thickness `all` has come with c_in.
double mixed(double c, double c_in, double in, double all) { return c + (c_in - c) * (in / all); }

}  // namespace

void RaiseLevel::operator()(Box box, View<double> sea_level, View<const double> depth,
                            const Views& over_area_at) const {
    const double rain = time_step * rates->rain;  // m
    for_rain(*this, box, depth, [&](Index i, Index j) { sea_level(i, j) += rain; });
    for_mouths(*this, box, [&](Index i, Index j, double volume, const River&) {
        sea_level(i, j) += volume * (over_area_at.empty() ? over_area : over_area_at[0](i, j));
    });
}

void TakeInflow::operator()(Box box, View<double> thickness, View<double> temperature, View<double> salinity,
                            View<const double> depth, const Views& area) const {
    const double rain = water.time_step * water.rates->rain, share = 1.0 / static_cast<double>(levels);
    const auto mix_salt = [&](Index i, Index j, Index k, double in, double salt) {
        thickness(i, j, k) += in;
        salinity(i, j, k) = mixed(salinity(i, j, k), salt, in, thickness(i, j, k));
    };
    for_rain(water, box, depth,
             [&](Index i, Index j) { mix_salt(i, j, levels - 1, area.empty() ? rain : rain * area[0](i, j), 0.0); });
    for_mouths(water, box, [&](Index i, Index j, double volume, const River& river) {
        const double in = share * (area.empty() ? volume * water.over_area : volume);
        for (Index k = 0; k < levels; ++k) {
            const double in_layer = shape.relative(k) * in;
            mix_salt(i, j, k, in_layer, river.salinity);
            for (const double warmth : river.temperature)
                temperature(i, j, k) = mixed(temperature(i, j, k), warmth, in_layer, thickness(i, j, k));
        }
    });
}

}  // namespace lapwing_coast
