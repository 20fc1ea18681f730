#include "lapwing_coast/tracer.hpp"

#include <algorithm>
#include <cmath>

#include <lapwing/agreement.hpp>
#include <lapwing/error.hpp>

#include "lapwing_coast/depth.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::FieldSpec;
using lapwing::Index;
using lapwing::Location;
using lapwing::Stage;

namespace {

constexpr int halo = 2;  // cells that the widest stencil reaches

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
constexpr std::array<Location, 3> interface_locations{Location::xface, Location::yface, Location::center};

Field make_field(const Domain& domain, const TracerSettings& settings, std::string name, Location location) {
    FieldSpec spec;
    spec.name = std::move(name);
    spec.location = location;
    spec.levels = settings.levels;
    if (settings.levels_fastest) spec.order = {2, 0, 1, 3};
    return {domain.partition(), domain.rank(), std::move(spec), domain.halo_with_spare(Extent::horizontal(halo))};
}

// The same without layers.
Field make_flat_field(const Domain& domain, std::string name, Location location) {
    return make_field(domain, {.levels = 0}, std::move(name), location);
}

// `behind` cells towards smaller indices along `axis` and `ahead` towards larger ones; none along the vertical, of
// which every rank has all.
Extent reach(int axis, int behind, int ahead) {
    Extent extent;
    extent.corners = false;
    if (axis == 2) return extent;
    extent.lo[static_cast<std::size_t>(axis)] = behind;
    extent.hi[static_cast<std::size_t>(axis)] = ahead;
    return extent;
}

void check_settings(const TracerSettings& settings) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("levels", settings.levels, "layers");
}

std::string digest_of(const TracerSettings& s, std::span<const double> depth) {
    const std::array<double, 6> numbers{s.time_step,
                                        s.spacing_x,
                                        s.spacing_y,
                                        static_cast<double>(s.levels),
                                        s.levels_fastest ? 1. : 0.,
                                        s.limiter == Limiter::p2_pdm ? 1. : 0.};
    return Digest().add(numbers).add(depth).text();
}

}  // namespace

TracerAdvection::TracerAdvection(Domain& domain, const TracerSettings& settings, std::span<const double> depth,
                                 const std::string& strategy, const std::string& transport)
    : tracer(make_field(domain, settings, "tracer", Location::center)),
      flow_x(make_field(domain, settings, "flow_x", Location::xface)),
      flow_y(make_field(domain, settings, "flow_y", Location::yface)),
      thickness(make_field(domain, settings, "thickness", Location::center)),
      domain_(domain),
      settings_(settings),
      flow_z_(make_field(domain, settings, "flow_z", Location::center)),
      interface_{make_field(domain, settings, "interface_x", Location::xface),
                 make_field(domain, settings, "interface_y", Location::yface),
                 make_field(domain, settings, "interface_z", Location::center)},
      between_{make_field(domain, settings, "thickness_1", Location::center),
               make_field(domain, settings, "thickness_2", Location::center),
               make_field(domain, settings, "thickness_3", Location::center),
               make_field(domain, settings, "thickness_4", Location::center)},
      open_{make_flat_field(domain, "open_x", Location::xface), make_flat_field(domain, "open_y", Location::yface)} {
    lapwing::together(domain.comm(), [&] {
        check_depth(domain, depth);
        check_settings(settings_);
    });
    lapwing::require_same(domain.comm(), "set-up of the tracer", digest_of(settings_, depth));
    fill_depth(depth);
    make_contexts();
    flow_step_ =
        std::make_unique<lapwing::Step>(domain, std::vector<std::vector<Stage>>{{flow_stage()}}, strategy, transport);
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport);
    set_flow();
}

// Land has layers too, of 1 m, so that its cells can be computed like others: nothing flows there.
void TracerAdvection::fill_depth(std::span<const double> depth) {
    const lapwing::Grid& grid = domain_.partition().grid();
    const Depth whole{grid.size[0], grid.size[1], depth};
    const auto is_open = [&](Index i, Index j, Index ahead_i, Index ahead_j) {
        if (grid.periodic[0]) ahead_i %= whole.nx;
        if (grid.periodic[1]) ahead_j %= whole.ny;
        return whole(i, j) > 0 && whole(ahead_i, ahead_j) > 0 ? 1.0 : 0.0;
    };
    for (int b = 0; b < static_cast<int>(tracer.blocks().size()); ++b) {
        const Box& owned = tracer.blocks()[static_cast<std::size_t>(b)].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                const double deep = whole(i, j) > 0 ? whole(i, j) : settings_.levels;  // m
                for (Index k = 0; k < settings_.levels; ++k)
                    thickness.view<double>(b)(i, j, k) = deep / settings_.levels;
                open_[0].view<double>(b)(i, j) = is_open(i, j, i + 1, j);
                open_[1].view<double>(b)(i, j) = is_open(i, j, i, j + 1);
            }
    }
}

Field& TracerAdvection::thickness_before(std::size_t fraction) {
    return fraction % fractional_steps == 0 ? thickness : between_[fraction % fractional_steps - 1];
}

Field& TracerAdvection::flow_along(int axis) { return axis == 0 ? flow_x : axis == 1 ? flow_y : flow_z_; }

void TracerAdvection::make_contexts() {
    const double dt = settings_.time_step;
    const std::array<double, 3> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y, 1.0};
    for (int b = 0; b < static_cast<int>(tracer.blocks().size()); ++b) {
        FlowContext flow{
            flow_x.view<double>(b), flow_y.view<double>(b), flow_z_.view<double>(b), {}, dt, over[0], over[1],
            settings_.levels};
        for (std::size_t f = 0; f < fractional_steps; ++f) {
            const int axis = fractions[f].axis;
            const auto a = static_cast<std::size_t>(axis);
            flow.thickness[f] = thickness_before(f).view<double>(b);
            moving_[f].push_back({tracer.view<double>(b), interface_[a].view<double>(b),
                                  flow_along(axis).view<double>(b), thickness_before(f).view<double>(b),
                                  thickness_before(f + 1).view<double>(b), open_[a % 2].view<double>(b), axis,
                                  fractions[f].time * dt * over[a], settings_.levels, settings_.limiter});
        }
        flowing_.push_back(flow);
    }
}

Stage TracerAdvection::interface_stage(std::size_t fraction) {
    const int axis = fractions[fraction].axis;
    const auto a = static_cast<std::size_t>(axis);
    Stage stage;
    stage.name = std::string("interface_") + axis_names[a];
    stage.reads = {{&tracer, reach(axis, 1, 2)},
                   {&flow_along(axis), reach(axis, 1, 1)},
                   {&thickness_before(fraction), reach(axis, 0, 1)}};
    if (axis != 2) stage.reads.push_back({&open_[a], reach(axis, 1, 1)});
    stage.writes = {&interface_[a]};
    stage.rim = reach(axis, 1, 0);  // the update reads it there: computed twice, it need not travel
    stage.kernel = tracer_interface;
    stage.contexts = addresses(moving_[fraction]);
    return stage;
}

Stage TracerAdvection::update_stage(std::size_t fraction) {
    const int axis = fractions[fraction].axis;
    const auto a = static_cast<std::size_t>(axis);
    Stage stage;
    stage.name = std::string("update_") + axis_names[a];
    stage.reads = {{&interface_[a], reach(axis, 1, 0)},
                   {&flow_along(axis), reach(axis, 1, 0)},
                   {&thickness_before(fraction + 1), {}},
                   {&tracer, {}}};
    stage.writes = {&tracer};
    stage.kernel = tracer_update;
    stage.contexts = addresses(moving_[fraction]);
    return stage;
}

std::vector<std::vector<Stage>> TracerAdvection::cycle() {
    std::vector<Stage> stages;
    for (std::size_t f = 0; f < fractional_steps; ++f) {
        stages.push_back(interface_stage(f));
        stages.push_back(update_stage(f));
    }
    return {stages};
}

Stage TracerAdvection::flow_stage() {
    Stage stage;
    stage.name = "flow";
    stage.reads = {{&flow_x, reach(0, 1, 0)}, {&flow_y, reach(1, 1, 0)}, {&thickness, {}}};
    stage.writes = {&flow_z_};
    for (Field& field : between_) stage.writes.push_back(&field);
    stage.kernel = tracer_flow;
    stage.contexts = addresses(flowing_);
    return stage;
}

void TracerAdvection::close_faces() {
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (int b = 0; b < static_cast<int>(tracer.blocks().size()); ++b) {
            const Box& owned = tracer.blocks()[static_cast<std::size_t>(b)].owned;
            const auto flow = flow_along(static_cast<int>(axis)).view<double>(b), open = open_[axis].view<double>(b);
            for (Index k = 0; k < settings_.levels; ++k)
                for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                    for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                        if (open(i, j) == 0.0) flow(i, j, k) = 0.0;
        }
}

void TracerAdvection::set_flow() {
    close_faces();
    for (Field* field : {&flow_x, &flow_y}) field->modified();
    flow_step_->agree_on_modified();
    flow_step_->run();
    for (Field* field : {&flow_x, &flow_y, &flow_z_, &thickness}) field->modified();
    for (Field& field : between_) field.modified();
    FlowLimits limits;
    for (std::size_t b = 0; b < flowing_.size(); ++b) {
        const FlowLimits mine = flow_limits(flowing_[b], tracer.blocks()[b].owned);
        limits = {std::max(limits.courant, mine.courant), std::max(limits.surface, mine.surface)};
    }
    lapwing::together(domain_.comm(), [&] {
        if (!(limits.surface <= 1e-9))
            lapwing::user_error("flow of the tracer",
                                "a sum over the layers that changes the uppermost one by " + text(limits.surface) +
                                    " of itself in a step",
                                "no divergence in the sum", "balance the flow, as the surface does not move");
        if (!(limits.courant <= 1.0))
            lapwing::user_error("time step", text(settings_.time_step) + " s",
                                "at most " + text(settings_.time_step / limits.courant) +
                                    " s for this flow: more leaves a cell than is in it",
                                "choose a shorter step or a weaker flow");
    });
}

void TracerAdvection::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) step_->run(n + 1 < steps);
}

}  // namespace lapwing_coast
