#include "lapwing_weather/weather.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_weather/dynamics/semi_lagrangian.hpp"
#include "lapwing_weather/smoothing/layer_copy.hpp"
#include "lapwing_weather/state_check.hpp"

namespace lapwing_weather {

using lapwing::Domain;
using lapwing::Index;
using lapwing::Location;

namespace {

// Steps may go back in time, where nothing that they do is irreversible.
void check_time_step(const WeatherSettings& s) {
    if (!std::isfinite(s.time_step) || s.time_step == 0)
        lapwing::user_error("time step", std::to_string(s.time_step), "a finite value other than 0",
                            "correct the setting");
    if (s.time_step < 0 && (s.diffusion > 0 || s.implicit_diffusion > 0)) {
        std::ostringstream got;
        got << std::max(s.diffusion, s.implicit_diffusion) << " m4/s with a time step of " << s.time_step << " s";
        lapwing::user_error("diffusion", got.str(), "0 in steps back in time, in which it would steepen",
                            "set it to 0, or step forward");
    }
}

void check_settings(const Domain& domain, const WeatherSettings& s) {
    check(s.levels, least_surface_pressure, largest_surface_pressure);
    if (!s.modes.empty()) check(s.modes, s.levels.levels());
    check_time_step(s);
    for (const auto& [name, value] :
         {std::pair{"spacing along x", s.spacing_x}, std::pair{"spacing along y", s.spacing_y}}) {
        if (!(std::isfinite(value) && value > 0))
            lapwing::user_error(name, std::to_string(value), "a finite value above 0", "correct the setting");
    }
    const lapwing::Grid& grid = domain.partition().grid();
    if (grid.size[2] != 1)
        lapwing::user_error("grid of the weather model", to_string(grid), "one level", "give the layers as levels");
    if (s.semi_lagrangian && std::min(grid.size[0], grid.size[1]) < departure_halo)
        lapwing::user_error(
            "grid of semi-Lagrangian steps", to_string(grid),
            "at least " + std::to_string(departure_halo) + " cells along both axes, as wide as the halo",
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

const WeatherSettings& checked(const Domain& domain, const WeatherSettings& settings) {
    lapwing::require_agreed(domain, "settings of the weather model", lapwing::text_of(settings),
                            [&] { check_settings(domain, settings); });
    return settings;
}

// x, levels, y: rows are long, and the layers of a row lie next to each other, so that a column is a few pages. Kernels
// read some twenty rows at once: these begin on lines of the cache, and not all on the same ones.
DoubleField make_field(Domain& domain, std::string name, int levels = 0, Location location = Location::center) {
    return {domain,
            std::move(name),
            {.location = location,
             .levels = levels,
             .order = {0, 2, 1, 3},
             .own_pages = true,
             .rows = lapwing::RowLayout::on_lines}};
}

Weather make_state(Domain& domain, const WeatherSettings& s, const std::string& when) {
    const int levels = s.levels.levels();
    Weather weather{{make_field(domain, "wind_x" + when, levels, Location::xface),
                     make_field(domain, "wind_y" + when, levels, Location::yface)},
                    make_field(domain, "temperature" + when, levels),
                    make_field(domain, "pressure" + when),
                    {}};
    if (s.moist) weather.humidity.push_back(make_field(domain, "humidity" + when, levels));
    return weather;
}

using Names = std::vector<std::string>;

std::vector<Weather> make_states(Domain& domain, const WeatherSettings& s, const Names& when) {
    std::vector<Weather> states;
    for (const std::string& one : when) states.push_back(make_state(domain, s, one));
    return states;
}

Names given_names(const WeatherSettings& s) {
    if (s.relaxation == 0) return {};
    return s.changing_boundary ? Names{"_given", "_given_1"} : Names{"_given"};
}

// Applies to this many levels, if there are any.
Fields make_fields(Domain& domain, bool any, const Names& names, int levels) {
    Fields fields;
    for (const std::string& name : any ? names : Names{}) fields.push_back(make_field(domain, name, levels));
    return fields;
}

// Finds a field that no stage uses.
void give_memory(const DoubleField& field) {
    if (!field.memory().has_memory()) field.memory().allocate({});
}

template <class T>
std::vector<lapwing::View<T>> views_of(const Fields& fields, int box) {
    std::vector<lapwing::View<T>> views;
    for (const DoubleField& field : fields) views.push_back(field.memory().view<T>(box));
    return views;
}

}  // namespace

Fields fields_of(const Weather& weather) {
    Fields fields{weather.wind[0], weather.wind[1], weather.temperature, weather.pressure};
    fields.insert(fields.end(), weather.humidity.begin(), weather.humidity.end());
    return fields;
}

Fields scalars_of(const Weather& weather) {
    Fields fields{weather.temperature};
    fields.insert(fields.end(), weather.humidity.begin(), weather.humidity.end());
    return fields;
}

std::vector<Points> points_of(const Fields& fields) {
    std::vector<Points> points;
    for (const DoubleField& field : fields) {
        const Location location = field.spec().location;
        const int axis = location == Location::xface ? 0 : location == Location::yface ? 1 : -1;
        points.push_back({axis, field.spec().levels});
    }
    return points;
}

WeatherModel::WeatherModel(Domain& domain, const WeatherSettings& settings, const std::string& strategy,
                           const std::string& transport, const lapwing::LineOptions& lines)
    : states(make_states(domain, checked(domain, settings), {"_0", "_1", "_2"})),
      given(make_states(domain, settings, given_names(settings))),
      surface_geopotential(make_field(domain, "surface_geopotential")),
      shown(make_state(domain, settings, "")),
      height(make_field(domain, "height", settings.levels.levels())),
      modes(make_fields(domain, !settings.modes.empty(), {"modes"}, settings.levels.levels())),
      smoothed(make_states(domain, settings, settings.implicit_diffusion > 0 ? Names{"_smoothed"} : Names{})),
      domain_(domain),
      settings_(settings),
      geopotential_(make_field(domain, "geopotential", settings.levels.levels())),
      gradient_factor_(make_field(domain, "push", settings.levels.levels())),
      vertical_velocity_(make_field(domain, "flow_down", settings.levels.levels())),
      heating_(make_field(domain, "heating", settings.levels.levels())),
      outflow_(make_field(domain, "outflow")),
      divergence_(make_fields(domain, !modes.empty(), {"divergence"}, settings.levels.levels())),
      linear_geopotential_(make_fields(domain, !modes.empty(), {"lift"}, settings.levels.levels())),
      displacements_(make_fields(domain, settings.semi_lagrangian, {"displacement_x", "displacement_y"},
                                 settings.levels.levels() + 1)),
      over_x_(1.0 / settings.spacing_x),
      over_y_(1.0 / settings.spacing_y) {
    if (settings_.semi_lagrangian) {
        const Weather along = make_state(domain, settings, "_on_paths");
        advected_ = {{{{along.wind[0]}, {along.wind[1]}}}, scalars_of(along), {along.pressure}, fields_of(along)};
    }
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), lapwing::StepOptions{strategy, transport});
    for (const DoubleField& field : fields_of(shown)) give_memory(field);
    for (const Weather& copies : smoothed) give_memory(copies.pressure);
    give_memory(height);
    make_line_solvers(lines);
}

// Between walls, winds through them are taken as 0 there, and nothing else goes through.
void WeatherModel::make_line_solvers(const lapwing::LineOptions& lines) {
    using lapwing::Ends;
    const auto ends = [&](std::size_t axis, Ends walls) { return grid().periodic[axis] ? Ends::periodic : walls; };
    const std::array<double, 2> spacing{settings_.spacing_x, settings_.spacing_y};
    const auto& partition = domain_.partition();
    if (!modes.empty()) {
        std::vector<double> shifts;  // 1/m2
        for (const double speed : settings_.modes.speeds) {
            const double length = settings_.time_step * speed;  // m
            shifts.push_back(1.0 / (length * length));
        }
        waves_ = std::make_unique<lapwing::Helmholtz>(domain_, partition, modes[0].memory(), shifts, spacing,
                                                      std::array{ends(0, Ends::neumann), Ends::neumann}, lines);
    }
    if (smoothed.empty()) return;
    const std::vector<double> strength{2.0 * settings_.time_step * settings_.implicit_diffusion};  // m4
    const auto filter = [&](const Fields& fields, Ends walls_x, Ends walls_y) {
        std::vector<lapwing::AnyField*> memory;
        for (const DoubleField& field : fields) memory.push_back(&field.memory());
        filters_.push_back(std::make_unique<lapwing::ImplicitDiffusion>(
            domain_, partition, memory, strength, spacing, 4, std::array{ends(0, walls_x), ends(1, walls_y)}, lines));
    };
    filter({smoothed[0].wind[0]}, Ends::dirichlet, Ends::neumann);
    filter({smoothed[0].wind[1]}, Ends::neumann, Ends::dirichlet);
    filter(scalars_of(smoothed[0]), Ends::neumann, Ends::neumann);
}

void WeatherModel::tick() { begin_step(step_number_++); }

void WeatherModel::begin_step(Index step) {
    length_ = (step == 0 ? 1 : 2) * settings_.time_step;
    half_length_ = 0.5 * length_;
    strength_ = step < 2 ? 0.0 : settings_.filter;  // the states before the start are none
    if (given.size() == 2) share_out_given(static_cast<double>(step + 1) * settings_.time_step);
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
    step_->run(static_cast<int>(steps), [this](lapwing::Index step) { begin_step(step_number_ + step); });
    step_number_ += steps;
}

void WeatherModel::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 3));
}

void WeatherModel::show() {
    const Fields from = fields_of(states[newest()]), to = fields_of(shown);
    const LayerCopy copy{points_of(from)};
    const LayerHeights heights{&settings_.levels, settings_.air};
    for (int b = 0; b < std::ssize(height.memory().blocks()); ++b) {
        const lapwing::Box& owned = height.memory().blocks()[b].owned;
        copy(owned, views_of<double>(to, b), views_of<const double>(from, b));
        heights(owned, height.memory().view<double>(b), shown.temperature.memory().view<const double>(b),
                shown.pressure.memory().view<const double>(b), surface_geopotential.memory().view<const double>(b),
                views_of<const double>(shown.humidity, b));
    }
}

void WeatherModel::check_state() { lapwing_weather::check_state(domain_, settings_, states[newest()], step_number_); }

}  // namespace lapwing_weather
