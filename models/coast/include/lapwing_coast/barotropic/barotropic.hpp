#pragma once
// The depth-integrated ("barotropic") mode: its fields, and the stages of one of its steps.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/barotropic/continuity.hpp"
#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/barotropic/drying.hpp"
#include "lapwing_coast/barotropic/momentum.hpp"
#include "lapwing_coast/barotropic/open_boundary.hpp"
#include "lapwing_coast/barotropic/transport_advection.hpp"

namespace lapwing_coast {

struct CoastSettings {
    double time_step = 20.0;
    double spacing_x = 2000.0;
    double spacing_y = 2000.0;
    double gravity = 9.81;
    double coriolis = 1.2e-4;
    double drag = 0.0025;
    double ramp = 0.0;
    double least_depth = 0.0;

    static constexpr std::tuple declared{
        lapwing::Setting{"time_step", &CoastSettings::time_step, "s"},
        lapwing::Setting{"spacing_x", &CoastSettings::spacing_x, "m"},
        lapwing::Setting{"spacing_y", &CoastSettings::spacing_y, "m"},
        lapwing::Setting{"gravity", &CoastSettings::gravity, "m/s2"},
        lapwing::Setting{"coriolis", &CoastSettings::coriolis, "1/s"},
        lapwing::Setting{"drag", &CoastSettings::drag, "bottom drag coefficient, 1"},
        lapwing::Setting{"ramp", &CoastSettings::ramp, "duration of the growth of the tide from rest, s"},
        lapwing::Setting{"least_depth", &CoastSettings::least_depth,
                         "water that drying leaves in a cell, m; 0: no drying"}};
};

// The longest stable time step (s): an explicit gravity wave may not cross a cell's diagonal
// within one step. `depth` is the largest, m. Local.
double longest_time_step(const CoastSettings& settings, double depth);

// The forcing of the transports along one axis by a three-dimensional model.
struct SlowDrive {
    Field<double> terms;                  // at the faces, m2/s2: the same for all micro steps
    std::array<Field<double>, 4> speeds;  // as CarryingSpeeds writes them, in their order, m/s: used as above
    Field<double> change;                 // of the transport by these speeds, in a micro step, m2/s2
};

// The coupling to a three-dimensional model: `n` steps of the mode, the micro steps, make one of that model,
// and terms of that model which stay the same for all of them drive the transports.
struct ModeSplit {
    int micro_steps = 1;
    bool slow_terms = false;
};

// Sea level and transports, at rest when made. A micro step is momentum along one axis, along the other, the brakes of
// drying where it is on, continuity, and the open boundaries.
class BarotropicMode {
  public:
    // `whole_depth` holds the undisturbed depth of the whole grid (m, 0: land), x fastest. Collective; throws UserError
    // on all ranks for sizes that do not fit the grid, a depth or a setting that makes no sense, a time step that is
    // too long, or arguments that differ.
    BarotropicMode(lapwing::Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
                   std::vector<Boundary> boundaries, const ModeSplit& split = {});
    BarotropicMode(const BarotropicMode&) = delete;  // the kernels point into it
    BarotropicMode& operator=(const BarotropicMode&) = delete;

    // Fills the depths, once a step gave the fields memory. Local.
    void start(std::span<const double> whole_depth);

    // The stages of a micro step with the momentum along the axes in `order`. They point into the mode. Local.
    [[nodiscard]] lapwing::Stages stages(const std::array<Axis, 2>& order, int micro_step = 0) const;

    // Advection of `carried`, at the faces of an axis, by the speeds of `slow`. Local.
    [[nodiscard]] lapwing::Stage advection_of(const std::string& name, const Field<double>& carried, Axis axis) const;

    // Sets the clock of the open boundaries for the micro steps after the first `done` of the run. Local.
    void set_clock(Index done);

    // The cells whose sea level is prescribed. Local.
    [[nodiscard]] std::vector<Box> open_cells() const;

    [[nodiscard]] const CoastSettings& settings() const { return settings_; }
    Field<double> sea_level;                  // at cell centres, m
    std::array<Field<double>, 2> transport;   // at x and y faces, m2/s
    Field<double> depth;                      // undisturbed, at cell centres, m; 0: land
    std::array<Field<double>, 2> face_depth;  // undisturbed, at x and y faces, m; 0: closed
    std::vector<SlowDrive> slow;              // along x and y; empty without slow terms

  private:
    [[nodiscard]] lapwing::Stage momentum_stage(Axis axis) const;
    [[nodiscard]] lapwing::Stages drying_stages(double over_dx, double over_dy) const;

    CoastSettings settings_;
    std::vector<Boundary> boundaries_;
    Field<double> tried_;        // sea level, m; with drying
    std::vector<double> times_;  // of the sea level that each micro step computes, s
};

}  // namespace lapwing_coast
