#include "lapwing_coast/barotropic/barotropic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

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
                        std::span<const Boundary> boundaries) {
    std::string text = text_of(settings) + " depth " + Digest().add(depth).text();
    for (const Boundary& boundary : boundaries) text += text_of(boundary);
    return text;
}

}  // namespace

double longest_time_step(const CoastSettings& settings, double depth) {
    const double diagonal = std::hypot(1.0 / settings.spacing_x, 1.0 / settings.spacing_y);  // 1/m
    return 1.0 / (std::sqrt(settings.gravity * depth) * diagonal);
}

BarotropicMode::BarotropicMode(Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
                               std::vector<Boundary> boundaries, const ModeSplit& split)
    : sea_level(centre_field(domain, "sea_level", 0, Land::constant)),
      transport(face_fields(domain, "transport", 0, Land::constant)),
      depth(centre_field(domain, "depth")),
      face_depth(face_fields(domain, "depth")),
      settings_(settings),
      boundaries_(std::move(boundaries)),
      tried_(centre_field(domain, "tried_level")),
      times_(split.micro_steps) {
    const std::string all = text_of_all(settings_, whole_depth, boundaries_);
    require_agreed(domain, "set-up of the coast model", all, [&] {
        check_depth(domain, whole_depth);
        check_settings(settings_, std::ranges::max(whole_depth));
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
    const Momentum kernel{axis, dt * coriolis[axis], dt * s.gravity / spacing[axis], dt * s.drag, dt};
    const auto momentum = [&](const auto&... driven_by) {
        return stage(along("momentum", axis), kernel, updates(transport[axis]),
                     reads(transport[other(axis)], around_face(axis)), reads(sea_level, ahead(axis)),
                     reads(face_depth[axis]), reads(driven_by)...);
    };
    return slow.empty() ? momentum() : momentum(slow[axis].terms, slow[axis].change);
}

Stage BarotropicMode::advection_of(const std::string& name, const Field<double>& carried, Axis axis) const {
    const std::array<double, 2> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y};
    const auto& [from_behind, from_here, to_next, from_next] = slow[axis].speeds;
    return stage(along(name, axis), TransportAdvection{axis, over[axis], over[other(axis)]}, writes(slow[axis].change),
                 reads(carried, cross(1)), reads(face_depth[axis]), reads(from_behind, ahead(axis)),
                 reads(from_here, ahead(axis)), reads(to_next, behind(other(axis))),
                 reads(from_next, behind(other(axis))));
}

// Levels are tried and faces closed until no cell gives away water that it does not have.
Stages BarotropicMode::drying_stages(double over_dx, double over_dy) const {
    const Extent next = cross(ahead(x), ahead(y));
    return repeated({stage("try_level", TryLevel{over_dx, over_dy}, writes(tried_), reads(sea_level),
                           reads(transport[x], behind(x)), reads(transport[y], behind(y))),
                     stage("brake", Brake{settings_.least_depth}, updates(transport[x]), updates(transport[y]),
                           reads(tried_, next), reads(depth, next), reduces(maximum()))},
                    while_above(0));
}

Stages BarotropicMode::stages(const std::array<Axis, 2>& order, int micro_step) const {
    const double over_dx = settings_.time_step / settings_.spacing_x,
                 over_dy = settings_.time_step / settings_.spacing_y;
    Stages list;
    if (!slow.empty())
        list = both([&](Axis axis, Axis) { return advection_of("transport_advection", transport[axis], axis); });
    for (const Axis axis : order) list.push_back(momentum_stage(axis));
    if (settings_.least_depth > 0) list = in_order(list, drying_stages(over_dx, over_dy));
    list.push_back(stage("continuity", Continuity{over_dx, over_dy}, updates(sea_level), reads(transport[x], behind(x)),
                         reads(transport[y], behind(y))));
    for (const Boundary& boundary : boundaries_) {
        const OpenBoundary kernel{&boundary, &times_[micro_step], settings_.ramp, settings_.least_depth};
        list.push_back(stage("open_boundary", kernel, writes(sea_level), reads(depth)).on(boundary.cells));
    }
    return list;
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
