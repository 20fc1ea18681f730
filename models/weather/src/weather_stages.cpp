// The stages of a step of the weather: what each of them reads and writes.
#include <algorithm>
#include <utility>

#include "dynamics/reach.hpp"
#include "dynamics/times.hpp"
#include "lapwing_weather/weather.hpp"

namespace lapwing_weather {

using lapwing::Box;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Location;
using lapwing::Stage;
using lapwing::View;

namespace {

// Where the stages after `columns` read what it makes: computed twice, it need not travel.
Extent columns_rim() { return reach({0, 0}, {1, 1}, false); }

// Of a std::function<void()>.
void call(void* work) { (*static_cast<std::function<void()>*>(work))(); }

}  // namespace

ColumnsContext WeatherModel::columns_context(Weather& now, int b) {
    ColumnsContext context;
    context.wind_x = now.wind[0].view<double>(b);
    context.wind_y = now.wind[1].view<double>(b);
    context.temperature = now.temperature.view<double>(b);
    context.moist = settings_.moist;
    if (settings_.moist) context.humidity = now.humidity[0].view<double>(b);
    context.pressure = now.pressure.view<double>(b);
    context.surface_geopotential = surface_geopotential.view<double>(b);
    context.geopotential = geopotential_.view<double>(b);
    context.push = push_.view<double>(b);
    context.flow_down = flow_down_.view<double>(b);
    context.heating = heating_.view<double>(b);
    context.outflow = outflow_.view<double>(b);
    context.levels = &settings_.levels;
    context.air = settings_.air;
    context.over_x = 1.0 / settings_.spacing_x;
    context.over_y = 1.0 / settings_.spacing_y;
    context.work = work_.data();
    return context;
}

void WeatherModel::make_contexts(int b) {
    for (std::size_t position = 0; position < 3; ++position) make_step_contexts(position, b);
    shown_columns_.push_back(columns_context(shown, b));
    shown_columns_.back().geopotential = height.view<double>(b);
}

void WeatherModel::make_step_contexts(std::size_t position, int b) {
    StepContexts& contexts = contexts_[position];
    contexts.filters.push_back(filter_context(position, b));
    contexts.columns.push_back(columns_context(states[times_at(position).newest], b));
    for (std::size_t axis = 0; axis < 2; ++axis) contexts.momentum[axis].push_back(momentum_context(position, axis, b));
    contexts.scalars.push_back(scalars_context(position, b));
    if (!given.empty()) contexts.relaxations.push_back(relaxation_context(states[times_at(position).next()], b));
    if (!given.empty() && !on_paths_.empty()) contexts.inflow.push_back(relaxation_context(on_paths_[0], b));
    if (!modes.empty()) contexts.implicit.push_back(implicit_context(position, b));
    if (!smoothed.empty()) contexts.smoothing.push_back(smoothing_context(position, b));
    if (on_paths_.empty()) return;
    contexts.displacements.push_back(displacement_context(position, b));
    contexts.paths.push_back(path_context(position, b));
}

FilterContext WeatherModel::filter_context(std::size_t position, int b) {
    const Times times = times_at(position);
    const std::vector<Field*> before = fields_of(states[times.oldest]), middle = fields_of(states[times.middle]),
                              after = fields_of(states[times.newest]);
    FilterContext context;
    context.strength = &strength_;
    for (std::size_t n = 0; n < before.size(); ++n)
        context.fields.push_back({before[n]->view<double>(b), middle[n]->view<double>(b), after[n]->view<double>(b),
                                  std::max<Index>(1, before[n]->spec().levels)});
    return context;
}

// Wherever the field has memory: a strategy may compute beyond the owned box.
Diffusion WeatherModel::diffusion_of(const Field& old, int b) const {
    if (settings_.diffusion == 0) return {};
    return lapwing_weather::diffusion_of(settings_.diffusion, settings_.spacing_x, settings_.spacing_y,
                                         domain_.partition().grid(), old.spec().location, old.blocks()[b].allocated);
}

MomentumContext WeatherModel::momentum_context(std::size_t position, std::size_t axis, int b) {
    const Times times = times_at(position);
    Weather &old = states[times.middle], &now = states[times.newest], &next = states[times.next()];
    const std::array<double, 2> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y};
    const double middle_row = 0.5 * static_cast<double>(domain_.partition().grid().size[1] - 1);
    const double per_row = settings_.beta * settings_.spacing_y, sign = axis == 0 ? 1.0 : -1.0;
    MomentumContext context;
    context.along = now.wind[axis].view<double>(b);
    context.across = now.wind[1 - axis].view<double>(b);
    context.old = old.wind[axis].view<double>(b);
    context.stepped = next.wind[axis].view<double>(b);
    context.pressure = now.pressure.view<double>(b);
    context.geopotential = geopotential_.view<double>(b);
    context.push = push_.view<double>(b);
    context.flow_down = flow_down_.view<double>(b);
    context.levels = &settings_.levels;
    context.ahead_x = axis == 0 ? 1 : 0;
    context.ahead_y = axis == 1 ? 1 : 0;
    context.over_along = over[axis];
    context.over_across = over[1 - axis];
    context.coriolis = sign * (settings_.coriolis - per_row * middle_row);
    context.beta = sign * per_row;
    context.diffuses = settings_.diffusion > 0;
    context.diffusion = diffusion_of(old.wind[axis], b);
    context.time_step = settings_.semi_lagrangian ? &half_length_ : &length_;
    context.semi_lagrangian = settings_.semi_lagrangian;
    if (context.semi_lagrangian) context.carried = on_paths_[0].wind[axis].view<double>(b);
    return context;
}

ScalarsContext WeatherModel::scalars_context(std::size_t position, int b) {
    const Times times = times_at(position);
    Weather &old = states[times.middle], &now = states[times.newest], &next = states[times.next()];
    const auto carried = [&](Field& at_now, Field& at_old, Field& at_next) {
        return Carried{
            at_now.view<double>(b), at_old.view<double>(b), at_next.view<double>(b), {}, diffusion_of(at_old, b)};
    };
    ScalarsContext context;
    context.temperature = carried(now.temperature, old.temperature, next.temperature);
    if (settings_.moist) context.humidity = carried(now.humidity[0], old.humidity[0], next.humidity[0]);
    context.wind_x = now.wind[0].view<double>(b);
    context.wind_y = now.wind[1].view<double>(b);
    context.pressure = now.pressure.view<double>(b);
    context.old_pressure = old.pressure.view<double>(b);
    context.stepped_pressure = next.pressure.view<double>(b);
    context.flow_down = flow_down_.view<double>(b);
    context.heating = heating_.view<double>(b);
    context.outflow = outflow_.view<double>(b);
    context.levels = &settings_.levels;
    context.over_x = 1.0 / settings_.spacing_x;
    context.over_y = 1.0 / settings_.spacing_y;
    context.moist = settings_.moist;
    context.diffuses = settings_.diffusion > 0;
    context.time_step = settings_.semi_lagrangian ? &half_length_ : &length_;
    context.semi_lagrangian = settings_.semi_lagrangian;
    if (!context.semi_lagrangian) return context;
    Weather& on_paths = on_paths_[0];
    context.temperature.on_paths = on_paths.temperature.view<double>(b);
    if (settings_.moist) context.humidity.on_paths = on_paths.humidity[0].view<double>(b);
    context.pressure_on_paths = on_paths.pressure.view<double>(b);
    return context;
}

RelaxationContext WeatherModel::relaxation_context(Weather& state, int b) {
    const lapwing::Grid& grid = domain_.partition().grid();
    RelaxationContext context;
    context.cells_x = grid.size[0];
    context.cells_y = grid.size[1];
    context.width = settings_.relaxation;
    context.weights = relaxation_weights(settings_.relaxation);
    context.shares = &shares_;
    const std::vector<Field*> towards = fields_of(given.front()), after = fields_of(given.back()),
                              relaxed = fields_of(state);
    for (std::size_t n = 0; n < relaxed.size(); ++n)
        context.fields.push_back({relaxed[n]->view<double>(b),
                                  {towards[n]->view<double>(b), after[n]->view<double>(b)},
                                  std::max<Index>(1, relaxed[n]->spec().levels),
                                  n < 2 ? static_cast<int>(n) : -1});
    return context;
}

// Winds, temperature and humidity: the pressure, of a single level, is not diffused.
SmoothingContext WeatherModel::smoothing_context(std::size_t position, int b) {
    const std::vector<Field*> from = fields_of(states[times_at(position).next()]), to = fields_of(smoothed[0]);
    SmoothingContext context;
    context.walls = Walls(domain_.partition().grid());
    for (std::size_t n = 0; n < from.size(); ++n)
        if (from[n]->spec().levels > 0)
            context.fields.push_back({from[n]->view<double>(b), to[n]->view<double>(b), from[n]->spec().levels,
                                      n < 2 ? static_cast<int>(n) : -1});
    return context;
}

ImplicitContext WeatherModel::implicit_context(std::size_t position, int b) {
    const Times times = times_at(position);
    Weather &old = states[times.middle], &now = states[times.newest], &next = states[times.next()];
    const auto leap = [&](Field& before, Field& here, Field& after) {
        return Leap{before.view<double>(b), here.view<double>(b), after.view<double>(b)};
    };
    const lapwing::Grid& grid = domain_.partition().grid();
    const Box& allocated = lift_[0].blocks()[b].allocated;
    ImplicitContext context;
    context.wind_x = leap(old.wind[0], now.wind[0], next.wind[0]);
    context.wind_y = leap(old.wind[1], now.wind[1], next.wind[1]);
    context.temperature = leap(old.temperature, now.temperature, next.temperature);
    context.pressure = leap(old.pressure, now.pressure, next.pressure);
    context.modes = modes[0].view<double>(b);
    context.divergence = divergence_[0].view<double>(b);
    context.lift = lift_[0].view<double>(b);
    context.vertical = &settings_.modes;
    context.links_x = Links(grid.size[0], grid.periodic[0], false, allocated.lo[0], allocated.hi[0]);
    context.links_y = Links(grid.size[1], grid.periodic[1], false, allocated.lo[1], allocated.hi[1]);
    context.time_step = settings_.time_step;
    context.over_x = 1.0 / settings_.spacing_x;
    context.over_y = 1.0 / settings_.spacing_y;
    context.work = implicit_work_.data();
    if (on_paths_.empty()) return context;
    Weather& on_paths = on_paths_[0];
    context.wind_x_on_paths = on_paths.wind[0].view<double>(b);
    context.wind_y_on_paths = on_paths.wind[1].view<double>(b);
    context.temperature_on_paths = on_paths.temperature.view<double>(b);
    context.pressure_on_paths = on_paths.pressure.view<double>(b);
    return context;
}

// The halos of the middle state are those of the filter: it needs what is there of the other two, and the newest state
// travels anyway.
Stage WeatherModel::filter_stage(std::size_t position) {
    const Times times = times_at(position);
    Stage stage;
    stage.name = "time_filter";
    for (const std::size_t state : {times.oldest, times.middle, times.newest})
        for (Field* field : fields_of(states[state])) stage.reads.push_back({field, {}});
    stage.writes = fields_of(states[times.middle]);
    stage.kernel = time_filter;
    stage.contexts = addresses(contexts_[position].filters);
    // where the diffusion and the divergence read the middle state
    if (settings_.diffusion > 0) {
        stage.rim = Extent::cross(2);
    } else if (!modes.empty()) {
        stage.rim = Extent::cross(1);
    }
    return stage;
}

Stage WeatherModel::columns_stage(std::size_t position) {
    Weather& now = states[times_at(position).newest];
    Stage stage;
    stage.name = "columns";
    stage.reads = {{&now.wind[0], behind(0)},
                   {&now.wind[1], behind(1)},
                   {&now.temperature, {}},
                   {&now.pressure, Extent::cross(1)},
                   {&surface_geopotential, {}}};
    for (Field& humidity : now.humidity) stage.reads.push_back({&humidity, {}});
    stage.writes = {&geopotential_, &push_, &flow_down_, &heating_, &outflow_};
    stage.kernel = columns;
    stage.contexts = addresses(contexts_[position].columns);
    stage.rim = columns_rim();
    return stage;
}

Stage WeatherModel::momentum_stage(std::size_t position, std::size_t axis) {
    const Times times = times_at(position);
    Weather &old = states[times.middle], &now = states[times.newest], &next = states[times.next()];
    const Extent old_reach = settings_.diffusion > 0 ? Extent::cross(2) : Extent{};
    Stage stage;
    stage.name = axis == 0 ? "momentum_x" : "momentum_y";
    stage.reads = {{&now.wind[axis], Extent::cross(1)},
                   {&now.wind[1 - axis], reach(turned(axis, 0, 1), turned(axis, 1, 0), true)},
                   {&now.pressure, reach(turned(axis, 1, 1), turned(axis, 2, 1), true)},
                   {&old.wind[axis], old_reach},
                   {&geopotential_, ahead(axis)},
                   {&push_, ahead(axis)},
                   {&flow_down_, ahead(axis)}};
    stage.writes = {&next.wind[axis]};
    if (!on_paths_.empty()) stage.writes.push_back(&on_paths_[0].wind[axis]);
    stage.kernel = momentum;
    stage.contexts = addresses(contexts_[position].momentum[axis]);
    const lapwing::Grid& grid = domain_.partition().grid();
    if (!grid.periodic[axis]) stage.region = Walls(grid).inside(grid.box(), static_cast<int>(axis));
    return stage;
}

Stage WeatherModel::scalars_stage(std::size_t position) {
    const Times times = times_at(position);
    Weather &old = states[times.middle], &now = states[times.newest], &next = states[times.next()];
    const Extent old_reach = settings_.diffusion > 0 ? Extent::cross(2) : Extent{};
    Stage stage;
    stage.name = "scalars";
    stage.reads = {{&now.wind[0], behind(0)},
                   {&now.wind[1], behind(1)},
                   {&now.pressure, Extent::cross(1)},
                   {&now.temperature, Extent::cross(1)},
                   {&old.temperature, old_reach},
                   {&old.pressure, {}},
                   {&flow_down_, {}},
                   {&heating_, {}},
                   {&outflow_, {}}};
    stage.writes = {&next.temperature, &next.pressure};
    if (settings_.moist) {
        stage.reads.push_back({&now.humidity[0], Extent::cross(1)});
        stage.reads.push_back({&old.humidity[0], old_reach});
        stage.writes.push_back(&next.humidity[0]);
    }
    if (!on_paths_.empty()) {
        stage.writes.push_back(&on_paths_[0].temperature);
        stage.writes.push_back(&on_paths_[0].pressure);
        for (Field& humidity : on_paths_[0].humidity) stage.writes.push_back(&humidity);
    }
    stage.kernel = scalars;
    stage.contexts = addresses(contexts_[position].scalars);
    return stage;
}

// Four strips that overlap in nothing. Faces have a point less than centres along their axis, so that theirs begin a
// cell earlier at the far sides; centres there have a weight of 0.
std::vector<Stage> WeatherModel::relaxation_stages(const char* name, Weather& state,
                                                   std::vector<RelaxationContext>& contexts) {
    std::vector<Stage> stages;
    if (given.empty()) return stages;
    const Index nx = domain_.partition().grid().size[0], ny = domain_.partition().grid().size[1];
    const Index width = settings_.relaxation;
    const Index far_x = std::max(width, nx - width - 1), far_y = std::max(width, ny - width - 1);
    for (const Box& strip : {Box{{0, 0, 0}, {nx, width, 1}}, Box{{0, far_y, 0}, {nx, ny, 1}},
                             Box{{0, width, 0}, {width, far_y, 1}}, Box{{far_x, width, 0}, {nx, far_y, 1}}}) {
        Stage stage;
        stage.name = name;
        stage.writes = fields_of(state);
        for (Field* field : fields_of(state)) stage.reads.push_back({field, {}});
        for (Weather& record : given)
            for (Field* field : fields_of(record)) stage.reads.push_back({field, {}});
        stage.kernel = relax;
        stage.contexts = addresses(contexts);
        stage.region = strip;
        stages.push_back(std::move(stage));
    }
    return stages;
}

// The solver stands between the first and the second: all ranks call it together.
std::vector<Stage> WeatherModel::implicit_stages(std::size_t position) {
    if (modes.empty()) return {};
    const Times times = times_at(position);
    Weather& next = states[times.next()];
    Stage source, lift, correction;
    source.name = "implicit_source";
    for (const std::size_t state : {times.middle, times.newest, times.next()}) {
        source.reads.push_back({&states[state].wind[0], behind(0)});
        source.reads.push_back({&states[state].wind[1], behind(1)});
        source.reads.push_back({&states[state].temperature, {}});
        source.reads.push_back({&states[state].pressure, {}});
    }
    source.writes = {&modes[0], &divergence_[0]};
    source.kernel = implicit_source;
    source.collective = {call, &solve};

    lift.name = "implicit_lift";
    lift.reads = {{&modes[0], {}}};
    lift.writes = {&lift_[0]};
    lift.kernel = implicit_lift;
    lift.rim = Extent::cross(1);  // computed twice, so that modes travel and not both

    correction.name = "implicit_correction";
    correction.reads = {{&lift_[0], Extent::cross(1)}, {&divergence_[0], {}}};
    correction.writes = {&next.wind[0], &next.wind[1], &next.temperature, &next.pressure};
    for (Field* field : correction.writes) correction.reads.push_back({field, {}});
    correction.kernel = implicit_correction;

    for (Stage* stage : {&source, &lift, &correction}) stage->contexts = addresses(contexts_[position].implicit);
    return {source, lift, correction};
}

std::vector<Stage> WeatherModel::smoothing_stages(std::size_t position) {
    if (smoothed.empty()) return {};
    Stage up, back;
    up.name = "take_up";
    up.kernel = take_up;
    up.collective = {call, &smooth};
    back.name = "put_back";
    back.kernel = put_back;
    const std::vector<Field*> states_of_step = fields_of(states[times_at(position).next()]),
                              copies = fields_of(smoothed[0]);
    for (std::size_t n = 0; n < copies.size(); ++n) {
        if (copies[n]->spec().levels == 0) continue;
        up.reads.push_back({states_of_step[n], {}});
        up.writes.push_back(copies[n]);
        back.reads.push_back({copies[n], {}});
        back.reads.push_back({states_of_step[n], {}});
        back.writes.push_back(states_of_step[n]);
    }
    for (Stage* stage : {&up, &back}) stage->contexts = addresses(contexts_[position].smoothing);
    return {up, back};
}

std::vector<std::vector<Stage>> WeatherModel::cycle() {
    std::vector<std::vector<Stage>> steps;
    for (std::size_t position = 0; position < 3; ++position) {
        std::vector<Stage> stages{filter_stage(position), columns_stage(position), momentum_stage(position, 0),
                                  momentum_stage(position, 1), scalars_stage(position)};
        const auto append = [&](std::vector<Stage> more) {
            for (Stage& stage : more) stages.push_back(std::move(stage));
        };
        const auto relaxed = [&] {
            return relaxation_stages("relaxation", states[times_at(position).next()], contexts_[position].relaxations);
        };
        append(path_stages(position));
        // before the solver too: it would spread over the whole area what no boundary value has corrected yet
        if (!modes.empty()) append(relaxed());
        append(implicit_stages(position));
        append(smoothing_stages(position));
        append(relaxed());
        steps.push_back(std::move(stages));
    }
    return steps;
}

}  // namespace lapwing_weather
