#pragma once
// The depth-integrated ("barotropic") mode: its fields, and the stages of one of its steps.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/air.hpp"
#include "lapwing_coast/barotropic/continuity.hpp"
#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/barotropic/drying.hpp"
#include "lapwing_coast/barotropic/inflow.hpp"
#include "lapwing_coast/barotropic/momentum.hpp"
#include "lapwing_coast/barotropic/open_boundary.hpp"
#include "lapwing_coast/barotropic/transport_advection.hpp"
#include "lapwing_coast/metrics.hpp"

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

// The optional parts of a sea besides depth and open boundaries.
struct CoastInputs {
    CellMetrics metrics;
    Inflow inflow;
    double air_over_water = 0;

    static constexpr std::tuple declared{
        lapwing::Setting{"metrics", &CoastInputs::metrics, "instead of the spacings and f of CoastSettings, or empty"},
        lapwing::Setting{"inflow", &CoastInputs::inflow, "of water from outside"},
        lapwing::Setting{"air_over_water", &CoastInputs::air_over_water,
                         "density of the water that maps of wind and pressure drive, kg/m3; 0: no maps"}};
};

// The longest stable time step (s): an explicit gravity wave may not cross a cell's diagonal
// within one step. `depth` is the largest, m. Local.
double longest_time_step(const CoastSettings& settings, double depth);
// The same where cells differ; `depth` holds the depth of each cell, m. Local.
double longest_time_step(const CoastSettings& settings, std::span<const double> depth, const CellMetrics& metrics);

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
    // too long, inputs that do not fit, or arguments that differ.
    BarotropicMode(lapwing::Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
                   std::vector<Boundary> boundaries, CoastInputs inputs = {}, const ModeSplit& split = {});
    BarotropicMode(const BarotropicMode&) = delete;  // the kernels point into it
    BarotropicMode& operator=(const BarotropicMode&) = delete;

    // Fills the depths, once a step gave the fields memory. Local.
    void start(std::span<const double> whole_depth);

    // The stages of a micro step with the momentum along the axes in `order`. They point into the mode. Local.
    [[nodiscard]] lapwing::Stages stages(const std::array<Axis, 2>& order, int micro_step = 0) const;

    // Advection of `carried`, at the faces of an axis, by the speeds of `slow`. Local.
    [[nodiscard]] lapwing::Stage advection_of(const std::string& name, const Field<double>& carried, Axis axis) const;

    // The stages that put the inflow of a step of the layers, of length `time_step` (s), into them; none without any.
    // Local.
    [[nodiscard]] lapwing::Stages inflow_stages(const Field<double>& thickness, const Field<double>& temperature,
                                                const Field<double>& salinity, double time_step,
                                                const LayerShape& shape) const;

    // The stages that take in the air of the time that `air` was set to; none without maps of it. Local.
    [[nodiscard]] lapwing::Stages air_stages() const;

    // Sets what comes in from now on to the rates at a time (s). Local.
    void set_inflow(double time);

    // Sets the clock of the open boundaries for the micro steps after the first `done` of the run. Local.
    void set_clock(Index done);

    // The cells whose sea level is prescribed. Local.
    [[nodiscard]] std::vector<Box> open_cells() const;

    [[nodiscard]] const CoastSettings& settings() const { return settings_; }
    Field<double> sea_level;                  // at cell centres, m
    std::array<Field<double>, 2> transport;   // at x and y faces, m2/s
    Field<double> depth;                      // undisturbed, at cell centres, m; 0: land
    std::array<Field<double>, 2> face_depth;  // undisturbed, at x and y faces, m; 0: closed
    Metrics metrics;
    Air air;
    std::vector<SlowDrive> slow;  // along x and y; empty without slow terms

  private:
    [[nodiscard]] lapwing::Stage momentum_stage(Axis axis) const;
    [[nodiscard]] lapwing::Stages drying_stages() const;

    [[nodiscard]] bool has_inflow() const { return !inputs_.inflow.rivers.empty() || inputs_.inflow.has_rain(); }
    [[nodiscard]] RaiseLevel inflow_of(double time_step) const;

    CoastSettings settings_;
    CoastInputs inputs_;
    InflowRates rates_;
    std::array<Field<double>, 2> air_terms_;  // at the faces, m2/s2; without layers
    std::vector<Boundary> boundaries_;
    Field<double> tried_;        // sea level, m; with drying
    std::vector<double> times_;  // of the sea level that each micro step computes, s
};

}  // namespace lapwing_coast
