#include "acoustic/step_acoustic.hpp"

#include <vector>

#include "memory/owned_values.hpp"

namespace lapwing::bench {

namespace {

// With a halo that k, which no cell reads around itself, does not need: all fields are laid out alike.
Field<float> declared(Domain& domain, const char* name) {
    return {domain, name, FieldOptions{.halo = acoustic_star(), .own_pages = true, .rows = RowLayout::on_lines}};
}

}  // namespace

DeclaredStage StepAcoustic::leap(std::size_t now) const {
    const auto kernel = [](Box box, View<const float> u, View<const float> courant, View<float> next) {
        step_acoustic(box, {u, courant, next});
    };
    return stage("leap", kernel, reads(u_[now], acoustic_star()), reads(courant_), updates(u_[1 - now]));
}

StepAcoustic::StepAcoustic(Domain& domain, const std::string& strategy, const std::string& transport)
    : u_{declared(domain, "u"), declared(domain, "u_next")}, courant_(declared(domain, "courant")) {
    const std::vector<std::vector<DeclaredStage>> cycle{{leap(0)}, {leap(1)}};
    step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
}

void StepAcoustic::begin(std::span<const float> u, std::span<const float> courant) {
    step_->restart_at(0);
    for (const Field<float>& level : u_) {
        store<float>(u, level.memory());
        level.modified();
    }
    store<float>(courant, courant_.memory());
    courant_.modified();
}

void StepAcoustic::read(std::span<float> u) const { load<float>(u_[step_->position()].memory(), u); }

}  // namespace lapwing::bench
