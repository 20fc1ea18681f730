// The stages of a step in three dimensions: what each of them reads and writes.
#include <utility>

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/layers/layered_coast.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Extent;
using lapwing::Field;
using lapwing::Stage;

namespace {

std::string along(const char* name, std::size_t axis) { return std::string(name) + "_" + axis_names[axis]; }

Extent ahead(std::size_t axis) { return reach(static_cast<int>(axis), 0, 1); }

Extent behind(std::size_t axis) { return reach(static_cast<int>(axis), 1, 0); }

Extent four_around(std::size_t axis) { return lapwing_coast::four_around(static_cast<int>(axis)); }

// One cell to all four sides.
Extent cross() {
    Extent extent = Extent::horizontal(1);
    extent.corners = false;
    return extent;
}

}  // namespace

void LayeredCoast::make_contexts() {
    for (int block = 0; block < std::ssize(mode.sea_level.blocks()); ++block) {
        make_layer_contexts(block);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            make_axis_contexts(axis, block);
            make_coupling_contexts(axis, block);
        }
        make_column_contexts(block);
    }
}

void LayeredCoast::make_layer_contexts(int b) {
    const auto level = mode.sea_level.view<double>(b), depth = mode.depth.view<double>(b);
    for (const bool after : {false, true}) {
        LayerFields& layers = after ? after_ : before_;
        LayersContext context;
        context.sea_level = level;
        context.depth = depth;
        context.levels = settings_.levels;
        context.thickness = layers.thickness.view<double>(b);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            context.face_depth[axis] = mode.face_depth[axis].view<double>(b);
            context.over_thickness[axis] = layers.over_thickness[axis].view<double>(b);
        }
        layering_[after ? 1 : 0].push_back(context);
    }
    for (const bool first : {true, false}) {
        MeanTransportContext context;
        context.weight = 1.0 / settings_.micro_steps;
        context.first = first;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            context.transport[axis] = mode.transport[axis].view<double>(b);
            context.mean[axis] = mean_[axis].view<double>(b);
        }
        averaging_[first ? 0 : 1].push_back(context);
    }
}

void LayeredCoast::make_axis_contexts(std::size_t axis, int b) {
    const CoastSettings& s = mode.settings();
    const double dt = s.time_step * settings_.micro_steps;  // s
    const std::array<double, 2> over{1.0 / s.spacing_x, 1.0 / s.spacing_y}, coriolis{s.coriolis, -s.coriolis};
    const auto [di, dj] = ahead_along[axis];
    const auto level = mode.sea_level.view<double>(b), face_depth = mode.face_depth[axis].view<double>(b);
    const auto mine = flow[axis].view<double>(b), other = flow[1 - axis].view<double>(b);
    const auto tendency = tendency_[axis].view<double>(b);
    pressing_[axis].push_back({buoyancy_.view<double>(b), level, mode.depth.view<double>(b), face_depth, tendency, di,
                               dj, over[axis], settings_.drive[axis], settings_.levels});
    advecting_[axis].push_back({mine, other, flow_z().view<double>(b), before_.over_thickness[axis].view<double>(b),
                                tendency, di, dj, over[axis], over[1 - axis], settings_.levels});
    velocities_[axis].push_back(
        {mine, after_.over_thickness[axis].view<double>(b), velocity[axis].view<double>(b), settings_.levels});
    momentum_[axis].push_back({mine, other, tendency, viscosity.view<double>(b), face_depth, level,
                               mean_[axis].view<double>(b), drag_[axis].view<double>(b), di, dj, dt,
                               dt * coriolis[axis], dt * s.gravity * over[axis], settings_.wind_stress[axis],
                               settings_.levels, work_.data()});
}

void LayeredCoast::make_coupling_contexts(std::size_t axis, int b) {
    const auto [di, dj] = ahead_along[axis];
    const auto mine = flow[axis].view<double>(b), over = before_.over_thickness[axis].view<double>(b);
    const auto drag = drag_[axis].view<double>(b);
    summing_[axis].push_back({mine, sum_[axis].view<double>(b), settings_.levels});
    const auto speed = [&](std::size_t n) { return mode.slow[axis].speeds[n].view<double>(b); };
    carrying_[axis].push_back({mine,
                               flow[1 - axis].view<double>(b),
                               over,
                               {speed(0), speed(1), speed(2), speed(3)},
                               di,
                               dj,
                               settings_.levels});
    advecting_sums_[axis].push_back(mode.advection_context(sum_[axis], axis, b));
    dragging_[axis].push_back({mine, flow[1 - axis].view<double>(b), over,
                               before_.over_thickness[1 - axis].view<double>(b), drag, di, dj,
                               settings_.bottom_roughness});
    slowing_[axis].push_back({tendency_[axis].view<double>(b), mine, over, drag, sum_[axis].view<double>(b),
                              sum_[1 - axis].view<double>(b), mode.slow[axis].change.view<double>(b),
                              mode.slow[axis].terms.view<double>(b), di, dj, mode.settings().drag,
                              settings_.wind_stress[axis], settings_.levels});
}

void LayeredCoast::make_column_contexts(int b) {
    const CoastSettings& s = mode.settings();
    const double dt = s.time_step * settings_.micro_steps;  // s
    const auto level = mode.sea_level.view<double>(b), depth = mode.depth.view<double>(b);
    densities_.push_back({temperature.view<double>(b), salinity.view<double>(b), level, depth,
                          buoyancy_.view<double>(b), settings_.water, s.gravity, false, settings_.levels});
    TurbulenceContext stirring;
    stirring.tke = tke.view<double>(b);
    stirring.dissipation = dissipation.view<double>(b);
    stirring.viscosity = viscosity.view<double>(b);
    stirring.diffusivity = diffusivity.view<double>(b);
    stirring.buoyancy = buoyancy_.view<double>(b);
    stirring.flow_x = flow[0].view<double>(b);
    stirring.flow_y = flow[1].view<double>(b);
    stirring.face_depth_x = mode.face_depth[0].view<double>(b);
    stirring.face_depth_y = mode.face_depth[1].view<double>(b);
    stirring.depth = depth;
    stirring.sea_level = level;
    stirring.surface_stress.everywhere = std::hypot(settings_.wind_stress[0], settings_.wind_stress[1]);
    stirring.time_step = dt;
    stirring.bottom_roughness = settings_.bottom_roughness;
    stirring.surface_roughness = settings_.surface_roughness;
    stirring.levels = settings_.levels;
    stirring.work = work_.data();
    stirring_.push_back(stirring);
    const auto mixing = [&](Field& tracer, double flux) {
        return MixingContext{tracer.view<double>(b),
                             diffusivity.view<double>(b),
                             depth,
                             level,
                             {{}, flux},
                             dt,
                             settings_.levels,
                             work_.data()};
    };
    mixing_temperature_.push_back(mixing(temperature, settings_.heat_flux));
    mixing_salinity_.push_back(mixing(salinity, settings_.salt_flux));
}

Stage LayeredCoast::layers_stage(bool after) {
    LayerFields& layers = after ? after_ : before_;
    Stage stage;
    stage.name = after ? "layers_after" : "layers_before";
    stage.reads = {{&mode.sea_level, unite(ahead(0), ahead(1))}, {&mode.depth, {}}};
    for (Field& depth : mode.face_depth) stage.reads.push_back({&depth, {}});
    stage.writes = {&layers.thickness, &layers.over_thickness[0], &layers.over_thickness[1]};
    stage.rim = Extent::horizontal(1);  // computed twice from the sea level, they need not travel
    stage.kernel = sigma_layers;
    stage.contexts = addresses(layering_[after ? 1 : 0]);
    return stage;
}

Stage LayeredCoast::buoyancy_stage() {
    Stage stage;
    stage.name = "buoyancy";
    stage.reads = {{&temperature, {}}, {&salinity, {}}, {&mode.sea_level, {}}, {&mode.depth, {}}};
    stage.writes = {&buoyancy_};
    stage.rim = unite(ahead(0), ahead(1));  // temperature and salinity travel anyway
    stage.kernel = buoyancy;
    stage.contexts = addresses(densities_);
    return stage;
}

Stage LayeredCoast::pressure_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("internal_pressure", axis);
    stage.reads = {{&buoyancy_, ahead(axis)},
                   {&mode.sea_level, ahead(axis)},
                   {&mode.depth, ahead(axis)},
                   {&mode.face_depth[axis], {}}};
    stage.writes = {&tendency_[axis]};
    stage.kernel = internal_pressure;
    stage.contexts = addresses(pressing_[axis]);
    return stage;
}

Stage LayeredCoast::advection_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("momentum_advection", axis);
    stage.reads = {{&flow[axis], cross()},
                   {&flow[1 - axis], four_around(axis)},
                   {&flow_z(), ahead(axis)},
                   {&before_.over_thickness[axis], cross()},
                   {&tendency_[axis], {}}};
    stage.writes = {&tendency_[axis]};
    stage.kernel = momentum_advection;
    stage.contexts = addresses(advecting_[axis]);
    return stage;
}

Stage LayeredCoast::sum_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("layer_sum", axis);
    stage.reads = {{&flow[axis], {}}};
    stage.writes = {&sum_[axis]};
    stage.rim = Extent::horizontal(1);  // where the slow terms of the other axis and its advection read it
    stage.kernel = layer_sum;
    stage.contexts = addresses(summing_[axis]);
    return stage;
}

Stage LayeredCoast::speeds_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("carrying_speeds", axis);
    stage.reads = {{&flow[axis], unite(behind(axis), ahead(1 - axis))},
                   {&before_.over_thickness[axis], unite(behind(axis), ahead(1 - axis))},
                   {&flow[1 - axis], ahead(axis)}};
    for (Field& speed : mode.slow[axis].speeds) stage.writes.push_back(&speed);
    stage.rim = unite(ahead(axis), behind(1 - axis));  // where the advection reads them: they need not travel
    stage.kernel = carrying_speeds;
    stage.contexts = addresses(carrying_[axis]);
    return stage;
}

Stage LayeredCoast::sum_advection_stage(std::size_t axis) {
    Stage stage = mode.advection_of(sum_[axis], axis);
    stage.name = along("sum_advection", axis);
    stage.contexts = addresses(advecting_sums_[axis]);
    return stage;
}

Stage LayeredCoast::drag_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("bottom_drag", axis);
    stage.reads = {{&flow[axis], {}},
                   {&flow[1 - axis], four_around(axis)},
                   {&before_.over_thickness[axis], {}},
                   {&before_.over_thickness[1 - axis], four_around(axis)}};
    stage.writes = {&drag_[axis]};
    stage.kernel = bottom_drag;
    stage.contexts = addresses(dragging_[axis]);
    return stage;
}

Stage LayeredCoast::slow_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("slow_terms", axis);
    for (Field* field : {&tendency_[axis], &flow[axis], &before_.over_thickness[axis], &drag_[axis], &sum_[axis],
                         &mode.slow[axis].change})
        stage.reads.push_back({field, {}});
    stage.reads.push_back({&sum_[1 - axis], four_around(axis)});
    stage.writes = {&mode.slow[axis].terms};
    stage.kernel = slow_terms;
    stage.contexts = addresses(slowing_[axis]);
    return stage;
}

Stage LayeredCoast::mean_stage(bool first) {
    Stage stage;
    stage.name = "mean_transport";
    for (std::size_t axis = 0; axis < 2; ++axis) {
        stage.reads.push_back({&mode.transport[axis], {}});
        if (!first) stage.reads.push_back({&mean_[axis], {}});
        stage.writes.push_back(&mean_[axis]);
    }
    stage.kernel = mean_transport;
    stage.contexts = addresses(averaging_[first ? 0 : 1]);
    return stage;
}

Stage LayeredCoast::momentum_stage(std::size_t axis) {
    Stage stage;
    stage.name = along("layer_momentum", axis);
    stage.reads = {{&flow[axis], {}},
                   {&flow[1 - axis], four_around(axis)},
                   {&tendency_[axis], {}},
                   {&viscosity, ahead(axis)},
                   {&mode.face_depth[axis], {}},
                   {&mode.sea_level, ahead(axis)},
                   {&mean_[axis], {}},
                   {&drag_[axis], {}}};
    stage.writes = {&flow[axis]};
    stage.kernel = layer_momentum;
    stage.contexts = addresses(momentum_[axis]);
    return stage;
}

Stage LayeredCoast::turbulence_stage() {
    Stage stage;
    stage.name = "turbulence";
    stage.reads = {{&tke, {}},       {&dissipation, {}}, {&viscosity, {}},          {&diffusivity, {}},
                   {&buoyancy_, {}}, {&mode.depth, {}},  {&mode.sea_level, cross()}};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        stage.reads.push_back({&flow[axis], behind(axis)});
        stage.reads.push_back({&mode.face_depth[axis], behind(axis)});
    }
    stage.writes = {&tke, &dissipation, &viscosity, &diffusivity};
    stage.kernel = turbulence;
    stage.contexts = addresses(stirring_);
    return stage;
}

Stage LayeredCoast::mixing_stage(Field& tracer, const char* name, std::vector<MixingContext>& contexts) {
    Stage stage;
    stage.name = std::string("mix_") + name;
    stage.reads = {{&tracer, {}}, {&diffusivity, {}}, {&mode.depth, {}}, {&mode.sea_level, {}}};
    stage.writes = {&tracer};
    stage.kernel = mix_tracer;
    stage.contexts = addresses(contexts);
    return stage;
}

std::vector<Stage> LayeredCoast::stages(int first_micro_step) {
    std::vector<Stage> list{layers_stage(false), buoyancy_stage()};
    for (std::size_t axis : {0U, 1U}) list.push_back(pressure_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(advection_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(sum_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(speeds_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(sum_advection_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(drag_stage(axis));
    for (std::size_t axis : {0U, 1U}) list.push_back(slow_stage(axis));
    for (int m = 0; m < settings_.micro_steps; ++m) {
        const int first_axis = (first_micro_step + m) % 2;
        std::vector<Stage> micro = mode.stages({first_axis, 1 - first_axis}, m);
        micro.push_back(mean_stage(m == 0));
        for (Stage& stage : micro) stage.iteration = m;  // a loop of known length
        std::ranges::move(micro, std::back_inserter(list));
    }
    list.push_back(layers_stage(true));
    for (std::size_t axis : {0U, 1U}) list.push_back(momentum_stage(axis));
    std::ranges::move(tracers_.flow_stages(), std::back_inserter(list));
    if (settings_.k_epsilon) list.push_back(turbulence_stage());
    std::ranges::move(tracers_.stages(), std::back_inserter(list));
    list.push_back(mixing_stage(temperature, "temperature", mixing_temperature_));
    list.push_back(mixing_stage(salinity, "salinity", mixing_salinity_));
    return list;
}

std::vector<std::vector<Stage>> LayeredCoast::cycle() {
    if (settings_.micro_steps % 2 == 0) return {stages(0)};
    return {stages(0), stages(settings_.micro_steps)};
}

}  // namespace lapwing_coast
