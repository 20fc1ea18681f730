#include "lapwing_coast/coast.hpp"

#include <array>

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/state_check.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::x;
using lapwing::y;

Coast::Coast(Domain& domain, const CoastSettings& settings, std::span<const double> depth,
             std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport,
             const std::vector<lapwing::ListedExchange>& listed, CoastInputs inputs)
    : mode(domain, settings, depth, std::move(boundaries), std::move(inputs)),
      domain_(domain),
      step_(domain, std::vector<lapwing::Stages>{mode.stages({x, y}), mode.stages({y, x})},
            {.strategy = strategy, .transport = transport, .listed = listed, .listed_halo = literal_halo}) {
    mode.start(depth);
}

void Coast::begin_step(Index step) {
    mode.set_clock(step);
    const double middle = (static_cast<double>(step) + 0.5) * mode.settings().time_step;  // s
    mode.set_inflow(middle);
    mode.air.set_time(middle);
}

void Coast::tick() { begin_step(step_number_++); }

void Coast::advance(Index steps) {
    step_.run(static_cast<int>(steps), [this](Index step) { begin_step(step_number_ + step); });
    step_number_ += steps;
}

void Coast::resume(Index step_number) {
    step_number_ = step_number;
    step_.restart_at(static_cast<int>(step_number % 2));
}

void Coast::check_state() const {
    const std::array<Checked, 3> checked{{{mode.sea_level, mode.depth}, {mode.transport[0]}, {mode.transport[1]}}};
    lapwing_coast::check_state(domain_, checked, step_number_, mode.settings().least_depth > 0);
}

}  // namespace lapwing_coast
