#include "lapwing_coast/air.hpp"

#include <cmath>

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Location;

namespace {

Air::List field_at(Domain& domain, bool there, const std::string& name, Location location = Location::center) {
    if (!there) return {};
    return {Field<double>(domain, name, location)};
}

// A quantity between two records of a row.
struct Between {
    const double *first, *second;
    double share, factor;
    double operator[](Index i) const { return factor * (first[i] + share * (second[i] - first[i])); }
};

}  // namespace

void AirAtFaces::operator()(Box box, View<double> stress, View<double> drive, View<const double> wind,
                            View<const double> wind_2, View<const double> pressure, View<const double> pressure_2,
                            const Views& over_distance) const {
    const auto [di, dj] = ahead_along[axis];
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const Between here{wind.row(j), wind_2.row(j), *share, over_density};
        const Between ahead{wind.row(j + dj) + di, wind_2.row(j + dj) + di, *share, over_density};
        const Between p{pressure.row(j), pressure_2.row(j), *share, over_density};
        const Between p_ahead{pressure.row(j + dj) + di, pressure_2.row(j + dj) + di, *share, over_density};
        double *tau = stress.row(j), *driven = drive.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double over = over_distance.empty() ? over_spacing : over_distance[0](i, j);  // 1/m
            tau[i] = 0.5 * (here[i] + ahead[i]);
            driven[i] = -over * (p_ahead[i] - p[i]);
        }
    }
}

void AirFriction::operator()(Box box, View<double> friction, View<const double> x, View<const double> x_2,
                             View<const double> y, View<const double> y_2) const {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const Between along{x.row(j), x_2.row(j), *share, over_density},
            across{y.row(j), y_2.row(j), *share, over_density};
        double* found = friction.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) found[i] = std::hypot(along[i], across[i]);
    }
}

void AirTerms::operator()(Box box, View<double> terms, View<const double> stress, View<const double> drive,
                          View<const double> sea_level, View<const double> face_depth) const {
    const auto [di, dj] = ahead_along[axis];
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *level = sea_level.row(j), *level_ahead = sea_level.row(j + dj) + di;
        const double *tau = stress.row(j), *driven = drive.row(j), *deep = face_depth.row(j);
        double* __restrict found = terms.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            found[i] = tau[i] + (deep[i] + 0.5 * (level[i] + level_ahead[i])) * driven[i];
    }
}

Air::Air(Domain& domain, double density)
    : friction(field_at(domain, density > 0, "air_friction")), over_density_(density > 0 ? 1.0 / density : 0.0) {
    const bool there = density > 0;
    for (int record = 0; record < 2; ++record) {
        const std::string number = "_" + std::to_string(record);
        for (const Axis axis : horizontal_axes)
            wind[record][axis] = field_at(domain, there, along("air_wind" + number, axis));
        pressure[record] = field_at(domain, there, "air_pressure" + number);
    }
    for (const Axis axis : horizontal_axes) {
        stress[axis] = field_at(domain, there, along("air_stress", axis), face_along[axis]);
        drive[axis] = field_at(domain, there, along("air_drive", axis), face_along[axis]);
    }
}

lapwing::Stages Air::stages(const Metrics& metrics, const std::array<double, 2>& spacing) const {
    if (!is_there()) return {};
    const auto at_faces = [&](Axis axis, Axis) {
        const lapwing::Extent next = lapwing::ahead(axis);
        return stage(along("air", axis), AirAtFaces{axis, &share_, over_density_, 1.0 / spacing[axis]},
                     writes(stress[axis][0]), writes(drive[axis][0]), reads(wind[0][axis][0], next),
                     reads(wind[1][axis][0], next), reads(pressure[0][0], next), reads(pressure[1][0], next),
                     reads(metrics.over_distance[axis]));
    };
    lapwing::Stages all = both(at_faces);
    all.push_back(stage("air_friction", AirFriction{&share_, over_density_}, writes(friction[0]), reads(wind[0][0][0]),
                        reads(wind[1][0][0]), reads(wind[0][1][0]), reads(wind[1][1][0])));
    return all;
}

void Air::set_time(double time) { share_ = (time - times_[0]) / (times_[1] - times_[0]); }

}  // namespace lapwing_coast
