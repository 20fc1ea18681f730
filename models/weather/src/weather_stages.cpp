// The stages of a step of the weather model: what each does to which fields.
#include <algorithm>

#include "lapwing_weather/dynamics/scalars.hpp"
#include "lapwing_weather/dynamics/semi_lagrangian.hpp"
#include "lapwing_weather/dynamics/time_filter.hpp"
#include "lapwing_weather/smoothing/layer_copy.hpp"
#include "lapwing_weather/smoothing/relaxation.hpp"
#include "lapwing_weather/weather.hpp"

namespace lapwing_weather {

using namespace lapwing;

namespace {

// Diffuses the fields on layers; the pressure, of a single level, is not diffused.
Fields layered(const Fields& fields) {
    Fields found;
    std::ranges::copy_if(fields, std::back_inserter(found),
                         [](const DoubleField& field) { return field.spec().levels > 0; });
    return found;
}

}  // namespace

// Wherever the field has memory: a strategy may compute beyond the owned box.
std::optional<Diffusion> WeatherModel::diffusion_of(const DoubleField& old, int box) const {
    if (settings_.diffusion == 0) return {};
    return lapwing_weather::diffusion_of(settings_.diffusion, settings_.spacing_x, settings_.spacing_y, grid(),
                                         old.spec().location, old.memory().blocks()[box].allocated);
}

Momentum WeatherModel::momentum(int axis, const DoubleField& old, int box) const {
    const double middle_row = 0.5 * static_cast<double>(grid().size[1] - 1);
    const double per_row = settings_.beta * settings_.spacing_y, sign = axis == 0 ? 1.0 : -1.0;
    return {.levels = &settings_.levels,
            .axis = axis,
            .over_along = axis == 0 ? over_x_ : over_y_,
            .over_across = axis == 0 ? over_y_ : over_x_,
            .coriolis = sign * (settings_.coriolis - per_row * middle_row),
            .beta = sign * per_row,
            .time_step = settings_.semi_lagrangian ? &half_length_ : &length_,
            .diffusion = diffusion_of(old, box)};
}

Stage WeatherModel::momentum_stage(const Times& at, int axis) {
    const Axis along(axis == 0 ? x : y), across(axis == 0 ? y : x);
    const DoubleField& old = at.old.wind[axis];
    const Stage everywhere = stage(
        axis == 0 ? "momentum_x" : "momentum_y",
        for_each_box([this, axis, old](int box) { return momentum(axis, old, box); }), writes(at.next().wind[axis]),
        writes(advected_.wind[axis]), reads(at.now.wind[axis], cross(1)),
        reads(at.now.wind[1 - axis], ahead(along), behind(across)), reads(at.now.pressure, around(1), ahead(along, 2)),
        reads(old, diffused()), reads(geopotential_, ahead(along)), reads(gradient_factor_, ahead(along)),
        reads(vertical_velocity_, ahead(along)));
    return grid().periodic[axis] ? everywhere : everywhere.on(Walls(grid()).inside(grid().box(), axis));
}

Stage WeatherModel::scalars_stage(const Times& at) {
    const auto scalars = [this, old = at.old.temperature](int box) {
        const double* time_step = settings_.semi_lagrangian ? &half_length_ : &length_;
        return Scalars{&settings_.levels, over_x_, over_y_, time_step, diffusion_of(old, box)};
    };
    return stage("scalars", for_each_box(scalars), writes(scalars_of(at.next())), writes(at.next().pressure),
                 writes(advected_.scalars), writes(advected_.pressure), reads(at.now.wind[0], behind(x)),
                 reads(at.now.wind[1], behind(y)), reads(at.now.pressure, cross(1)),
                 reads(scalars_of(at.now), cross(1)), reads(scalars_of(at.old), diffused()), reads(at.old.pressure),
                 reads(vertical_velocity_), reads(heating_), reads(outflow_));
}

// The halos of the old state come from the filter, where diffusion and divergence read it: it needs the halos of the
// other two states, and the newest state travels anyway. Results of columns are computed twice and do not travel.
Stages WeatherModel::explicit_stages(const Times& at) {
    const Extent filtered = settings_.diffusion > 0 || modes.empty() ? diffused() : cross(1);
    return {stage("time_filter", TimeFilter{&strength_, points_of(fields_of(at.old))}, reads(fields_of(at.oldest)),
                  updates(fields_of(at.old)), reads(fields_of(at.now)))
                .rim(filtered),
            stage("columns", ColumnFlow{&settings_.levels, settings_.air, over_x_, over_y_}, writes(geopotential_),
                  writes(gradient_factor_), writes(vertical_velocity_), writes(heating_), writes(outflow_),
                  reads(at.now.wind[0], behind(x)), reads(at.now.wind[1], behind(y)), reads(at.now.temperature),
                  reads(at.now.pressure, cross(1)), reads(surface_geopotential), reads(at.now.humidity))
                .rim(cross(ahead(x), ahead(y))),
            momentum_stage(at, 0), momentum_stage(at, 1), scalars_stage(at)};
}

LinearWaves WeatherModel::linear_waves(int box) const {
    const Box& allocated = linear_geopotential_[0].memory().blocks()[box].allocated;
    return {.vertical = &settings_.modes,
            .links_x = Links(grid().size[0], grid().periodic[0], false, allocated.lo[0], allocated.hi[0]),
            .links_y = Links(grid().size[1], grid().periodic[1], false, allocated.lo[1], allocated.hi[1]),
            .time_step = settings_.time_step,
            .over_x = over_x_,
            .over_y = over_y_};
}

// A kernel that is made of them.
template <class WaveKernel>
auto WeatherModel::on_waves() const {
    return for_each_box([this](int box) { return WaveKernel{linear_waves(box)}; });
}

// L (now - old) is advected in part, so that implicit steps take the old state from where the air was.
Stages WeatherModel::increment_stages(const Times& at) {
    if (modes.empty()) return {};
    const Weather &old = at.old, &now = at.now, &next = at.next();
    const DoubleField& geopotential = linear_geopotential_[0];
    return {
        stage("growth_lift", on_waves<IncrementGeopotential>(), writes(geopotential),
              reads(Fields{old.temperature, now.temperature}), reads(Fields{old.pressure, now.pressure}))
            .rim(cross(1)),
        stage("growth", on_waves<IncrementSplit>(), updates(Fields{advected_.wind[0][0], next.wind[0]}),
              updates(Fields{advected_.wind[1][0], next.wind[1]}),
              updates(Fields{advected_.scalars[0], next.temperature}),
              updates(Fields{advected_.pressure[0], next.pressure}), reads(geopotential, cross(1)),
              reads(Fields{old.wind[0], now.wind[0]}, behind(x)), reads(Fields{old.wind[1], now.wind[1]}, behind(y)))};
}

// Air that comes in from the edge has the values given there, not values that the scheme makes of an edge.
Stages WeatherModel::semi_lagrangian_stages(const Times& at) {
    if (!settings_.semi_lagrangian) return {};
    const int layers = settings_.levels.levels();
    std::vector<double> shares;
    for (int k = 0; k < layers; ++k) shares.push_back(settings_.levels.thickness(k).db);
    const std::vector<int> widths{least_departure_halo, 4, 6, 8, departure_halo};
    return in_order(
        increment_stages(at), relaxation_stages("inflow", advected_.all),
        stage("displacements", Displacements{shares, over_x_, over_y_, &length_}, writes(displacements_),
              reads(at.now.wind[0], behind(x)), reads(at.now.wind[1], behind(y)), reduces(widest_)),
        stage("arrival", Arrival{points_of(advected_.all), layers, Walls(grid())}, updates(fields_of(at.next())),
              reads(advected_.all, around(departure_halo)).as_wide_as(widest_, widths),
              reads(displacements_, around(departure_halo)).as_wide_as(widest_, widths)));
}

// The linear geopotential is computed twice at the edges of boxes, so that modes travel and not both.
Stages WeatherModel::implicit_stages(const Times& at) {
    if (modes.empty()) return {};
    const Weather &old = at.old, &now = at.now, &next = at.next();
    const DoubleField &geopotential = linear_geopotential_[0], &divergence = divergence_[0];
    return {
        stage("implicit_source", on_waves<ModeSources>(), writes(modes[0]), writes(divergence),
              reads(Fields{old.wind[0], now.wind[0], next.wind[0]}, behind(x)),
              reads(Fields{old.wind[1], now.wind[1], next.wind[1]}, behind(y)),
              reads(Fields{old.temperature, now.temperature, next.temperature}),
              reads(Fields{old.pressure, now.pressure, next.pressure}))
            .then([this] { waves_->solve(); }),
        stage("implicit_lift", on_waves<GeopotentialOfModes>(), writes(geopotential), reads(modes[0])).rim(cross(1)),
        stage("implicit_correction", on_waves<WaveCorrection>(), updates(next.wind[0]), updates(next.wind[1]),
              updates(next.temperature), updates(next.pressure), reads(geopotential, cross(1)), reads(divergence))};
}

Stages WeatherModel::smoothing_stages(const Times& at) {
    if (smoothed.empty()) return {};
    const Fields next = layered(fields_of(at.next())), copies = layered(fields_of(smoothed[0]));
    const std::vector<Points> points = points_of(next);
    return {stage("take_up", LayerCopy{points}, writes(copies), reads(next)).then([this] {
                for (const auto& filter : filters_) filter->apply();
            }),
            stage("put_back", LayerCopy{points, Walls(grid())}, updates(next), reads(copies))};
}

Stages WeatherModel::relaxation_stages(const char* name, const Fields& fields) const {
    Stages list;
    Fields records;
    for (const Weather& record : given) std::ranges::copy(fields_of(record), std::back_inserter(records));
    const Index3& size = grid().size;
    const Index width = settings_.relaxation;
    const Relaxation kernel{points_of(fields), {size[0], size[1]}, width, relaxation_weights(width), &shares_};
    for (const Box& strip : frame(size, width))
        list.push_back(stage(name, kernel, updates(fields), reads(records)).on(strip));
    return list;
}

// The edges are relaxed before the solver too: it would spread over the whole area what no boundary value has corrected
// yet.
std::vector<Stages> WeatherModel::cycle() {
    std::vector<Stages> steps;
    for (std::size_t position = 0; position < 3; ++position) {
        const Times at{states[position], states[(position + 1) % 3], states[(position + 2) % 3]};
        const Stages relaxed = relaxation_stages("relaxation", fields_of(at.next()));
        steps.push_back(in_order(explicit_stages(at), semi_lagrangian_stages(at), modes.empty() ? Stages{} : relaxed,
                                 implicit_stages(at), smoothing_stages(at), relaxed));
    }
    return steps;
}

}  // namespace lapwing_weather
