#include "lapwing_coast/tracer/tracer.hpp"

#include <algorithm>
#include <iterator>

#include "lapwing/base/error.hpp"

#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Field;
using lapwing::Index;
using lapwing::Location;
using lapwing::Stage;
using lapwing::user_error;

namespace {

// "tracer", or "tracer_1", "tracer_2" ...
std::vector<Field> make_tracers(const Domain& domain, const TracerSettings& settings) {
    require_positive("tracers", settings.tracers, "");
    std::vector<Field> tracers;
    for (int n = 1; n <= settings.tracers; ++n)
        tracers.push_back(layered_field(
            domain, settings, settings.tracers == 1 ? "tracer" : "tracer_" + std::to_string(n), Location::center));
    return tracers;
}

[[noreturn]] void refuse_surface(const Extreme& surface, bool moving) {
    user_error("flow of the tracer",
               "a sum over the layers that changes the uppermost one by " + text(surface.value) +
                   " of itself in a step, in cell " + text(surface.cell),
               std::string("no divergence in the sum") + (moving ? " but what the surface falls by" : ""),
               moving ? "balance the flow and the thicknesses" : "balance the flow, as the surface does not move");
}

}  // namespace

TracerAdvection::TracerAdvection(Domain& domain, const TracerSettings& settings, std::span<const double> depth,
                                 const std::string& strategy, const std::string& transport)
    : tracers(make_tracers(domain, settings)),
      tracer(tracers.front()),
      flow_x(layered_field(domain, settings, "flow_x", Location::xface)),
      flow_y(layered_field(domain, settings, "flow_y", Location::yface)),
      thickness(layered_field(domain, settings, "thickness", Location::center)),
      domain_(domain),
      settings_(settings) {
    if (settings.moving_surface) after_ = layered_field(domain, settings, "thickness_after", Location::center);
    const TracerFlow flow{flow_x, flow_y, thickness, thickness_after(), settings.prescribed};
    transport_ = std::make_unique<TracerTransport>(domain, settings, flow, depth, carried());
    fill_thickness(depth);
    flow_step_ = std::make_unique<lapwing::Step>(domain, std::vector<std::vector<Stage>>{transport_->flow_stages()},
                                                 strategy, transport);
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport);
    set_flow();
}

std::vector<CarriedTracer> TracerAdvection::carried() {
    std::vector<CarriedTracer> all;
    for (Field& field : tracers) all.push_back({&field, tracers.size() == 1 ? "" : field.spec().name + "_"});
    return all;
}

// Land has layers too, of 1 m, so that its cells can be computed like others: nothing flows there.
void TracerAdvection::fill_thickness(std::span<const double> depth) {
    const lapwing::Grid& grid = domain_.partition().grid();
    const Depth whole{grid.size[0], grid.size[1], depth};
    for (Field* field : {&thickness, &thickness_after()})
        for (int b = 0; b < std::ssize(field->blocks()); ++b) {
            const Box& owned = field->blocks()[b].owned;
            const auto layer = field->view<double>(b);
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                    const double deep = whole(i, j) > 0 ? whole(i, j) : settings_.levels;  // m
                    for (Index k = 0; k < settings_.levels; ++k) layer(i, j, k) = deep / settings_.levels;
                }
        }
}

std::vector<std::vector<Stage>> TracerAdvection::cycle() {
    std::vector<Stage> all;
    if (settings_.moving_surface) all = transport_->flow_stages();
    std::ranges::move(transport_->stages(), std::back_inserter(all));
    return {all};
}

void TracerAdvection::set_flow() {
    transport_->close_faces();
    for (Field* field : {&flow_x, &flow_y, &thickness, &thickness_after()}) field->modified();
    flow_step_->agree_on_modified();
    flow_step_->run();
    for (const Stage& stage : transport_->flow_stages())
        for (Field* field : stage.writes) field->modified();  // by a step that `step_` does not know
    const FlowLimits limits = of_all_ranks(domain_, transport_->limits());
    if (!limits.surface_is_kept()) refuse_surface(limits.surface, settings_.moving_surface);
    if (!limits.share_is_kept())
        user_error("time step", text(settings_.time_step) + " s",
                   "at most " + text(settings_.time_step / limits.share.value) +
                       " s for this flow: more leaves a cell than is in it, in cell " + text(limits.share.cell),
                   "choose a shorter step or a weaker flow");
    if (!limits.thickness_is_kept())
        user_error("thickness of a layer", text(limits.thickness.value) + " m in cell " + text(limits.thickness.cell),
                   "more than 0 m before, within and after a step", "choose a shorter step or thicker layers");
}

void TracerAdvection::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) step_->run(n + 1 < steps);
}

}  // namespace lapwing_coast
