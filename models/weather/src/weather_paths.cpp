// The stages of semi-Lagrangian steps: what is carried, how far, and its arrival.
#include <utility>

#include "dynamics/reach.hpp"
#include "dynamics/times.hpp"
#include "lapwing_weather/weather.hpp"

namespace lapwing_weather {

using lapwing::Demand;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Stage;

Displacements WeatherModel::displacements(int b) const {
    return {{displacements_[0].view<double>(b), displacements_[1].view<double>(b)}};
}

DisplacementContext WeatherModel::displacement_context(std::size_t position, int b) {
    const Weather& now = states[times_at(position).newest];
    DisplacementContext context;
    context.wind_x = now.wind[0].view<double>(b);
    context.wind_y = now.wind[1].view<double>(b);
    context.displacements = displacements(b);
    for (int k = 0; k < settings_.levels.levels(); ++k) context.shares.push_back(settings_.levels.db(k));
    context.over_x = 1.0 / settings_.spacing_x;
    context.over_y = 1.0 / settings_.spacing_y;
    context.time_step = &length_;
    context.widest = &widest_here_;
    return context;
}

PathContext WeatherModel::path_context(std::size_t position, int b) {
    const std::vector<Field*> carried = fields_of(on_paths_[0]), stepped = fields_of(states[times_at(position).next()]);
    PathContext context;
    context.displacements = displacements(b);
    context.walls = Walls(domain_.partition().grid());
    for (std::size_t n = 0; n < carried.size(); ++n) {
        const Index levels = carried[n]->spec().levels;
        context.moved.push_back({carried[n]->view<double>(b), stepped[n]->view<double>(b),
                                 n < 2 ? static_cast<int>(n) : -1, std::max<Index>(1, levels),
                                 levels == 0 ? settings_.levels.levels() : 0});
    }
    return context;
}

// L (now - old) is carried in part, so that implicit steps take the old state from where the air was.
std::vector<Stage> WeatherModel::growth_stages(std::size_t position) {
    if (modes.empty()) return {};
    const Times times = times_at(position);
    Weather &now = states[times.newest], &old = states[times.middle], &next = states[times.next()];
    Stage lift, divided;
    lift.name = "growth_lift";
    for (Weather* state : {&now, &old}) {
        lift.reads.push_back({&state->temperature, {}});
        lift.reads.push_back({&state->pressure, {}});
    }
    lift.writes = {&lift_[0]};
    lift.kernel = lift_of_growth;
    lift.rim = Extent::cross(1);

    divided.name = "growth";
    divided.reads = {{&lift_[0], Extent::cross(1)}};
    for (Weather* state : {&now, &old})
        for (std::size_t axis = 0; axis < 2; ++axis) divided.reads.push_back({&state->wind[axis], behind(axis)});
    for (Weather* state : {&next, &on_paths_[0]})
        for (Field* field : {&state->wind[0], &state->wind[1], &state->temperature, &state->pressure}) {
            divided.writes.push_back(field);
            divided.reads.push_back({field, {}});
        }
    divided.kernel = divide_growth;
    for (Stage* stage : {&lift, &divided}) stage->contexts = addresses(contexts_[position].implicit);
    return {lift, divided};
}

Stage WeatherModel::displacement_stage(std::size_t position) {
    Weather& now = states[times_at(position).newest];
    Stage stage;
    stage.name = "displacements";
    stage.reads = {{&now.wind[0], behind(0)}, {&now.wind[1], behind(1)}};
    stage.writes = {&displacements_[0], &displacements_[1]};
    stage.kernel = find_displacements;
    stage.contexts = addresses(contexts_[position].displacements);
    stage.reduction = {lapwing::Reduction::Kind::maximum, &widest_here_, &widest_};
    return stage;
}

std::vector<Stage> WeatherModel::path_stages(std::size_t position) {
    if (on_paths_.empty()) return {};
    std::vector<Stage> stages = growth_stages(position);
    // what comes in from the edge is what is given there, not what the scheme makes of an edge
    for (Stage& stage : relaxation_stages("inflow", on_paths_[0], contexts_[position].inflow))
        stages.push_back(std::move(stage));
    stages.push_back(displacement_stage(position));
    const Demand demand{&widest_, {least_path_halo, 4, 6, 8, path_halo}};
    Stage arrival;
    arrival.name = "arrival";
    for (Field* field : fields_of(on_paths_[0]))
        arrival.reads.push_back({field, Extent::horizontal(path_halo), demand});
    for (Field& field : displacements_) arrival.reads.push_back({&field, Extent::horizontal(path_halo), demand});
    arrival.writes = fields_of(states[times_at(position).next()]);
    for (Field* field : arrival.writes) arrival.reads.push_back({field, {}});
    arrival.kernel = move;
    arrival.contexts = addresses(contexts_[position].paths);
    stages.push_back(std::move(arrival));
    return stages;
}

}  // namespace lapwing_weather
