#include "lapwing_coast/barotropic/barotropic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_coast/forcing_series.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using namespace lapwing;

namespace {

SlowDrive make_slow_drive(Domain& domain, Axis axis) {
    const auto at = [&](const char* name, Location location) {
        return Field<double>(domain, along(name, axis), location);
    };
    return {at("slow", face_along[axis]),
            {at("speed_from_behind", Location::center), at("speed_from_here", Location::center),
             at("speed_to_next", Location::corner), at("speed_from_next", Location::corner)},
            at("change", face_along[axis])};
}

std::string text_of_all(const CoastSettings& settings, std::span<const double> depth,
                        std::span<const Boundary> boundaries, const CoastInputs& inputs) {
    const CellMetrics& metrics = inputs.metrics;
    std::string text = text_of(settings) + " depth " + Digest().add(depth).text();
    for (const auto* values : {&metrics.spacing_x, &metrics.spacing_y, &metrics.coriolis})
        text += " metrics " + Digest().add(std::span<const double>(*values)).text();
    for (const Boundary& boundary : boundaries) text += text_of(boundary);
    if (!inputs.inflow.rivers.empty() || inputs.inflow.has_rain()) text += text_of(inputs.inflow);
    if (inputs.air_over_water > 0) text += " air over " + lapwing_coast::text(inputs.air_over_water);
    return text;
}

}  // namespace

double longest_time_step(const CoastSettings& settings, double depth) {
    const double diagonal = std::hypot(1.0 / settings.spacing_x, 1.0 / settings.spacing_y);  // 1/m
    return 1.0 / (std::sqrt(settings.gravity * depth) * diagonal);
}

double longest_time_step(const CoastSettings& settings, std::span<const double> depth, const CellMetrics& metrics) {
    if (!metrics.varies()) return longest_time_step(settings, std::ranges::max(depth));
    double longest = std::numeric_limits<double>::infinity();  // s
    for (std::size_t cell = 0; cell < depth.size(); ++cell) {
        const double diagonal = std::hypot(1.0 / metrics.spacing_x[cell], 1.0 / metrics.spacing_y[cell]);  // 1/m
        if (depth[cell] > 0) longest = std::min(longest, 1.0 / (std::sqrt(settings.gravity * depth[cell]) * diagonal));
    }
    return longest;
}

BarotropicMode::BarotropicMode(Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
                               std::vector<Boundary> boundaries, CoastInputs inputs, const ModeSplit& split)
    : sea_level(centre_field(domain, "sea_level", 0, Land::constant)),
      transport(face_fields(domain, "transport", 0, Land::constant)),
      depth(centre_field(domain, "depth")),
      face_depth(face_fields(domain, "depth")),
      metrics(domain, inputs.metrics),
      air(domain, inputs.air_over_water),
      settings_(settings),
      inputs_(std::move(inputs)),
      air_terms_(face_fields(domain, "air_terms")),
      boundaries_(std::move(boundaries)),
      tried_(centre_field(domain, "tried_level")),
      times_(split.micro_steps) {
    const std::string all = text_of_all(settings_, whole_depth, boundaries_, inputs_);
    require_agreed(domain, "set-up of the coast model", all, [&] {
        check_depth(domain, whole_depth);
        check_metrics(domain, inputs_.metrics);
        check_inflow(domain, inputs_.inflow, whole_depth);
        check_settings(settings_, whole_depth, inputs_.metrics);
        check_boundaries(domain, boundaries_);
    });
    if (!split.slow_terms) return;
    for (const Axis axis : horizontal_axes) slow.push_back(make_slow_drive(domain, axis));
}

void BarotropicMode::start(std::span<const double> whole_depth) {
    const Grid& grid = depth.domain().partition().grid();
    const Depth whole{grid.size[0], grid.size[1], whole_depth, {grid.periodic[0], grid.periodic[1]}};
    depth.allocate();  // no stage of a closed sea reads it
    depth.fill([&](Index i, Index j, Index) { return whole(i, j); });
    metrics.start(inputs_.metrics);
    set_inflow(0.0);
    for (const auto* lists : {&air.pressure, &air.wind[0], &air.wind[1]})
        for (const Air::List& list : *lists)
            for (const Field<double>& field : list) field.allocate();
    for (const Axis axis : horizontal_axes) {
        const auto [di, dj] = ahead_along[axis];
        face_depth[axis].fill(
            [&, di = di, dj = dj](Index i, Index j, Index) {  // clang 16 captures no bindings by itself
                return lapwing_coast::face_depth(whole, boundaries_, i, j, di, dj);
            });
    }
}

Stage BarotropicMode::momentum_stage(Axis axis) const {
    const CoastSettings& s = settings_;
    const std::array<double, 2> spacing{s.spacing_x, s.spacing_y}, coriolis{s.coriolis, -s.coriolis};
    const double dt = s.time_step;  // s
    const double gravity = metrics.varies() ? dt * s.gravity : dt * s.gravity / spacing[axis];
    const Momentum kernel{axis, dt * coriolis[axis], gravity, dt * s.drag, dt};
    const auto momentum = [&](const auto&... driven_by) {
        return stage(along("momentum", axis), kernel, updates(transport[axis]),
                     reads(transport[other(axis)], around_face(axis)), reads(sea_level, ahead(axis)),
                     reads(face_depth[axis]), reads(driven_by)..., reads(metrics.coriolis[axis]),
                     reads(metrics.over_distance[axis]));
    };
    if (!slow.empty()) return momentum(slow[axis].terms, slow[axis].change);
    return air.is_there() ? momentum(air_terms_[axis]) : momentum();
}

Stage BarotropicMode::advection_of(const std::string& name, const Field<double>& carried, Axis axis) const {
    const std::array<double, 2> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y};
    const auto& [from_behind, from_here, to_next, from_next] = slow[axis].speeds;
    return stage(along(name, axis), TransportAdvection{axis, over[axis], over[other(axis)]}, writes(slow[axis].change),
                 reads(carried, cross(1)), reads(face_depth[axis]), reads(from_behind, ahead(axis)),
                 reads(from_here, ahead(axis)), reads(to_next, behind(other(axis))),
                 reads(from_next, behind(other(axis))), reads(metrics.over_face_area[axis]));
}

// Levels are tried and faces closed until no cell gives away water that it does not have.
Stages BarotropicMode::drying_stages() const {
    const Extent next = cross(ahead(x), ahead(y));
    const double dt = settings_.time_step;  // s
    const TryLevel kernel{dt / settings_.spacing_x, dt / settings_.spacing_y, dt};
    return repeated({stage("try_level", kernel, writes(tried_), reads(sea_level), reads(transport[x], behind(x)),
                           reads(transport[y], behind(y)), reads(metrics.width[x], behind(x)),
                           reads(metrics.width[y], behind(y)), reads(metrics.over_area)),
                     stage("brake", Brake{settings_.least_depth}, updates(transport[x]), updates(transport[y]),
                           reads(tried_, next), reads(depth, next), reduces(maximum()))},
                    while_above(0));
}

Stages BarotropicMode::stages(const std::array<Axis, 2>& order, int micro_step) const {
    const double dt = settings_.time_step;  // s
    Stages list;
    if (!slow.empty())
        list = both([&](Axis axis, Axis) { return advection_of("transport_advection", transport[axis], axis); });
    if (slow.empty() && air.is_there()) {
        const auto terms = [&](Axis axis, Axis) {
            return stage(along("air_terms", axis), AirTerms{axis}, writes(air_terms_[axis]), reads(air.stress[axis][0]),
                         reads(air.drive[axis][0]), reads(sea_level, ahead(axis)), reads(face_depth[axis]));
        };
        list = in_order(air_stages(), both(terms));
    }
    for (const Axis axis : order) list.push_back(momentum_stage(axis));
    if (settings_.least_depth > 0) list = in_order(list, drying_stages());
    const Continuity continuity{dt / settings_.spacing_x, dt / settings_.spacing_y, dt};
    list.push_back(stage("continuity", continuity, updates(sea_level), reads(transport[x], behind(x)),
                         reads(transport[y], behind(y)), reads(metrics.width[x], behind(x)),
                         reads(metrics.width[y], behind(y)), reads(metrics.over_area)));
    if (has_inflow())
        list.push_back(stage("inflow", inflow_of(dt), updates(sea_level), reads(depth), reads(metrics.over_area)));
    for (const Boundary& boundary : boundaries_) {
        const OpenBoundary kernel{&boundary, &times_[micro_step], settings_.ramp, settings_.least_depth};
        list.push_back(stage("open_boundary", kernel, writes(sea_level), reads(depth)).on(boundary.cells));
    }
    return list;
}

RaiseLevel BarotropicMode::inflow_of(double time_step) const {
    const Grid& grid = depth.domain().partition().grid();
    return {&inputs_.inflow.rivers,
            &rates_,
            {grid.size, grid.periodic},
            time_step,
            1.0 / (settings_.spacing_x * settings_.spacing_y)};
}

Stages BarotropicMode::inflow_stages(const Field<double>& thickness, const Field<double>& temperature,
                                     const Field<double>& salinity, double time_step, const LayerShape& shape) const {
    if (!has_inflow()) return {};
    return {stage("take_inflow", TakeInflow{inflow_of(time_step), thickness.spec().levels, shape}, updates(thickness),
                  updates(temperature), updates(salinity), reads(depth), reads(metrics.area))};
}

Stages BarotropicMode::air_stages() const { return air.stages(metrics, {settings_.spacing_x, settings_.spacing_y}); }

void BarotropicMode::set_inflow(double time) {
    const Inflow& inflow = inputs_.inflow;
    const auto at = [&](const std::vector<double>& times) { return times.empty() ? Moment{} : moment_at(times, time); };
    const Moment now = at(inflow.times);
    rates_.rivers.resize(inflow.rivers.size());
    for (std::size_t n = 0; n < inflow.rivers.size(); ++n)
        rates_.rivers[n] = value_at(inflow.rivers[n].discharges, now, inflow.rivers[n].discharge);
    rates_.rain = value_at(inflow.rains, at(inflow.rain_times), inflow.rain);
}

std::vector<Box> BarotropicMode::open_cells() const {
    std::vector<Box> cells;
    for (const Boundary& boundary : boundaries_) cells.push_back(boundary.cells);
    return cells;
}

void BarotropicMode::set_clock(Index done) {
    for (double& time : times_) time = static_cast<double>(++done) * settings_.time_step;
}

}  // namespace lapwing_coast
