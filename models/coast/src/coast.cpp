#include "lapwing_coast/coast.hpp"

#include <array>

#include "lapwing_coast/state_check.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Index;
using lapwing::Stage;

Coast::Coast(Domain& domain, const CoastSettings& settings, std::span<const double> depth,
             std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport)
    : mode(domain, settings, depth, std::move(boundaries)),
      domain_(domain),
      step_(std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport)) {}

std::vector<std::vector<Stage>> Coast::cycle() { return {mode.stages({0, 1}), mode.stages({1, 0})}; }

void Coast::tick() { mode.set_clock(step_number_++); }

void Coast::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) {
        tick();
        step_->run(n + 1 < steps);
    }
}

void Coast::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 2));
}

void Coast::check_state() const {
    const std::array<Checked, 3> checked{
        {{&mode.sea_level, &mode.depth}, {&mode.transport[0], nullptr}, {&mode.transport[1], nullptr}}};
    lapwing_coast::check_state(domain_, checked, step_number_);
}

}  // namespace lapwing_coast
