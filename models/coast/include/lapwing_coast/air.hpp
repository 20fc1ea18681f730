#pragma once
// Wind and pressure of the air that differ from place to place: two records of maps, and what they do to the water.

#include <array>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/typed_stage.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Sets what the air does to the water at the faces of an axis in a box:
//
//   stress = mean of tau/rho of both cells (m2/s2),  drive = -d(p/rho)/ds (m/s2)
//
// with tau (N/m2) and p (Pa) at cells linear in time between two records. Reads the records one cell ahead along
// the axis. Local.
struct AirAtFaces {
    Axis axis = lapwing::x;
    const double* share = nullptr;  // of the second record
    double over_density = 0;        // 1 over the density of water, m3/kg
    double over_spacing = 0;        // 1/m; not used where metrics vary

    void operator()(Box box, View<double> stress, View<double> drive, View<const double> wind,
                    View<const double> wind_2, View<const double> pressure, View<const double> pressure_2,
                    const Views& over_distance = {}) const;
};

// Sets the stress of the wind in the cells of a box (m2/s2): the friction velocity squared. Local.
struct AirFriction {
    const double* share = nullptr;  // of the second record
    double over_density = 0;        // m3/kg

    void operator()(Box box, View<double> friction, View<const double> x, View<const double> x_2, View<const double> y,
                    View<const double> y_2) const;
};

// Sets what drives the transport of the depth-integrated mode at the faces of a box: stress + D drive, m2/s2. Reads the
// sea level (m) one cell ahead along the axis. Local.
struct AirTerms {
    Axis axis = lapwing::x;

    void operator()(Box box, View<double> terms, View<const double> stress, View<const double> drive,
                    View<const double> sea_level, View<const double> face_depth) const;
};

// Two records of maps, as fields that a program fills, and the fields that the stages make of them. A list has one
// field, or none without such air.
class Air {
  public:
    using List = std::vector<Field<double>>;

    // Without memory; `density`: of the water, kg/m3, 0 without air. Local.
    Air(lapwing::Domain& domain, double density);

    [[nodiscard]] bool is_there() const { return !friction.empty(); }

    // The stages that compute stress, drive and friction at the time that was set last. Local.
    [[nodiscard]] lapwing::Stages stages(const Metrics& metrics, const std::array<double, 2>& spacing) const;

    // Says that the fields of a record (0 or 1) hold the maps of a time (s). Local.
    void set_record(int record, double time) { times_[record] = time; }
    // Sets the time of the next step, s. Local.
    void set_time(double time);

    std::array<std::array<List, 2>, 2> wind;  // by record and axis: stress, at cells, N/m2
    std::array<List, 2> pressure;             // by record: at cells, Pa
    std::array<List, 2> stress, drive;        // at the faces of an axis, m2/s2 and m/s2
    List friction;                            // at cells, m2/s2

  private:
    double over_density_;                    // m3/kg
    std::array<double, 2> times_{0.0, 1.0};  // of the records, s
    double share_ = 0;                       // of the second record at the time at hand
};

}  // namespace lapwing_coast
