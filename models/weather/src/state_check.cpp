#include "lapwing_weather/state_check.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <vector>

#include <lapwing/reduction.hpp>

namespace lapwing_weather {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Field;
using lapwing::Index;
using lapwing::Index3;

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

// What can be wrong: a value of a field that is not finite or not above its least, or too long a step.
struct Question {
    std::string name;              // of what is looked at
    const Field* field = nullptr;  // null: the Courant number
    double least = -std::numeric_limits<double>::infinity();
    const Field* location = nullptr;  // whose cells are asked
};

class Asker {
  public:
    Asker(const Domain& domain, const WeatherSettings& settings, Weather& state)
        : domain_(domain), settings_(settings), state_(state) {
        for (const Field* field : fields_of(state)) {
            double least = -std::numeric_limits<double>::infinity();
            if (field == &state.temperature) least = 0.0;
            if (field == &state.pressure) least = least_surface_pressure;
            // without the number of the state, "_0" to "_2", which says nothing to people
            questions_.push_back({field->spec().name.substr(0, field->spec().name.size() - 2), field, least, field});
        }
        questions_.push_back({"Courant number", nullptr, 0.0, &state.temperature});
    }

    [[nodiscard]] const Question& question(Index number) const {
        return questions_[static_cast<std::size_t>(number / cells())];
    }
    [[nodiscard]] Index3 cell(Index number) const {
        const Index3 size = domain_.partition().grid().size;
        const Index n = number % cells();
        return {n % size[0], n / size[0] % size[1], n / (size[0] * size[1])};
    }

    // The number of the first question and cell of this rank that is answered badly, or `none`.
    [[nodiscard]] Index first_bad() const {
        for (std::size_t q = 0; q < questions_.size(); ++q) {
            Index first = none;
            for (int b = 0; b < static_cast<int>(state_.pressure.blocks().size()); ++b)
                first = std::min(first, first_bad(q, b));
            if (first != none) return first;
        }
        return none;
    }

    // What a question is about in the cells of a block, as a function of their indices.
    [[nodiscard]] std::function<double(Index, Index, Index)> values(const Question& question, int b) const {
        if (question.field) return question.field->view<double>(b);
        return [this, x = state_.wind[0].view<double>(b), y = state_.wind[1].view<double>(b),
                warmth = state_.temperature.view<double>(b)](Index i, Index j, Index k) {
            return courant_number(settings_, x(i, j, k), y(i, j, k), warmth(i, j, k));
        };
    }

    [[nodiscard]] static bool is_bad(const Question& question, double value) {
        if (!question.field) return !(value <= 1.0);
        return !(std::isfinite(value) && value > question.least);
    }

  private:
    [[nodiscard]] Index cells() const {
        const Index3 size = domain_.partition().grid().size;
        return size[0] * size[1] * settings_.levels.levels();
    }

    [[nodiscard]] Index first_bad(std::size_t q, int b) const {
        const Question& question = questions_[q];
        const Index3 size = domain_.partition().grid().size;
        const auto value = values(question, b);
        const Box& owned = question.location->blocks()[static_cast<std::size_t>(b)].owned;
        for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                    if (is_bad(question, value(i, j, k)))
                        return static_cast<Index>(q) * cells() + (k * size[1] + j) * size[0] + i;
        return none;
    }

    const Domain& domain_;
    const WeatherSettings& settings_;
    Weather& state_;
    std::vector<Question> questions_;
};

std::string shown(double value) {
    if (std::isnan(value)) return "nan";  // its sign says nothing
    std::ostringstream out;
    out << value;
    return out.str();
}

std::string describe(const Question& question, const Index3& cell, int rank, double value, Index step) {
    std::ostringstream said;
    said << "state of the weather model: got " << question.name << " = " << shown(value) << " at step " << step
         << ", cell (" << cell[0] << ", " << cell[1];
    if (question.location->spec().levels > 0) said << ", " << cell[2];
    said << "), rank " << rank << "; expected ";
    if (!question.field) {
        said << "at most 1, the limit of the scheme; run the case again with a shorter time.step";
    } else {
        said << (std::isfinite(value) ? "more than " + shown(question.least) : "a finite value")
             << "; run the case again with a shorter time.step or more diffusion";
    }
    return said.str();
}

}  // namespace

double courant_number(const WeatherSettings& s, double wind_x, double wind_y, double temperature) {
    const bool explicit_waves = s.modes.empty();
    const double wave = explicit_waves ? std::sqrt(s.air.gas_constant * temperature / (1.0 - s.air.kappa)) : 0;  // m/s
    const double over_x = 1.0 / s.spacing_x, over_y = 1.0 / s.spacing_y;
    const double squares = over_x * over_x + over_y * over_y;
    const double damping = 16.0 * s.diffusion * (std::pow(over_x, 4) + std::pow(over_y, 4));  // 1/s
    const double limit = std::sqrt((1.0 - s.filter) / (1.0 + s.filter));
    const double along_x = std::abs(wind_x) * over_x, along_y = std::abs(wind_y) * over_y;  // 1/s
    const double rest = 2.0 * wave * std::sqrt(squares) + damping;
    if (!s.semi_lagrangian) return s.time_step / limit * (along_x + along_y + rest);
    // as far as a path may go in a leap
    return std::max(s.time_step / limit * rest, 2.0 * s.time_step * std::max(along_x, along_y) / longest_path);
}

void check_state(const Domain& domain, const WeatherSettings& settings, Weather& state, Index step_number) {
    const Asker asker(domain, settings, state);
    const Index first = lapwing::minimum(domain, asker.first_bad());
    if (first == none) return;

    const Question& question = asker.question(first);
    const Index3 cell = asker.cell(first);
    const Box around{{cell[0], cell[1], 0}, {cell[0] + 1, cell[1] + 1, 1}};
    const int owner = domain.partition().subdomain(domain.partition().overlapping(around).front()).rank;
    double mine = 0.0;
    for (std::size_t b = 0; b < question.location->blocks().size(); ++b)
        if (question.location->blocks()[b].owned.contains(cell))
            mine = asker.values(question, static_cast<int>(b))(cell[0], cell[1], cell[2]);
    throw StateError(describe(question, cell, owner, lapwing::value_of(domain, owner, mine), step_number));
}

}  // namespace lapwing_weather
