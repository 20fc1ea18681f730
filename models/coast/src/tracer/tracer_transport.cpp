#include "lapwing_coast/tracer/tracer_transport.hpp"

#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_coast/barotropic/depth.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using namespace lapwing;

namespace {

constexpr std::array<Location, 3> interface_locations{Location::xface, Location::yface, Location::center};

void check_settings(const TransportSettings& settings) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("levels", settings.levels, "layers");
    if (settings.scheme == Scheme::p2 && settings.split == Split::horizontal_together)
        user_error("scheme", "p2 with the split horizontal_together", "a scheme with a limit, or another split",
                   "choose p2_pdm, as nothing else keeps waves that cross cells diagonally from growing");
}

void check_field(const Field<double>& field, const TransportSettings& settings) {
    const FieldSpec& spec = field.spec();
    const bool fits = spec.levels == settings.levels && spec.components == 1 &&
                      spec.order.front() == (settings.levels_fastest ? z : x);
    if (!fits)
        user_error("field " + spec.name, to_string(spec),
                   std::to_string(settings.levels) + " levels of float64, " +
                       (settings.levels_fastest ? "levels" : "x") + " fastest in memory",
                   "make it with layered_field");
}

std::vector<Field<double>> thicknesses_between(Domain& domain, const TransportSettings& settings) {
    std::vector<Field<double>> fields;
    for (std::size_t f = 1; f < fractions_of(settings.split).size(); ++f)
        fields.push_back(layered_field(domain, settings, "thickness_" + std::to_string(f), Location::center));
    return fields;
}

}  // namespace

Field<double> layered_field(Domain& domain, const TransportSettings& settings, std::string name, Location location) {
    FieldOptions options{.location = location, .levels = settings.levels};
    if (settings.levels_fastest) options.order = {2, 0, 1, 3};
    return {domain, std::move(name), options};
}

TracerTransport::TracerTransport(Domain& domain, const TransportSettings& settings, const TracerFlow& flow,
                                 std::span<const double> depth, const std::vector<CarriedTracer>& tracers)
    : domain_(domain),
      settings_(settings),
      flow_(flow),
      fractions_(fractions_of(settings.split)),
      flow_z_(layered_field(domain, settings, "flow_z", Location::center)),
      between_(thicknesses_between(domain, settings)),
      open_(face_fields(domain, "open")) {
    const std::string text =
        text_of(settings) + " depth " + Digest().add(depth).text() + ", " + std::to_string(tracers.size()) + " tracers";
    require_agreed(domain, "set-up of the tracer", text, [&] {
        check_depth(domain, depth);
        check_settings(settings_);
        for (const auto& field : {flow_.flow_x, flow_.flow_y, flow_.thickness_before, flow_.thickness_after})
            check_field(field, settings_);
        for (const CarriedTracer& given : tracers) check_field(given.tracer, settings_);
        if (settings_.levels_fastest && !flow_.width[0].empty())
            user_error("memory order of the tracers", "levels fastest, with widths of faces", "x fastest",
                       "set levels_fastest to false where metrics vary");
    });
    if (fractions_.front().is_together())
        leaving_.push_back(layered_field(domain, settings, "leaving", Location::center));
    for (const CarriedTracer& given : tracers) tracers_.push_back(carry(given));
}

TracerTransport::Carried TracerTransport::carry(const CarriedTracer& given) const {
    const auto interface = [&](Axis axis) {
        return layered_field(domain_, settings_, along(given.prefix + "interface", axis), interface_locations[axis]);
    };
    return {given, {interface(x), interface(y), interface(z)}};
}

const Field<double>& TracerTransport::flow_along(Axis axis) const {
    return axis == x ? flow_.flow_x : axis == y ? flow_.flow_y : flow_z_;
}

const Field<double>& TracerTransport::thickness(std::size_t fraction) const {
    if (fraction == 0) return flow_.thickness_before;
    return fraction == fractions_.size() ? flow_.thickness_after : between_[fraction - 1];
}

std::vector<Field<double>> TracerTransport::width_along(Axis axis) const {
    if (axis == z) return {};
    return flow_.width[axis];
}

std::vector<Field<double>> TracerTransport::open_along(Axis axis) const {
    if (axis == z) return {};
    return {open_[axis]};
}

std::vector<Field<double>> TracerTransport::leaving_in(std::size_t fraction) const {
    if (fractions_[fraction].is_together()) return leaving_;
    return {};
}

FlowNumbers TracerTransport::numbers() const {
    return {settings_.time_step, 1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y, settings_.levels,
            settings_.split};
}

AxisStep TracerTransport::step_along(std::size_t fraction, Axis axis) const {
    const std::array<double, 3> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y, 1.0};
    return {axis, fractions_[fraction].share(axis) * settings_.time_step * over[axis], settings_.levels};
}

// Other stages read what it computes one cell around: computed twice, that need not travel.
Stages TracerTransport::flow_stages() const {
    const auto& [flow_x, flow_y, before, after, prescribed, width] = flow_;
    std::vector<Field<double>> moved;
    if (after.field() != before.field()) moved.push_back(after);
    return {stage("tracer_flow", VerticalFlow{numbers(), prescribed}, writes(flow_z_), writes(between_),
                  writes(leaving_), reads(flow_x, behind(x)), reads(flow_y, behind(y)), reads(before), reads(moved),
                  reads(width[x], behind(x)), reads(width[y], behind(y)))
                .rim(around(1))};
}

// The update reads the interface one cell behind: computed twice, that need not travel.
Stage TracerTransport::interface_stage(const Carried& carried, std::size_t fraction, Axis axis) const {
    const Field<double>& interface = carried.interface[axis];
    return stage(interface.name(), TracerInterface{step_along(fraction, axis), settings_.scheme}, writes(interface),
                 reads(carried.given.tracer, reach(axis, 1, 2)), reads(flow_along(axis), reach(axis, 1, 1)),
                 reads(thickness(fraction), reach(axis, 0, 1)), reads(open_along(axis), reach(axis, 1, 1)),
                 reads(leaving_in(fraction), reach(axis, 0, 1)), reads(width_along(axis), reach(axis, 1, 1)))
        .rim(reach(axis, 1, 0));
}

Stage TracerTransport::update_stage(const Carried& carried, std::size_t fraction) const {
    const auto& [given, interface] = carried;
    const Field<double>& new_thickness = thickness(fraction + 1);
    if (fractions_[fraction].is_together())
        return stage(given.prefix + "update_xy", TracerUpdateTogether{step_along(fraction, x), step_along(fraction, y)},
                     updates(given.tracer), reads(interface[0], behind(x)), reads(flow_.flow_x, behind(x)),
                     reads(interface[1], behind(y)), reads(flow_.flow_y, behind(y)), reads(new_thickness),
                     reads(flow_.width[x], behind(x)), reads(flow_.width[y], behind(y)));
    const Axis axis = fractions_[fraction].axis();
    return stage(along(given.prefix + "update", axis), TracerUpdate{step_along(fraction, axis)}, updates(given.tracer),
                 reads(interface[axis], reach(axis, 1, 0)), reads(flow_along(axis), reach(axis, 1, 0)),
                 reads(new_thickness), reads(width_along(axis), reach(axis, 1, 0)));
}

Stages TracerTransport::stages() const {
    Stages all;
    for (std::size_t f = 0; f < fractions_.size(); ++f) {
        for (const Axis axis : {x, y, z})
            for (const Carried& carried : tracers_)
                if (fractions_[f].moves_along(axis)) all.push_back(interface_stage(carried, f, axis));
        for (const Carried& carried : tracers_) all.push_back(update_stage(carried, f));
    }
    return all;
}

void TracerTransport::start(std::span<const double> depth) {
    const Grid& grid = domain_.partition().grid();
    const Depth whole{grid.size[0], grid.size[1], depth};
    for (const Axis axis : horizontal_axes) {
        const auto [ahead_x, ahead_y] = ahead_along[axis];
        open_[axis].fill([&, ahead_x = ahead_x, ahead_y = ahead_y](Index i, Index j, Index) {
            Index ahead_i = i + ahead_x, ahead_j = j + ahead_y;
            if (grid.periodic[0]) ahead_i %= whole.nx;
            if (grid.periodic[1]) ahead_j %= whole.ny;
            return whole(i, j) > 0 && whole(ahead_i, ahead_j) > 0 ? 1.0 : 0.0;
        });
    }
}

void TracerTransport::close_faces() {
    for (const Axis axis : horizontal_axes)
        for (int b = 0; b < std::ssize(flow_z_.memory().blocks()); ++b) {
            const Box& owned = flow_z_.memory().blocks()[b].owned;
            const auto flow = flow_along(axis).memory().view<double>(b), open = open_[axis].memory().view<double>(b);
            for (Index k = 0; k < settings_.levels; ++k)
                for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                    for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                        if (open(i, j) == 0.0) flow(i, j, k) = 0.0;
        }
}

FlowLimits TracerTransport::limits_on(int block) const {
    const auto on_block = [&](const Field<double>& field) { return field.memory().view<const double>(block); };
    std::array<Views, 2> width;
    for (const Axis axis : horizontal_axes)
        for (const Field<double>& field : flow_.width[axis]) width[axis].push_back(on_block(field));
    LayerFlow flow{numbers(), on_block(flow_.flow_x), on_block(flow_.flow_y), &width[0], &width[1], on_block(flow_z_),
                   {}};
    for (std::size_t f = 0; f <= fractions_.size(); ++f) flow.thickness[f] = on_block(thickness(f));
    return flow_limits(flow, flow_z_.memory().blocks()[block].owned, flow_.prescribed);
}

FlowLimits TracerTransport::limits() const {
    FlowLimits limits;
    for (int b = 0; b < std::ssize(flow_z_.memory().blocks()); ++b) limits = worse(limits, limits_on(b));
    return limits;
}

void TracerTransport::check_limits(Index step_number) const {
    lapwing_coast::check_limits(domain_, limits(), settings_.split, step_number);
}

}  // namespace lapwing_coast
