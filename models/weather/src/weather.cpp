#include "lapwing_weather/weather.hpp"

#include <cmath>
#include <sstream>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "lapwing_weather/state_check.hpp"

namespace lapwing_weather {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Location;

namespace {

void check_settings(const Domain& domain, const WeatherSettings& s) {
    check(s.levels, least_surface_pressure, largest_surface_pressure);
    if (!s.modes.empty()) check(s.modes, s.levels.levels());
    for (const auto& [name, value] : {std::pair{"time step", s.time_step}, std::pair{"spacing along x", s.spacing_x},
                                      std::pair{"spacing along y", s.spacing_y}}) {
        if (!(std::isfinite(value) && value > 0))
            lapwing::user_error(name, std::to_string(value), "a finite value above 0", "correct the setting");
    }
    const lapwing::Grid& grid = domain.partition().grid();
    if (grid.size[2] != 1)
        lapwing::user_error("grid of the weather model", to_string(grid), "one level", "give the layers as levels");
    if (s.semi_lagrangian && std::min(grid.size[0], grid.size[1]) < path_halo)
        lapwing::user_error("grid of semi-Lagrangian steps", to_string(grid),
                            "at least " + std::to_string(path_halo) + " cells along both axes, as wide as the halo",
                            "choose more cells, or centred advection");
    if (s.relaxation < 0)
        lapwing::user_error("relaxation", std::to_string(s.relaxation) + " cells", "0 or more", "correct the setting");
    if (s.beta != 0 && grid.periodic[1])
        lapwing::user_error("beta", std::to_string(s.beta) + " on a grid that closes on itself along y", "0",
                            "let walls stand along y, or take one Coriolis parameter");
    const bool closes = grid.periodic[0] || grid.periodic[1];
    if (s.relaxation > 0 && (closes || 2 * s.relaxation > grid.size[0] || 2 * s.relaxation > grid.size[1]))
        lapwing::user_error("relaxation", std::to_string(s.relaxation) + " cells on a " + to_string(grid),
                            "at most half of the cells of a grid that does not close on itself",
                            "choose a narrower frame, or 0 for walls");
    const double fourth = std::pow(s.spacing_x, -4) + std::pow(s.spacing_y, -4);
    if (!(s.diffusion >= 0) || 2 * s.time_step * s.diffusion * 16 * fourth > 1.0) {
        std::ostringstream got, most;
        got << s.diffusion << " m4/s";
        most << "0 to " << 1.0 / (2 * s.time_step * 16 * fourth) << " m4/s, what an explicit step can take";
        lapwing::user_error("diffusion", got.str(), most.str(), "choose less, or a shorter time step");
    }
}

WeatherSettings checked(const Domain& domain, const WeatherSettings& settings) {
    lapwing::together(domain.comm(), [&] { check_settings(domain, settings); });
    lapwing::require_same(domain.comm(), "settings of the weather model", lapwing::text_of(settings));
    return settings;
}

// Cells that the widest stencil reaches.
constexpr int halo = 2;

// x, levels, y: rows are long, and the layers of a row lie beside each other, so that a column is a few pages.
Field make_field(const Domain& domain, std::string name, Location location, int levels, int width = halo) {
    lapwing::FieldSpec spec;
    spec.name = std::move(name);
    spec.location = location;
    spec.levels = levels;
    spec.order = {0, 2, 1, 3};
    const Extent room = domain.halo_with_spare(Extent::horizontal(width), spec.name);
    return {domain.partition(), domain.rank(), std::move(spec), room};
}

Weather make_state(const Domain& domain, const WeatherSettings& s, const std::string& when, int width = halo) {
    const auto make = [&](const char* name, Location location, int levels) {
        return make_field(domain, name + when, location, levels, width);
    };
    const int levels = s.levels.levels();
    Weather weather{{make("wind_x", Location::xface, levels), make("wind_y", Location::yface, levels)},
                    make("temperature", Location::center, levels),
                    make("pressure", Location::center, 0),
                    {}};
    if (s.moist) weather.humidity.push_back(make("humidity", Location::center, levels));
    return weather;
}

std::vector<Weather> make_states(const Domain& domain, const WeatherSettings& s) {
    std::vector<Weather> states;
    for (const char* when : {"_0", "_1", "_2"}) states.push_back(make_state(domain, s, when));
    return states;
}

std::vector<Weather> make_given(const Domain& domain, const WeatherSettings& s) {
    std::vector<Weather> given;
    if (s.relaxation > 0) given.push_back(make_state(domain, s, "_given"));
    if (s.relaxation > 0 && s.changing_boundary) given.push_back(make_state(domain, s, "_given_1"));
    return given;
}

// A field with levels where the step is implicit, else none.
std::vector<Field> make_implicit(const Domain& domain, const WeatherSettings& s, const char* name) {
    std::vector<Field> fields;
    if (!s.modes.empty()) fields.push_back(make_field(domain, name, Location::center, s.levels.levels()));
    return fields;
}

std::vector<Weather> make_smoothed(const Domain& domain, const WeatherSettings& s) {
    std::vector<Weather> smoothed;
    if (s.implicit_diffusion) smoothed.push_back(make_state(domain, s, "_smoothed"));
    return smoothed;
}

std::vector<Weather> make_on_paths(const Domain& domain, const WeatherSettings& s) {
    std::vector<Weather> on_paths;
    if (s.semi_lagrangian) on_paths.push_back(make_state(domain, s, "_on_paths", path_halo));
    return on_paths;
}

// A level for each layer and one for the pressure of the surface.
std::vector<Field> make_displacements(const Domain& domain, const WeatherSettings& s) {
    std::vector<Field> displacements;
    if (!s.semi_lagrangian) return displacements;
    for (const char* name : {"displacement_x", "displacement_y"})
        displacements.push_back(make_field(domain, name, Location::center, s.levels.levels() + 1, path_halo));
    return displacements;
}

// Copies the owned cells of one field to another.
void copy(const Field& from, Field& to) {
    for (std::size_t b = 0; b < from.blocks().size(); ++b) {
        const auto source = from.view<double>(static_cast<int>(b)), target = to.view<double>(static_cast<int>(b));
        const Box& owned = from.blocks()[b].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) target.row(j, k)[i] = source.row(j, k)[i];
    }
}

}  // namespace

std::vector<Field*> fields_of(Weather& weather) {
    std::vector<Field*> fields{&weather.wind[0], &weather.wind[1], &weather.temperature, &weather.pressure};
    for (Field& field : weather.humidity) fields.push_back(&field);
    return fields;
}

WeatherModel::WeatherModel(Domain& domain, const WeatherSettings& settings, const std::string& strategy,
                           const std::string& transport)
    : states(make_states(domain, checked(domain, settings))),
      given(make_given(domain, settings)),
      surface_geopotential(make_field(domain, "surface_geopotential", Location::center, 0)),
      shown(make_state(domain, settings, "")),
      height(make_field(domain, "height", Location::center, settings.levels.levels())),
      modes(make_implicit(domain, settings, "modes")),
      smoothed(make_smoothed(domain, settings)),
      domain_(domain),
      settings_(settings),
      geopotential_(make_field(domain, "geopotential", Location::center, settings.levels.levels())),
      push_(make_field(domain, "push", Location::center, settings.levels.levels())),
      flow_down_(make_field(domain, "flow_down", Location::center, settings.levels.levels())),
      heating_(make_field(domain, "heating", Location::center, settings.levels.levels())),
      outflow_(make_field(domain, "outflow", Location::center, 0)),
      divergence_(make_implicit(domain, settings, "divergence")),
      lift_(make_implicit(domain, settings, "lift")),
      on_paths_(make_on_paths(domain, settings)),
      displacements_(make_displacements(domain, settings)),
      work_(columns_work(settings.levels.levels())),
      implicit_work_(modes.empty() ? 0 : implicit_work(settings.levels.levels())) {
    for (int block = 0; block < std::ssize(height.blocks()); ++block) make_contexts(block);
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport);
}

void WeatherModel::tick() {
    length_ = (step_number_ == 0 ? 1 : 2) * settings_.time_step;
    half_length_ = 0.5 * length_;
    strength_ = step_number_ < 2 ? 0.0 : settings_.filter;  // the states before the start are none
    ++step_number_;
    if (given.size() == 2) share_out_given(static_cast<double>(step_number_) * settings_.time_step);
}

// Linear in time between the records, constant before and after them.
void WeatherModel::share_out_given(double time) {
    const std::size_t before = given_times[0] <= given_times[1] ? 0 : 1, after = 1 - before;
    const double length = given_times[after] - given_times[before];
    const double past = length > 0 ? (time - given_times[before]) / length : 0.0;
    shares_[after] = std::min(std::max(past, 0.0), 1.0);
    shares_[before] = 1.0 - shares_[after];
}

void WeatherModel::advance(Index steps) {
    if (!modes.empty() && !solve)
        lapwing::user_error("solver of the vertical modes", "none", "one where there are modes",
                            "set `solve` before the first step");
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) {
        tick();
        step_->run(n + 1 < steps);
    }
}

void WeatherModel::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 3));
}

void WeatherModel::show() {
    const std::vector<Field*> from = fields_of(states[newest()]), to = fields_of(shown);
    for (std::size_t n = 0; n < from.size(); ++n) copy(*from[n], *to[n]);
    for (std::size_t b = 0; b < shown_columns_.size(); ++b) find_heights(&shown_columns_[b], height.blocks()[b].owned);
}

void WeatherModel::check_state() { lapwing_weather::check_state(domain_, settings_, states[newest()], step_number_); }

}  // namespace lapwing_weather
