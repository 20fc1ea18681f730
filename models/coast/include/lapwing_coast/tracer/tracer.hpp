#pragma once
// Tracers alone, without the model that makes the flow: what measurements and examples of advection run.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/tracer/tracer_transport.hpp"

namespace lapwing_coast {

struct TracerSettings : TransportSettings {
    int tracers = 1;
    bool moving_surface = false;
    std::vector<Box> prescribed{};

    static constexpr auto declared = std::tuple_cat(
        TransportSettings::declared,
        std::tuple{lapwing::Setting{"tracers", &TracerSettings::tracers, "carried together"},
                   lapwing::Setting{"moving_surface", &TracerSettings::moving_surface,
                                    "layers end a step as thick as `thickness_after`, and the flow is computed in it"},
                   lapwing::Setting{"prescribed", &TracerSettings::prescribed,
                                    "cells whose sea level is, as those of TracerFlow"}});
};

// Tracers, the flow that carries them, and the step that moves them on.
class TracerAdvection {
  public:
    // At rest, with no tracer, in layers of equal thickness. `depth` holds the depth of the whole grid (m, 0: land), x
    // fastest. Collective; throws UserError on all ranks for sizes that do not fit the grid, or a setting that makes no
    // sense. `strategy` and `transport` are passed to its lapwing::Step, `listed` exchanges as in Coast.
    TracerAdvection(lapwing::Domain& domain, const TracerSettings& settings, std::span<const double> depth,
                    const std::string& strategy, const std::string& transport,
                    const std::vector<lapwing::ListedExchange>& listed = {});

    // Takes over what the caller wrote into flow_x and flow_y, and into the thicknesses where the surface moves: closes
    // the faces of land and of the rim of the grid, where it has one, and computes flow_z and the thicknesses in
    // between. Throws UserError on all ranks when the flow, summed over the layers, is not what the surface moves by,
    // or more leaves a cell in a fractional step than is in it. Collective.
    void set_flow();

    // Runs `steps` time steps; where the surface moves it is for the caller to set thicknesses and flow before each.
    // Call it on all ranks.
    void advance(Index steps);

    // Throws StateError on all ranks unless the flow that was set last keeps all limits. Collective.
    void check_limits(Index step_number) const { transport_.check_limits(step_number); }

    [[nodiscard]] const TracerSettings& settings() const { return settings_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    [[nodiscard]] Field<double>& flow_z() { return transport_.flow_z(); }  // through the tops of the cells, m/s

    std::vector<Field<double>> tracers;  // at cell centres
    Field<double> tracer;                // the first of them
    Field<double> flow_x;                // through x faces, m2/s per layer
    Field<double> flow_y;                // through y faces, m2/s per layer
    Field<double> thickness;             // of the layers when a step begins, m
    Field<double> thickness_after;       // when it ends, m: the same field, where the surface does not move

  private:
    void fill_thickness(std::span<const double> depth);

    lapwing::Domain& domain_;
    TracerSettings settings_;
    TracerTransport transport_;
    std::unique_ptr<lapwing::Step> flow_step_, step_;
};

}  // namespace lapwing_coast
