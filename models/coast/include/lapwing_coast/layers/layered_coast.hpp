#pragma once
// The coast model in three dimensions: layers of water that follow bottom and surface, split from the depth-integrated
// mode that carries the tides.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"
#include "lapwing_coast/barotropic/velocity.hpp"
#include "lapwing_coast/forcing_series.hpp"
#include "lapwing_coast/layers/equation_of_state.hpp"
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
    int micro_steps = 10;
    Scheme scheme = Scheme::p2_pdm;
    Split split = Split::half_steps;
    SeaWater water;
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
        lapwing::Setting{"levels", &LayerSettings::levels, "layers, equally thick in a column"},
        lapwing::Setting{"micro_steps", &LayerSettings::micro_steps,
                         "steps of the depth-integrated mode in one of the layers"},
        lapwing::Setting{"scheme", &LayerSettings::scheme, "of the advection of tracers"},
        lapwing::Setting{"split", &LayerSettings::split, "of a step of advection into fractional ones"},
        lapwing::Setting{"water", &LayerSettings::water, "what it weighs"},
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

// The layers at one end of a step.
struct LayerFields {
    lapwing::Field thickness;                      // at cell centres, m
    std::array<lapwing::Field, 2> over_thickness;  // 1 over that at the faces, 1/m
};

// The fields of the model on the boxes of one rank and the step that moves them on. A step is: what density, the flow's
// own momentum and the bottom do to the layers; the micro steps, driven by the sum of that; the layers, made to carry
// what the micro steps carried; vertical flow, turbulence, temperature and salinity.
class LayeredCoast {
    lapwing::Domain& domain_;
    LayerSettings settings_;  // checked before fields are made from them
    ForcingSeries forcing_;

  public:
    // At rest, with no salinity and temperature 0. `depth` as for BarotropicMode, `barotropic.time_step` is that of a
    // micro step. `forcing` takes the place of the numbers of `layers` that it has values for. Collective; throws
    // UserError on all ranks as BarotropicMode does, and for layer settings and forcing that make no sense or differ.
    LayeredCoast(lapwing::Domain& domain, const CoastSettings& barotropic, const LayerSettings& layers,
                 std::span<const double> depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
                 std::span<const lapwing::ListedExchange> listed, const std::string& strategy,
                 const std::string& transport);

    // Runs `steps` steps, of `micro_steps` micro steps each. All ranks alike.
    void advance(lapwing::Index steps);

    // The stages of a step by position in the cycle: two lists where a step has an odd number of micro steps, as the
    // axis that goes first alternates. Local.
    [[nodiscard]] std::vector<std::vector<lapwing::Stage>> cycle();

    // Goes on from `step_number`; the caller has put the state of that moment into the fields. All ranks alike.
    void resume(lapwing::Index step_number);

    // Throws StateError on all ranks when a value is not finite, a wet cell has run dry, or more water leaves a cell of
    // a layer in a step than is in it. Collective.
    void check_state() const;

    // Sets the velocities from the flow. Local.
    void find_velocities();

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }

    BarotropicMode mode;
    std::array<lapwing::Field, 2> flow;      // in the layers through x and y faces, m2/s
    lapwing::Field temperature;              // degC
    lapwing::Field salinity;                 // g/kg
    lapwing::Field tke, dissipation;         // at the tops of the layers, m2/s2 and m2/s3
    lapwing::Field viscosity, diffusivity;   // there, m2/s
    std::array<lapwing::Field, 2> velocity;  // at x and y faces, m/s, of the last `find_velocities`
    [[nodiscard]] lapwing::Field& flow_z() { return tracers_.flow_z(); }  // through the tops of the layers, m/s

  private:
    void make_contexts();
    void set_forcing();
    void make_layer_contexts(int block);
    void make_axis_contexts(std::size_t axis, int block);
    void make_coupling_contexts(std::size_t axis, int block);
    void make_column_contexts(int block);
    [[nodiscard]] lapwing::Stage layers_stage(bool after);
    [[nodiscard]] lapwing::Stage buoyancy_stage();
    [[nodiscard]] lapwing::Stage pressure_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage advection_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage sum_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage speeds_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage sum_advection_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage drag_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage slow_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage mean_stage(bool first);
    [[nodiscard]] lapwing::Stage momentum_stage(std::size_t axis);
    [[nodiscard]] lapwing::Stage turbulence_stage();
    [[nodiscard]] lapwing::Stage mixing_stage(lapwing::Field& tracer, const char* name,
                                              std::vector<MixingContext>& contexts);
    [[nodiscard]] std::vector<lapwing::Stage> stages(int first_micro_step);

    LayerFields before_, after_;
    lapwing::Field buoyancy_;                 // m/s2
    std::array<lapwing::Field, 2> tendency_;  // of the flow, m2/s2
    std::array<lapwing::Field, 2> sum_,
        mean_;                            // of the flow over the layers; of the transports over the micro steps, m2/s
    std::array<lapwing::Field, 2> drag_;  // of the bottom, m/s
    TracerTransport tracers_;
    std::vector<double> work_;

    std::array<std::vector<LayersContext>, 2> layering_;  // [before, after][block]
    std::vector<EquationContext> densities_;
    std::array<std::vector<PressureContext>, 2> pressing_;  // [axis][block], as all of these
    std::array<std::vector<MomentumAdvectionContext>, 2> advecting_;
    std::array<std::vector<LayerSumContext>, 2> summing_;
    std::array<std::vector<CarryingSpeedsContext>, 2> carrying_;
    std::array<std::vector<TransportAdvectionContext>, 2> advecting_sums_;
    std::array<std::vector<BottomDragContext>, 2> dragging_;
    std::array<std::vector<SlowTermsContext>, 2> slowing_;
    std::array<std::vector<MeanTransportContext>, 2> averaging_;  // [first, later][block]
    std::array<std::vector<LayerMomentumContext>, 2> momentum_;
    std::vector<TurbulenceContext> stirring_;
    std::vector<MixingContext> mixing_temperature_, mixing_salinity_;
    std::array<std::vector<VelocityContext>, 2> velocities_;  // [axis][block]

    std::unique_ptr<lapwing::Step> step_;
    lapwing::Index step_number_ = 0;
};

}  // namespace lapwing_coast
