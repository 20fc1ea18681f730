#include "lapwing_coast/layers/layered_coast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/setup_check.hpp"
#include "lapwing_coast/state_check.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Location;
using lapwing::Stage;

namespace {

constexpr int halo = 2;  // cells that the widest stencil reaches

void check_settings(const LayerSettings& s) {
    require_positive("levels", s.levels, "layers");
    require_positive("micro steps", s.micro_steps, "steps");
    if (s.k_epsilon || s.bottom_roughness != 0) require_positive("bottom roughness", s.bottom_roughness, "m");
    require_positive("surface roughness", s.surface_roughness, "m");
    require_positive("reference density", s.water.reference_density, "kg/m3");
    if (!(s.viscosity >= 0 && s.diffusivity >= 0))
        lapwing::user_error("viscosity and diffusivity", text(s.viscosity) + " and " + text(s.diffusivity) + " m2/s",
                            "0 or more", "correct the setting");
    const std::array<double, 6> forcing{s.wind_stress[0], s.wind_stress[1], s.drive[0],
                                        s.drive[1],       s.heat_flux,      s.salt_flux};
    for (const double value : forcing) {
        if (!std::isfinite(value))
            lapwing::user_error("forcing of the layers", text(value), "finite numbers", "correct the setting");
    }
}

TransportSettings transport_settings(const CoastSettings& barotropic, const LayerSettings& layers) {
    TransportSettings settings;
    settings.time_step = barotropic.time_step * layers.micro_steps;
    settings.spacing_x = barotropic.spacing_x;
    settings.spacing_y = barotropic.spacing_y;
    settings.levels = layers.levels;
    settings.scheme = layers.scheme;
    settings.split = layers.split;
    return settings;
}

// Once all ranks have the same settings, that make sense.
LayerSettings checked(const Domain& domain, const LayerSettings& settings) {
    lapwing::together(domain.comm(), [&] { check_settings(settings); });
    lapwing::require_same(domain.comm(), "settings of the layers", lapwing::text_of(settings));
    return settings;
}

ForcingSeries checked(const Domain& domain, ForcingSeries forcing) {
    lapwing::together(domain.comm(), [&] { check_forcing(forcing); });
    lapwing::require_same(domain.comm(), "forcing of the layers", lapwing::text_of(forcing));
    return forcing;
}

void fill(Field& field, double value) {
    for (std::size_t b = 0; b < field.blocks().size(); ++b) {
        const auto view = field.view<double>(static_cast<int>(b));
        const lapwing::Box& owned = field.blocks()[b].owned;
        for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) view(i, j, k) = value;
    }
}

LayerFields make_layer_fields(const Domain& domain, const std::string& when, int levels) {
    return {make_field(domain, "thickness_" + when, Location::center, {levels, halo}),
            make_face_fields(domain, "over_thickness_" + when, {0, halo})};
}

// The kernels run one after the other, so that one room does for all.
std::vector<double> workspace(int levels) {
    return std::vector<double>(static_cast<std::size_t>(
        std::max({layer_momentum_work(levels), turbulence_work(levels), mixing_work(levels)})));
}

}  // namespace

LayeredCoast::LayeredCoast(Domain& domain, const CoastSettings& barotropic, const LayerSettings& layers,
                           std::span<const double> depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
                           std::span<const lapwing::ListedExchange> listed, const std::string& strategy,
                           const std::string& transport)
    : domain_(domain),
      settings_(checked(domain, layers)),
      forcing_(checked(domain, std::move(forcing))),
      mode(domain, barotropic, depth, std::move(boundaries),
           {.micro_steps = layers.micro_steps, .slow_terms = true, .halo = halo}),
      flow{layered_field(domain, transport_settings(barotropic, layers), "flow_x", Location::xface),
           layered_field(domain, transport_settings(barotropic, layers), "flow_y", Location::yface)},
      temperature(make_field(domain, "temperature", Location::center, {layers.levels, halo})),
      salinity(make_field(domain, "salinity", Location::center, {layers.levels, halo})),
      tke(make_field(domain, "tke", Location::center, {layers.levels, halo})),
      dissipation(make_field(domain, "dissipation", Location::center, {layers.levels, halo})),
      viscosity(make_field(domain, "viscosity", Location::center, {layers.levels, halo})),
      diffusivity(make_field(domain, "diffusivity", Location::center, {layers.levels, halo})),
      velocity(make_face_fields(domain, "velocity", {layers.levels, halo})),
      before_(make_layer_fields(domain, "before", layers.levels)),
      after_(make_layer_fields(domain, "after", layers.levels)),
      buoyancy_(make_field(domain, "buoyancy", Location::center, {layers.levels, halo})),
      tendency_(make_face_fields(domain, "tendency", {layers.levels, halo})),
      sum_(make_face_fields(domain, "sum", {0, halo})),
      mean_(make_face_fields(domain, "mean_transport", {0, halo})),
      drag_(make_face_fields(domain, "drag", {0, halo})),
      tracers_(domain, transport_settings(barotropic, layers),
               {flow[0], flow[1], before_.thickness, after_.thickness, mode.open_cells()}, depth,
               {{&temperature, "temperature_"}, {&salinity, "salinity_"}}),
      work_(workspace(layers.levels)) {
    const TurbulenceContext least;
    fill(tke, least.least_tke);
    fill(dissipation, least.least_dissipation);
    fill(viscosity, settings_.k_epsilon ? least.background_viscosity : settings_.viscosity);
    fill(diffusivity, settings_.k_epsilon ? least.background_diffusivity : settings_.diffusivity);
    make_contexts();
    auto stages = cycle();
    lapwing::together(domain.comm(), [&] { lapwing::exchange_after(stages, listed, Extent::horizontal(halo)); });
    step_ = std::make_unique<lapwing::Step>(domain, std::move(stages), strategy, transport);
}

void LayeredCoast::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) {
        set_forcing();
        mode.set_clock(step_number_++ * settings_.micro_steps);
        step_->run(n + 1 < steps);
    }
}

// The value at the middle of a step makes what a ramp adds to the sea its integral. From the step's number, so that a
// restart finds the same bits.
void LayeredCoast::set_forcing() {
    if (forcing_.times.empty()) return;
    const double dt = mode.settings().time_step * settings_.micro_steps;  // s
    const Moment middle = moment_at(forcing_.times, (static_cast<double>(step_number_) + 0.5) * dt);
    std::array<double, 2> stress{};  // m2/s2
    for (std::size_t axis = 0; axis < 2; ++axis) {
        stress[axis] = value_at(forcing_.wind_stress[axis], middle, settings_.wind_stress[axis]);
        for (SlowTermsContext& context : slowing_[axis]) context.surface_stress = stress[axis];
        for (LayerMomentumContext& context : momentum_[axis]) context.surface_stress = stress[axis];
    }
    for (TurbulenceContext& context : stirring_) context.surface_stress.everywhere = std::hypot(stress[0], stress[1]);
    const double heat = value_at(forcing_.heat_flux, middle, settings_.heat_flux);  // K m/s
    for (MixingContext& context : mixing_temperature_) context.surface_flux.everywhere = heat;
    const double salt = value_at(forcing_.salt_flux, middle, settings_.salt_flux);  // g/kg m/s
    for (MixingContext& context : mixing_salinity_) context.surface_flux.everywhere = salt;
}

void LayeredCoast::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % (settings_.micro_steps % 2 == 0 ? 1 : 2)));
}

void LayeredCoast::check_state() const {
    const std::array<Checked, 9> checked{{{&mode.sea_level, &mode.depth},
                                          {&mode.transport[0], nullptr},
                                          {&mode.transport[1], nullptr},
                                          {&flow[0], nullptr},
                                          {&flow[1], nullptr},
                                          {&temperature, nullptr},
                                          {&salinity, nullptr},
                                          {&tke, nullptr},
                                          {&dissipation, nullptr}}};
    lapwing_coast::check_state(domain_, checked, step_number_);
    if (step_number_ > 0) tracers_.check_limits(step_number_);
}

void LayeredCoast::find_velocities() {
    for (auto& contexts : velocities_) {
        for (std::size_t b = 0; b < contexts.size(); ++b)
            lapwing_coast::velocity(&contexts[b], mode.sea_level.blocks()[b].owned);
    }
}

}  // namespace lapwing_coast
