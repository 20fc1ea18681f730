#pragma once
// Advection of any number of tracers by a flow that a model owns, as stages for the model's step.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/typed_stage.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/tracer/flow_limits.hpp"
#include "lapwing_coast/tracer/tracer_flow.hpp"
#include "lapwing_coast/tracer/tracer_kernels.hpp"

namespace lapwing_coast {

struct TransportSettings {
    double time_step = 200.0;
    double spacing_x = 2000.0;
    double spacing_y = 2000.0;
    int levels = 60;
    bool levels_fastest = false;
    Scheme scheme = Scheme::p2_pdm;
    Split split = Split::half_steps;

    static constexpr std::tuple declared{
        lapwing::Setting{"time_step", &TransportSettings::time_step, "s"},
        lapwing::Setting{"spacing_x", &TransportSettings::spacing_x, "m"},
        lapwing::Setting{"spacing_y", &TransportSettings::spacing_y, "m"},
        lapwing::Setting{"levels", &TransportSettings::levels, "layers, of equal thickness in a column"},
        lapwing::Setting{"levels_fastest", &TransportSettings::levels_fastest,
                         "memory order: levels, x, y instead of x, y, levels"},
        lapwing::Setting{"scheme", &TransportSettings::scheme, "of what is at the interfaces"},
        lapwing::Setting{"split", &TransportSettings::split, "of a step into fractional ones"}};
};

// A field as the advection of tracers needs it: `levels` of the settings in their memory order. Local.
Field<double> layered_field(lapwing::Domain& domain, const TransportSettings& settings, std::string name,
                            lapwing::Location location);

// The flow and the layers that it fills: fields of the model, each made by `layered_field`. Flows are 0 through closed
// faces: faces of land, and of the rim of a grid that does not close on itself. Thicknesses are above 0, on land too,
// and change with the flow; both may be the same field, if the surface does not move. After a step the tracers belong
// to layers as thick as `thickness_after`: the next one begins with this as its `thickness_before`.
struct TracerFlow {
    Field<double> flow_x;            // at x faces, m2/s per layer
    Field<double> flow_y;            // at y faces, m2/s per layer
    Field<double> thickness_before;  // of the layers when the step begins, m
    Field<double> thickness_after;   // when it ends, m
    std::vector<Box> prescribed{};   // cells whose sea level is: water comes and goes there, with their tracer
    // The widths of x and y faces, m, where metrics vary: then spacings are 1, and thicknesses are volumes, m3.
    Metrics::PerAxis width{};
};

// A tracer at cell centres, and what the names of its stages begin with.
struct CarriedTracer {
    Field<double> tracer;
    std::string prefix;  // "temperature_" for temperature_interface_x, temperature_update_x ...
};

// Advances tracers by one time step. Conserves tracer times thickness to rounding, keeps a constant bit for bit,
// and, but with the scheme p2, makes no new extreme while `limits` are kept.
class TracerTransport {
  public:
    // `depth` holds the undisturbed depth of the whole grid (m, 0: land), x fastest. Collective; throws UserError on
    // all ranks for sizes or fields that do not fit, or a setting that makes no sense. Cost: memory of three fields per
    // tracer, and of as many fields as there are fractional steps.
    TracerTransport(lapwing::Domain& domain, const TransportSettings& settings, const TracerFlow& flow,
                    std::span<const double> depth, const std::vector<CarriedTracer>& tracers);

    // The stage that computes flow_z and the thicknesses between fractional steps, once flow and thicknesses are known:
    // also one cell beyond what a rank owns, so that none of these travel. Local.
    [[nodiscard]] lapwing::Stages flow_stages() const;
    // The stages that move the tracers on: of each fractional step the interfaces of all tracers, then their updates,
    // so that all tracers travel together, in as many exchanges as the split says. Local.
    [[nodiscard]] lapwing::Stages stages() const;

    // Says which faces are open, once a step has given the fields memory; the same depth. Local.
    void start(std::span<const double> depth);

    // Sets flow_x and flow_y to 0 at closed faces that this rank owns. Local; the caller says that they are modified.
    void close_faces();

    // The limits of the flow in the last run of the flow stages, on this rank. Local. Costs about as much as moving one
    // tracer.
    [[nodiscard]] FlowLimits limits() const;
    // Throws StateError on all ranks, naming the step, the limit, what was found and the cell, unless all are kept.
    // Collective; one reduction when all is well.
    void check_limits(Index step_number) const;

    [[nodiscard]] const TransportSettings& settings() const { return settings_; }
    [[nodiscard]] Field<double>& flow_z() { return flow_z_; }  // through the tops of the cells, m/s

  private:
    struct Carried {
        CarriedTracer given;
        std::array<Field<double>, 3> interface;  // concentrations at the interfaces, by axis
    };

    [[nodiscard]] Carried carry(const CarriedTracer& given) const;
    [[nodiscard]] const Field<double>& flow_along(Axis axis) const;
    [[nodiscard]] const Field<double>& thickness(std::size_t fraction) const;
    [[nodiscard]] std::vector<Field<double>> width_along(Axis axis) const;
    [[nodiscard]] std::vector<Field<double>> open_along(Axis axis) const;
    [[nodiscard]] std::vector<Field<double>> leaving_in(std::size_t fraction) const;
    [[nodiscard]] FlowNumbers numbers() const;
    [[nodiscard]] AxisStep step_along(std::size_t fraction, Axis axis) const;
    [[nodiscard]] lapwing::Stage interface_stage(const Carried& carried, std::size_t fraction, Axis axis) const;
    [[nodiscard]] lapwing::Stage update_stage(const Carried& carried, std::size_t fraction) const;
    [[nodiscard]] FlowLimits limits_on(int block) const;

    lapwing::Domain& domain_;
    TransportSettings settings_;
    TracerFlow flow_;
    std::span<const Fraction> fractions_;
    Field<double> flow_z_;
    std::vector<Field<double>> between_;  // thicknesses within a step, m
    // For horizontal_together, else none: the share of a cell that leaves it along x and y.
    std::vector<Field<double>> leaving_;
    std::array<Field<double>, 2> open_;  // 1 at open x and y faces, else 0
    std::vector<Carried> tracers_;
};

}  // namespace lapwing_coast
