#include "lapwing_weather/state_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "lapwing_weather/dynamics/semi_lagrangian.hpp"

namespace lapwing_weather {

using lapwing::CellAnswer;
using lapwing::CellQuestion;
using lapwing::Index3;

namespace {

// A field whose values must be finite and above `least`. Its name is without the number of the state, "_0" to "_2",
// which tells users nothing.
CellQuestion above(const DoubleField& field, double least) {
    const std::string& name = field.name();
    const auto answer = [field, least](int b) {
        return [values = field.memory().view<const double>(b), least](const Index3& c) {
            const double value = values(c[0], c[1], c[2]);
            return CellAnswer{value, !(std::isfinite(value) && value > least)};
        };
    };
    return {name.substr(0, name.size() - 2), &field.memory(), answer};
}

CellQuestion short_enough(const WeatherSettings& settings, const Weather& state) {
    const auto answer = [&](int b) {
        return [&settings, x = state.wind[0].memory().view<const double>(b),
                y = state.wind[1].memory().view<const double>(b),
                temperature = state.temperature.memory().view<const double>(b)](const Index3& c) {
            const auto [i, j, k] = c;
            const double number = courant_number(settings, x(i, j, k), y(i, j, k), temperature(i, j, k));
            return CellAnswer{number, !(number <= 1.0)};
        };
    };
    return {"Courant number", &state.temperature.memory(), answer};
}

double least_of(const Weather& state, const DoubleField& field) {
    if (field.field() == state.temperature.field()) return 0.0;
    return field.field() == state.pressure.field() ? least_surface_pressure : -std::numeric_limits<double>::infinity();
}

}  // namespace

double courant_number(const WeatherSettings& s, double wind_x, double wind_y, double temperature) {
    const bool explicit_waves = s.modes.empty();
    const double wave = explicit_waves ? std::sqrt(s.air.gas_constant * temperature / (1.0 - s.air.kappa)) : 0;  // m/s
    const double over_x = 1.0 / s.spacing_x, over_y = 1.0 / s.spacing_y;
    const double squares = over_x * over_x + over_y * over_y;
    const double damping = 16.0 * s.diffusion * (std::pow(over_x, 4) + std::pow(over_y, 4));  // 1/s
    const double limit = std::sqrt((1.0 - s.filter) / (1.0 + s.filter));
    const double time_step = std::abs(s.time_step);
    const double along_x = std::abs(wind_x) * over_x, along_y = std::abs(wind_y) * over_y;  // 1/s
    const double rest = 2.0 * wave * std::sqrt(squares) + damping;
    if (!s.semi_lagrangian) return time_step / limit * (along_x + along_y + rest);
    // as far as a departure point may be
    return std::max(time_step / limit * rest, 2.0 * time_step * std::max(along_x, along_y) / farthest_departure);
}

void check_state(const lapwing::Domain& domain, const WeatherSettings& settings, const Weather& state,
                 lapwing::Index step_number) {
    const Fields fields = fields_of(state);
    std::vector<CellQuestion> questions;
    for (const DoubleField& field : fields) questions.push_back(above(field, least_of(state, field)));
    questions.push_back(short_enough(settings, state));
    const auto bad = lapwing::first_bad_cell(domain, questions, step_number);
    if (!bad) return;

    std::ostringstream said;
    said << "state of the weather model: got " << bad->text << "; expected ";
    if (bad->question == fields.size()) {
        said << "at most 1, the limit of the scheme; run the case again with a shorter time.step";
    } else {
        if (std::isfinite(bad->value)) {
            said << "more than " << least_of(state, fields[bad->question]);
        } else {
            said << "a finite value";
        }
        said << "; run the case again with a shorter time.step or more diffusion";
    }
    throw lapwing::StateError(said.str());
}

}  // namespace lapwing_weather
