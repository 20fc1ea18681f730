#include "lapwing_coast/tracer/tracer.hpp"

#include "lapwing/base/error.hpp"

#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Location;
using lapwing::user_error;

namespace {

// "tracer", or "tracer_1", "tracer_2" ...
std::vector<Field<double>> make_tracers(Domain& domain, const TracerSettings& settings) {
    require_positive("tracers", settings.tracers, "");
    std::vector<Field<double>> tracers;
    for (int n = 1; n <= settings.tracers; ++n)
        tracers.push_back(layered_field(
            domain, settings, settings.tracers == 1 ? "tracer" : "tracer_" + std::to_string(n), Location::center));
    return tracers;
}

std::vector<CarriedTracer> carried(const std::vector<Field<double>>& tracers) {
    std::vector<CarriedTracer> all;
    for (const auto& tracer : tracers) all.push_back({tracer, tracers.size() == 1 ? "" : tracer.name() + "_"});
    return all;
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
                                 const std::string& strategy, const std::string& transport,
                                 const std::vector<lapwing::ListedExchange>& listed)
    : tracers(make_tracers(domain, settings)),
      tracer(tracers.front()),
      flow_x(layered_field(domain, settings, "flow_x", Location::xface)),
      flow_y(layered_field(domain, settings, "flow_y", Location::yface)),
      thickness(layered_field(domain, settings, "thickness", Location::center)),
      thickness_after(settings.moving_surface ? layered_field(domain, settings, "thickness_after", Location::center)
                                              : thickness),
      domain_(domain),
      settings_(settings),
      transport_(domain, settings, {flow_x, flow_y, thickness, thickness_after, settings.prescribed}, depth,
                 carried(tracers)) {
    const lapwing::StepOptions plain{.strategy = strategy, .transport = transport};
    const lapwing::StepOptions options{
        .strategy = strategy, .transport = transport, .listed = listed, .listed_halo = literal_halo};
    const lapwing::Stages flow = transport_.flow_stages(), moves = transport_.stages();
    const lapwing::Stages both = in_order(flow, moves);
    lapwing::give_memory(domain, {both}, options);  // the steps share fields: halos for both
    flow_step_ = std::make_unique<lapwing::Step>(domain, flow, plain);
    step_ = std::make_unique<lapwing::Step>(domain, settings.moving_surface ? both : moves, options);
    transport_.start(depth);
    fill_thickness(depth);
    set_flow();
}

// Land has layers too, of 1 m, so that its cells can be computed like others: nothing flows there.
void TracerAdvection::fill_thickness(std::span<const double> depth) {
    const lapwing::Grid& grid = domain_.partition().grid();
    const Depth whole{grid.size[0], grid.size[1], depth};
    const auto layer = [&](Index i, Index j, Index) {
        const double deep = whole(i, j) > 0 ? whole(i, j) : settings_.levels;  // m
        return deep / settings_.levels;
    };
    thickness.fill(layer);
    thickness_after.fill(layer);
}

void TracerAdvection::set_flow() {
    transport_.close_faces();
    for (const auto& field : {flow_x, flow_y, thickness, thickness_after}) field.memory().modified();
    flow_step_->run(1);
    for (const lapwing::Stage& stage : flow_step_->report().cycle().front())
        for (lapwing::AnyField* field : stage.writes) field->modified();  // by a step that `step_` does not know
    const FlowLimits limits = of_all_ranks(domain_, transport_.limits());
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

void TracerAdvection::advance(Index steps) { step_->run(static_cast<int>(steps)); }

}  // namespace lapwing_coast
