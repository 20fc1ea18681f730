#include "lapwing_coast/tracer/tracer_transport.hpp"

#include <algorithm>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/c_grid.hpp"
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
using lapwing::user_error;

namespace {

constexpr int halo = 2;  // cells that the widest stencil reaches

constexpr std::array<Location, 3> interface_locations{Location::xface, Location::yface, Location::center};

// A field without layers.
Field flat_field(const Domain& domain, std::string name, Location location) {
    return layered_field(domain, {.levels = 0}, std::move(name), location);
}

void check_settings(const TransportSettings& settings) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("levels", settings.levels, "layers");
    if (settings.scheme == Scheme::p2 && settings.split == Split::horizontal_together)
        user_error("scheme", "p2 with the split horizontal_together", "a scheme with a limit, or another split",
                   "choose p2_pdm, as nothing else keeps waves that cross cells diagonally from growing");
}

void check_field(const Field& field, const TransportSettings& settings) {
    const FieldSpec& spec = field.spec();
    const auto bytes = static_cast<Index>(sizeof(double));
    const std::size_t fastest = settings.levels_fastest ? 2 : 0;
    const bool fits = spec.type == lapwing::ElementType::float64 && spec.levels == settings.levels &&
                      spec.components == 1 && std::ranges::all_of(field.blocks(), [&](const lapwing::Block& block) {
                          return block.strides[fastest] == bytes;
                      });
    if (!fits)
        user_error("field " + spec.name, to_string(spec),
                   std::to_string(settings.levels) + " levels of float64, " +
                       (settings.levels_fastest ? "levels" : "x") + " fastest in memory",
                   "make it with layered_field");
}

void check_tracer(const CarriedTracer& given, const TransportSettings& settings) {
    if (given.tracer == nullptr)
        user_error("tracer " + given.prefix, "no field", "a field for every tracer", "pass its address");
    check_field(*given.tracer, settings);
}

// Fractional steps that move along x and y at once.
bool is_together(const Fraction& fraction) { return fraction.moves_along(0) && fraction.moves_along(1); }

}  // namespace

Field layered_field(const Domain& domain, const TransportSettings& settings, std::string name, Location location) {
    FieldSpec spec;
    spec.name = std::move(name);
    spec.location = location;
    spec.levels = settings.levels;
    if (settings.levels_fastest) spec.order = {2, 0, 1, 3};
    const Extent room = domain.halo_with_spare(Extent::horizontal(halo), spec.name);
    return {domain.partition(), domain.rank(), std::move(spec), room};
}

TracerTransport::TracerTransport(Domain& domain, const TransportSettings& settings, const TracerFlow& flow,
                                 std::span<const double> depth, const std::vector<CarriedTracer>& tracers)
    : domain_(domain),
      settings_(settings),
      flow_(flow),
      fractions_(fractions_of(settings.split)),
      flow_z_(layered_field(domain, settings, "flow_z", Location::center)),
      open_{flat_field(domain, "open_x", Location::xface), flat_field(domain, "open_y", Location::yface)} {
    lapwing::together(domain.comm(), [&] {
        check_depth(domain, depth);
        check_settings(settings_);
        for (const Field* field : {&flow_.flow_x, &flow_.flow_y, &flow_.thickness_before, &flow_.thickness_after})
            check_field(*field, settings_);
        for (const CarriedTracer& given : tracers) check_tracer(given, settings_);
    });
    lapwing::require_same(domain.comm(), "set-up of the tracer",
                          lapwing::text_of(settings_) + " depth " + lapwing::Digest().add(depth).text() + ", " +
                              std::to_string(tracers.size()) + " tracers");
    for (const CarriedTracer& given : tracers) tracers_.push_back(std::make_unique<Carried>(carry(given)));
    make_fractions();
    fill_open(depth);
    make_flow_contexts();
    for (const auto& carried : tracers_) make_contexts(*carried);
}

TracerTransport::Carried TracerTransport::carry(const CarriedTracer& given) const {
    const auto interface = [&](std::size_t axis) {
        return layered_field(domain_, settings_, given.prefix + "interface_" + axis_names[axis],
                             interface_locations[axis]);
    };
    return {given, {interface(0), interface(1), interface(2)}, {}, {}};
}

void TracerTransport::make_fractions() {
    for (std::size_t f = 0; f < fractions_.size(); ++f) {
        for (int axis = 0; axis < 3; ++axis)
            if (fractions_[f].moves_along(axis)) passes_.push_back({f, axis});
        if (f > 0)
            between_.push_back(layered_field(domain_, settings_, "thickness_" + std::to_string(f), Location::center));
    }
    if (std::ranges::any_of(fractions_, is_together))
        leaving_.push_back(layered_field(domain_, settings_, "leaving", Location::center));
}

void TracerTransport::fill_open(std::span<const double> depth) {
    const lapwing::Grid& grid = domain_.partition().grid();
    const Depth whole{grid.size[0], grid.size[1], depth};
    const auto is_open = [&](Index i, Index j, Index ahead_i, Index ahead_j) {
        if (grid.periodic[0]) ahead_i %= whole.nx;
        if (grid.periodic[1]) ahead_j %= whole.ny;
        return whole(i, j) > 0 && whole(ahead_i, ahead_j) > 0 ? 1.0 : 0.0;
    };
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (int b = 0; b < std::ssize(flow_z_.blocks()); ++b) {
            const Box& owned = flow_z_.blocks()[b].owned;
            const auto open = open_[axis].view<double>(b);
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                    open(i, j) = axis == 0 ? is_open(i, j, i + 1, j) : is_open(i, j, i, j + 1);
        }
}

Field& TracerTransport::thickness(std::size_t fraction) {
    if (fraction == 0) return flow_.thickness_before;
    return fraction == fractions_.size() ? flow_.thickness_after : between_[fraction - 1];
}

Field& TracerTransport::flow_along(int axis) { return axis == 0 ? flow_.flow_x : axis == 1 ? flow_.flow_y : flow_z_; }

void TracerTransport::make_flow_contexts() {
    for (int b = 0; b < std::ssize(flow_z_.blocks()); ++b) {
        FlowContext context;
        context.flow_x = flow_.flow_x.view<double>(b);
        context.flow_y = flow_.flow_y.view<double>(b);
        context.flow_z = flow_z_.view<double>(b);
        for (std::size_t f = 0; f <= fractions_.size(); ++f) context.thickness[f] = thickness(f).view<double>(b);
        if (!leaving_.empty()) context.leaving = leaving_.front().view<double>(b);
        context.time_step = settings_.time_step;
        context.over_dx = 1.0 / settings_.spacing_x;
        context.over_dy = 1.0 / settings_.spacing_y;
        context.levels = settings_.levels;
        context.split = settings_.split;
        context.prescribed = flow_.prescribed;
        flowing_.push_back(context);
    }
}

AdvectionContext TracerTransport::context_of(Carried& carried, const Pass& pass, int block) {
    const std::size_t a = pass.axis;
    const std::array<double, 3> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y, 1.0};
    AdvectionContext context;
    context.tracer = carried.given.tracer->view<double>(block);
    context.interface = carried.interface[a].view<double>(block);
    context.flow = flow_along(pass.axis).view<double>(block);
    context.thickness = thickness(pass.fraction).view<double>(block);
    context.new_thickness = thickness(pass.fraction + 1).view<double>(block);
    if (pass.axis != 2) context.open = open_[a].view<double>(block);
    context.together = is_together(fractions_[pass.fraction]);
    if (context.together) context.leaving = leaving_.front().view<double>(block);
    context.axis = pass.axis;
    context.scale = fractions_[pass.fraction].share(pass.axis) * settings_.time_step * over[a];
    context.levels = settings_.levels;
    context.scheme = settings_.scheme;
    return context;
}

void TracerTransport::make_contexts(Carried& carried) {
    carried.passes.resize(passes_.size());
    for (int b = 0; b < std::ssize(flow_z_.blocks()); ++b) {
        for (std::size_t p = 0; p < passes_.size(); ++p)
            carried.passes[p].push_back(context_of(carried, passes_[p], b));
        if (!leaving_.empty()) carried.together.push_back({carried.passes[0].back(), carried.passes[1].back()});
    }
}

Stage TracerTransport::interface_stage(Carried& carried, std::size_t p) {
    const auto [fraction, axis] = passes_[p];
    Stage stage;
    stage.name = carried.interface[axis].spec().name;
    stage.reads = {{carried.given.tracer, reach(axis, 1, 2)},
                   {&flow_along(axis), reach(axis, 1, 1)},
                   {&thickness(fraction), reach(axis, 0, 1)}};
    if (axis != 2) stage.reads.push_back({&open_[axis], reach(axis, 1, 1)});
    if (is_together(fractions_[fraction])) stage.reads.push_back({&leaving_.front(), reach(axis, 0, 1)});
    stage.writes = {&carried.interface[axis]};
    stage.rim = reach(axis, 1, 0);  // the update reads it there: computed twice, it need not travel
    stage.kernel = tracer_interface;
    stage.contexts = addresses(carried.passes[p]);
    return stage;
}

Stage TracerTransport::update_stage(Carried& carried, std::size_t fraction) {
    Stage stage;
    stage.name = carried.given.prefix + "update_";
    for (std::size_t p = 0; p < passes_.size(); ++p) {
        const auto [of, axis] = passes_[p];
        if (of != fraction) continue;
        stage.name += axis_names[axis];
        stage.reads.push_back({&carried.interface[axis], reach(axis, 1, 0)});
        stage.reads.push_back({&flow_along(axis), reach(axis, 1, 0)});
        stage.contexts = addresses(carried.passes[p]);
    }
    stage.reads.push_back({&thickness(fraction + 1), {}});
    stage.reads.push_back({carried.given.tracer, {}});
    stage.writes = {carried.given.tracer};
    const bool together = is_together(fractions_[fraction]);
    stage.kernel = together ? tracer_update_together : tracer_update;
    if (together) stage.contexts = addresses(carried.together);
    return stage;
}

std::vector<Stage> TracerTransport::stages() {
    std::vector<Stage> all;
    for (std::size_t f = 0; f < fractions_.size(); ++f) {
        for (std::size_t p = 0; p < passes_.size(); ++p)
            for (const auto& carried : tracers_)
                if (passes_[p].fraction == f) all.push_back(interface_stage(*carried, p));
        for (const auto& carried : tracers_) all.push_back(update_stage(*carried, f));
    }
    return all;
}

std::vector<Stage> TracerTransport::flow_stages() {
    Stage stage;
    stage.name = "tracer_flow";
    stage.reads = {{&flow_.flow_x, reach(0, 1, 0)}, {&flow_.flow_y, reach(1, 1, 0)}, {&flow_.thickness_before, {}}};
    if (&flow_.thickness_after != &flow_.thickness_before) stage.reads.push_back({&flow_.thickness_after, {}});
    stage.writes = {&flow_z_};
    for (Field& field : between_) stage.writes.push_back(&field);
    for (Field& field : leaving_) stage.writes.push_back(&field);
    stage.rim = Extent::horizontal(1);  // the interfaces read thicknesses there: computed twice, they need not travel
    stage.kernel = tracer_flow;
    stage.contexts = addresses(flowing_);
    return {stage};
}

void TracerTransport::close_faces() {
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (int b = 0; b < std::ssize(flow_z_.blocks()); ++b) {
            const Box& owned = flow_z_.blocks()[b].owned;
            const auto flow = flow_along(static_cast<int>(axis)).view<double>(b), open = open_[axis].view<double>(b);
            for (Index k = 0; k < settings_.levels; ++k)
                for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                    for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                        if (open(i, j) == 0.0) flow(i, j, k) = 0.0;
        }
}

FlowLimits TracerTransport::limits() const {
    FlowLimits limits;
    for (std::size_t b = 0; b < flowing_.size(); ++b)
        limits = worse(limits, flow_limits(flowing_[b], flow_z_.blocks()[b].owned));
    return limits;
}

void TracerTransport::check_limits(Index step_number) const {
    lapwing_coast::check_limits(domain_, limits(), settings_.split, step_number);
}

}  // namespace lapwing_coast
