#include "lapwing_coast/layers/layered_coast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/setup_check.hpp"
#include "lapwing_coast/state_check.hpp"

namespace lapwing_coast {

using lapwing::Domain;

namespace {

// `in_volumes`: flows are m3/s and layers m3, as they are in cells of 1 m.
TransportSettings transport_settings(const CoastSettings& barotropic, const LayerSettings& layers, bool in_volumes) {
    TransportSettings settings;
    settings.time_step = barotropic.time_step * layers.micro_steps;
    settings.spacing_x = in_volumes ? 1.0 : barotropic.spacing_x;
    settings.spacing_y = in_volumes ? 1.0 : barotropic.spacing_y;
    settings.levels = layers.levels;
    settings.scheme = layers.scheme;
    settings.split = layers.split;
    return settings;
}

// Once all ranks have the same settings, that make sense.
LayerSettings checked(const Domain& domain, const LayerSettings& settings, double largest_diffusivity) {
    const std::string text = lapwing::text_of(settings) + " mixing up to " + lapwing_coast::text(largest_diffusivity);
    lapwing::require_agreed(domain, "settings of the layers", text, [&] {
        check_settings(settings);
        check_mixing(settings.mixing, largest_diffusivity);
    });
    return settings;
}

std::vector<double> relative_thicknesses(const LayerSettings& settings) {
    std::vector<double> relative = settings.shares;
    for (double& share : relative) share *= settings.levels;
    return relative;
}

ForcingSeries checked(const Domain& domain, ForcingSeries forcing) {
    lapwing::require_agreed(domain, "forcing of the layers", lapwing::text_of(forcing),
                            [&] { check_forcing(forcing); });
    return forcing;
}

LayerFields layer_fields(Domain& domain, const std::string& when, int levels) {
    return {centre_field(domain, "thickness_" + when, levels), face_fields(domain, "over_thickness_" + when)};
}

// Tension at cells and shear at corners, or the stress that they make.
std::array<Field<double>, 2> deformation(Domain& domain, const std::string& name, int levels) {
    return {centre_field(domain, name + "_tension", levels),
            Field<double>(domain, name + "_shear", {.location = lapwing::Location::corner, .levels = levels})};
}

// The room of the kernel that needs most: they run one after the other, so that one room does for all.
std::vector<double> workspace(int levels) {
    return std::vector<double>(static_cast<std::size_t>(
        std::max({layer_momentum_work(levels), turbulence_work(levels), mixing_work(levels)})));
}

}  // namespace

LayeredCoast::LayeredCoast(Domain& domain, const CoastSettings& barotropic, const LayerSettings& layers,
                           std::span<const double> depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
                           const std::vector<lapwing::ListedExchange>& listed, const std::string& strategy,
                           const std::string& transport, CoastInputs inputs)
    : domain_(domain),
      largest_diffusivity_(largest_diffusivity(barotropic, inputs.metrics, barotropic.time_step * layers.micro_steps)),
      settings_(checked(domain, layers, largest_diffusivity_)),
      relative_(relative_thicknesses(settings_)),
      forcing_(checked(domain, std::move(forcing))),
      mode(domain, barotropic, depth, std::move(boundaries), std::move(inputs),
           {.micro_steps = layers.micro_steps, .slow_terms = true}),
      flow(face_fields(domain, "flow", layers.levels, Land::constant)),
      temperature(centre_field(domain, "temperature", layers.levels, Land::constant)),
      salinity(centre_field(domain, "salinity", layers.levels, Land::constant)),
      tke(centre_field(domain, "tke", layers.levels)),
      dissipation(centre_field(domain, "dissipation", layers.levels)),
      viscosity(centre_field(domain, "viscosity", layers.levels, Land::constant)),
      diffusivity(centre_field(domain, "diffusivity", layers.levels)),
      velocity(face_fields(domain, "velocity", layers.levels)),
      before_(layer_fields(domain, "before", layers.levels)),
      after_(layer_fields(domain, "after", layers.levels)),
      buoyancy_(centre_field(domain, "buoyancy", layers.levels)),
      tendency_(face_fields(domain, "tendency", layers.levels)),
      sum_(face_fields(domain, "sum")),
      mean_(face_fields(domain, "mean_transport")),
      drag_(face_fields(domain, "drag")),
      strain_(deformation(domain, "strain", layers.levels)),
      stress_(deformation(domain, "stress", layers.levels)),
      diffused_(face_fields(domain, "diffused", layers.levels)),
      tracers_(domain, transport_settings(barotropic, layers, mode.metrics.varies()),
               {flow[0], flow[1], before_.thickness, after_.thickness, mode.open_cells(), mode.metrics.width}, depth,
               {{temperature, "temperature_"}, {salinity, "salinity_"}}),
      work_(workspace(layers.levels)),
      step_(domain, cycle(),
            {.strategy = strategy, .transport = transport, .listed = listed, .listed_halo = literal_halo}),
      velocity_step_(domain, velocity_stages()) {
    start(depth);
}

void LayeredCoast::start(std::span<const double> depth) {
    mode.start(depth);
    tracers_.start(depth);
    const auto fill = [](Field<double>& field, double value) {
        field.allocate();  // without turbulence, no stage uses its fields
        field.fill([=](Index, Index, Index) { return value; });
    };
    const Turbulence least;
    fill(tke, least.least_tke);
    fill(dissipation, least.least_dissipation);
    fill(viscosity, settings_.k_epsilon ? least.background_viscosity : settings_.viscosity);
    fill(diffusivity, settings_.k_epsilon ? least.background_diffusivity : settings_.diffusivity);
    set_forcing(0);
}

void LayeredCoast::advance(Index steps) {
    step_.run(static_cast<int>(steps), [this](Index step) { begin_step(step_number_ + step); });
    step_number_ += steps;
}

void LayeredCoast::tick() { begin_step(step_number_++); }

void LayeredCoast::begin_step(Index step) {
    set_forcing(step);
    mode.set_clock(step * settings_.micro_steps);
    mode.set_inflow((static_cast<double>(step) + 0.5) * time_step());
    mode.air.set_time((static_cast<double>(step) + 0.5) * time_step());
}

// The value at the middle of a step makes what a ramp adds to the sea its integral. From the step's number, so that a
// restart finds the same bits.
void LayeredCoast::set_forcing(Index step) {
    Moment middle;
    if (!forcing_.times.empty()) middle = moment_at(forcing_.times, (static_cast<double>(step) + 0.5) * time_step());
    for (const Axis axis : horizontal_axes)
        surface_.wind_stress[axis] = value_at(forcing_.wind_stress[axis], middle, settings_.wind_stress[axis]);
    surface_.friction_velocity_squared = std::hypot(surface_.wind_stress[0], surface_.wind_stress[1]);
    surface_.heat_flux = value_at(forcing_.heat_flux, middle, settings_.heat_flux);
    surface_.salt_flux = value_at(forcing_.salt_flux, middle, settings_.salt_flux);
}

void LayeredCoast::resume(Index step_number) {
    step_number_ = step_number;
    step_.restart_at(static_cast<int>(step_number % (settings_.micro_steps % 2 == 0 ? 1 : 2)));
}

void LayeredCoast::check_state() const {
    const std::array<Checked, 9> checked{{{mode.sea_level, mode.depth},
                                          {mode.transport[0]},
                                          {mode.transport[1]},
                                          {flow[0]},
                                          {flow[1]},
                                          {temperature},
                                          {salinity},
                                          {tke},
                                          {dissipation}}};
    lapwing_coast::check_state(domain_, checked, step_number_, mode.settings().least_depth > 0);
    if (step_number_ > 0) tracers_.check_limits(step_number_);
}

void LayeredCoast::find_velocities() { velocity_step_.run(); }

}  // namespace lapwing_coast
