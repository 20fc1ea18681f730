#pragma once
// The coast model in three dimensions: layers of water that follow bottom and surface, split from the depth-integrated
// mode that carries the tides.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"
#include "lapwing_coast/barotropic/velocity.hpp"
#include "lapwing_coast/forcing_series.hpp"
#include "lapwing_coast/layers/equation_of_state.hpp"
#include "lapwing_coast/layers/horizontal_mixing.hpp"
#include "lapwing_coast/layers/internal_pressure.hpp"
#include "lapwing_coast/layers/layer_momentum.hpp"
#include "lapwing_coast/layers/mode_coupling.hpp"
#include "lapwing_coast/layers/momentum_advection.hpp"
#include "lapwing_coast/layers/sigma_layers.hpp"
#include "lapwing_coast/layers/turbulence.hpp"
#include "lapwing_coast/layers/vertical_mixing.hpp"
#include "lapwing_coast/tracer/tracer_transport.hpp"

namespace lapwing_coast {

struct LayerSettings {
    int levels = 60;
    std::vector<double> shares{};
    int micro_steps = 10;
    Scheme scheme = Scheme::p2_pdm;
    Split split = Split::half_steps;
    SeaWater water;
    HorizontalMixing mixing;
    bool k_epsilon = true;
    double viscosity = 1e-3;
    double diffusivity = 1e-4;
    double bottom_roughness = 0.0015;
    double surface_roughness = 0.02;
    std::array<double, 2> wind_stress{};
    std::array<double, 2> drive{};
    double heat_flux = 0;
    double salt_flux = 0;

    static constexpr std::tuple declared{
        lapwing::Setting{"levels", &LayerSettings::levels, "layers"},
        lapwing::Setting{"shares", &LayerSettings::shares,
                         "of the depth that each layer has, from the bottom; none: all the same"},
        lapwing::Setting{"micro_steps", &LayerSettings::micro_steps,
                         "steps of the depth-integrated mode in one of the layers"},
        lapwing::Setting{"scheme", &LayerSettings::scheme, "of the advection of tracers"},
        lapwing::Setting{"split", &LayerSettings::split, "of a step of advection into fractional ones"},
        lapwing::Setting{"water", &LayerSettings::water, "what it weighs"},
        lapwing::Setting{"mixing", &LayerSettings::mixing, "along the layers; none: 0"},
        lapwing::Setting{"k_epsilon", &LayerSettings::k_epsilon, "else viscosity and diffusivity are constant"},
        lapwing::Setting{"viscosity", &LayerSettings::viscosity, "where it is constant, m2/s"},
        lapwing::Setting{"diffusivity", &LayerSettings::diffusivity, "where it is constant, m2/s"},
        lapwing::Setting{"bottom_roughness", &LayerSettings::bottom_roughness,
                         "z0, m; 0: no friction, not with k_epsilon"},
        lapwing::Setting{"surface_roughness", &LayerSettings::surface_roughness, "z0 of the surface, m"},
        lapwing::Setting{"wind_stress", &LayerSettings::wind_stress, "along x and y, over the density of water, m2/s2"},
        lapwing::Setting{"drive", &LayerSettings::drive,
                         "g times the slope of the surface that drives a channel, along x and y, m/s2"},
        lapwing::Setting{"heat_flux", &LayerSettings::heat_flux, "of temperature into the sea, K m/s"},
        lapwing::Setting{"salt_flux", &LayerSettings::salt_flux, "of salinity, g/kg m/s"}};
};

// The layers at one end of a step. Where metrics vary, tracers are carried in terms of volumes: the thickness is a
// volume (m3), and what flows through the top of a layer is m3/s.
struct LayerFields {
    Field<double> thickness;                      // at cell centres, m
    std::array<Field<double>, 2> over_thickness;  // 1 over that at the faces, 1/m
};

// The forcing of the surface during a step, everywhere alike.
struct SurfaceForcing {
    std::array<double, 2> wind_stress{};   // along x and y, over the density of water, m2/s2
    double friction_velocity_squared = 0;  // m2/s2
    double heat_flux = 0;                  // of temperature into the sea, K m/s
    double salt_flux = 0;                  // of salinity, g/kg m/s
};

// The fields of the model on the boxes of one rank and the step that moves them on. A step is: what density, the flow's
// own momentum and the bottom do to the layers; the micro steps, driven by the sum of that; the layers, made to carry
// what the micro steps carried; vertical flow, turbulence, temperature and salinity.
class LayeredCoast {
    lapwing::Domain& domain_;
    double largest_diffusivity_;    // along the layers, m2/s
    LayerSettings settings_;        // checked before fields are made from them
    std::vector<double> relative_;  // thicknesses of the layers over their mean; none: all are 1
    ForcingSeries forcing_;

  public:
    // At rest, with no salinity and temperature 0. `depth` as for BarotropicMode, `barotropic.time_step` is the length
    // of a micro step, `inputs` as there. `forcing` replaces the numbers of `layers` that it has values for.
    // Collective; throws UserError on all ranks as BarotropicMode does, and for layer settings and forcing that make no
    // sense or differ.
    LayeredCoast(lapwing::Domain& domain, const CoastSettings& barotropic, const LayerSettings& layers,
                 std::span<const double> depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
                 const std::vector<lapwing::ListedExchange>& listed, const std::string& strategy,
                 const std::string& transport, CoastInputs inputs = {});
    LayeredCoast(const LayeredCoast&) = delete;  // the kernels point into it
    LayeredCoast& operator=(const LayeredCoast&) = delete;

    // Runs `steps` steps, of `micro_steps` micro steps each. Call it on all ranks.
    void advance(Index steps);

    // Sets the time and the forcing of the next step, for callers that run the stages of `step` by other means than
    // `advance`. Local.
    void tick();

    // Goes on from `step_number`; the caller has put the state of that moment into the fields. Call it on all ranks.
    void resume(Index step_number);

    // Throws StateError on all ranks when a value is not finite, a wet cell has run dry, or more water leaves a cell of
    // a layer in a step than is in it. Collective.
    void check_state() const;

    // Sets the velocities from the flow. All ranks alike, no messages.
    void find_velocities();

    [[nodiscard]] Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return step_; }

    BarotropicMode mode;
    std::array<Field<double>, 2> flow;      // in the layers through x and y faces, m2/s
    Field<double> temperature;              // degC
    Field<double> salinity;                 // g/kg
    Field<double> tke, dissipation;         // at the tops of the layers, m2/s2 and m2/s3
    Field<double> viscosity, diffusivity;   // there, m2/s
    std::array<Field<double>, 2> velocity;  // in the layers through x and y faces, m/s: what find_velocities sets
    [[nodiscard]] Field<double>& flow_z() { return tracers_.flow_z(); }  // through tops of layers, m/s or m3/s

  private:
    void start(std::span<const double> depth);
    void begin_step(Index step);
    void set_forcing(Index step);
    [[nodiscard]] LayerShape shape() const { return {relative_.empty() ? nullptr : relative_.data()}; }
    [[nodiscard]] double time_step() const { return mode.settings().time_step * settings_.micro_steps; }  // s
    // 1 over the spacing along an axis, 1/m; 1 where metrics vary.
    [[nodiscard]] double over_spacing(Axis axis) const {
        if (mode.metrics.varies()) return 1.0;
        return 1.0 / (axis == lapwing::x ? mode.settings().spacing_x : mode.settings().spacing_y);
    }

    // by position in the cycle: two lists where a step has an odd number of micro steps, as the axis that goes first
    // alternates
    [[nodiscard]] std::vector<lapwing::Stages> cycle();
    [[nodiscard]] lapwing::Stages stages(int first_micro_step);
    [[nodiscard]] lapwing::Stage layers_stage(const std::string& name, const LayerFields& layers) const;
    [[nodiscard]] lapwing::Stage buoyancy_stage() const;
    [[nodiscard]] lapwing::Stages tendency_stages();
    [[nodiscard]] lapwing::Stages momentum_mixing_stages() const;
    [[nodiscard]] lapwing::Stages sum_stages() const;
    [[nodiscard]] lapwing::Stages slow_stages() const;
    [[nodiscard]] lapwing::Stages micro_stages(int first_micro_step) const;
    [[nodiscard]] lapwing::Stage mean_stage(bool first) const;
    [[nodiscard]] lapwing::Stages momentum_stages();
    [[nodiscard]] lapwing::Stages turbulence_stages();
    [[nodiscard]] lapwing::Stages tracer_mixing_stages(const Field<double>& tracer) const;
    [[nodiscard]] lapwing::Stage mixing_stage(const Field<double>& tracer, const double* surface_flux);
    [[nodiscard]] lapwing::Stages velocity_stages() const;

    LayerFields before_, after_;
    Field<double> buoyancy_;                 // m/s2
    std::array<Field<double>, 2> tendency_;  // of the flow, m2/s2
    std::array<Field<double>, 2> sum_;       // of the flow over the layers, m2/s
    std::array<Field<double>, 2> mean_;      // of the transports over the micro steps, m2/s
    std::array<Field<double>, 2> drag_;      // of the bottom, m/s
    std::array<Field<double>, 2> strain_;    // tension at cells and shear at corners, 1/s
    std::array<Field<double>, 2> stress_;    // of horizontal mixing, there, times the thickness, m3/s2
    std::array<Field<double>, 2> diffused_;  // tracer through the faces in a step, tracer m or m3
    TracerTransport tracers_;
    SurfaceForcing surface_;    // of the step at hand
    std::vector<double> work_;  // of all kernels, which run one after the other
    Index step_number_ = 0;
    lapwing::Step step_, velocity_step_;
};

}  // namespace lapwing_coast
