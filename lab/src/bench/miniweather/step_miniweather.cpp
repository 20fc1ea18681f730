#include "miniweather/step_miniweather.hpp"

#include "memory/owned_values.hpp"

namespace lapwing::bench {

namespace {

Extent reach_along(int axis) {
    const Axis along = axis == 0 ? x : y;
    return cross(behind(along, miniweather_reach), ahead(along, miniweather_reach));
}

}  // namespace

// The last stage of an axis writes the state from which the first began.
Stage StepMiniweather::advanced(int axis, const MiniweatherStage& of) const {
    const std::string name = (axis == 0 ? "x" : "z") + std::to_string(of.at + 1);
    const double dt = model_->dt * of.share;
    const Field<double>&at = levels_[of.at], &after = levels_[of.after], &state = levels_[0];
    if (of.at == 0) {
        const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<double> to) {
            advance(*model, axis, dt, box, {from, from, to});
        };
        return stage(name, kernel, reads(at, reach_along(axis)), writes(after));
    }
    if (of.after == 0) {
        const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<double> to) {
            advance(*model, axis, dt, box, {to, from, to});
        };
        return stage(name, kernel, reads(at, reach_along(axis)), updates(after));
    }
    const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<const double> before,
                                                   View<double> to) {
        advance(*model, axis, dt, box, {before, from, to});
    };
    return stage(name, kernel, reads(at, reach_along(axis)), reads(state), writes(after));
}

Stages StepMiniweather::stages(std::size_t step) const {
    Stages list;
    for (const int axis : miniweather_axes(step)) {
        for (const MiniweatherStage& one : miniweather_stages) list.push_back(advanced(axis, one));
    }
    return list;
}

StepMiniweather::StepMiniweather(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
                                 const std::string& transport)
    : model_(std::make_shared<MiniweatherModel>(model)) {
    const FieldOptions options{.components = miniweather_variables, .own_pages = true, .rows = RowLayout::on_lines};
    for (const char* name : {"state", "state_1", "state_2"}) levels_.emplace_back(domain, name, options);
    step_.emplace(domain, std::vector{stages(0), stages(1)}, StepOptions{.strategy = strategy, .transport = transport});
}

void StepMiniweather::begin(std::span<const double> state) {
    step_->restart_at(0);
    store<double>(state, levels_[0].memory());
    levels_[0].modified();
}

void StepMiniweather::read(std::span<double> state) const { load<double>(levels_[0].memory(), state); }

}  // namespace lapwing::bench
