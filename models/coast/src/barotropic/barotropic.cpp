#include "lapwing_coast/barotropic/barotropic.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::ahead;
using lapwing::behind;
using lapwing::cross;
using lapwing::DeclaredStage;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Location;
using lapwing::repeated;
using lapwing::stage;
using lapwing::user_error;

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

void check_settings(const CoastSettings& settings, double deepest) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("gravity", settings.gravity, "m/s2");
    if (!(settings.drag >= 0 && settings.ramp >= 0 && settings.least_depth >= 0 && std::isfinite(settings.coriolis)))
        user_error("drag, ramp, least depth or coriolis",
                   text(settings.drag) + ", " + text(settings.ramp) + ", " + text(settings.least_depth) + ", " +
                       text(settings.coriolis),
                   "coriolis finite, the others at least 0", "correct the setting");
    const double longest = longest_time_step(settings, deepest);  // s
    if (settings.time_step > longest)
        user_error("time step", text(settings.time_step) + " s",
                   "at most " + text(longest) + " s for gravity waves in water of " + text(deepest) + " m",
                   "choose a shorter step, wider cells or less depth");
    if (std::abs(settings.coriolis) * settings.time_step > 0.5)
        user_error("time step", text(settings.time_step) + " s",
                   "at most " + text(0.5 / std::abs(settings.coriolis)) + " s for this Coriolis parameter",
                   "choose a shorter step");
}

void check_boundaries(const Domain& domain, std::span<const Boundary> boundaries) {
    for (const Boundary& boundary : boundaries) {
        if (boundary.cells.empty() || !domain.partition().grid().box().contains(boundary.cells))
            user_error("open boundary", to_string(boundary.cells),
                       "cells of the grid " + to_string(domain.partition().grid().box()), "move the boundary");
        const std::size_t cells = boundary.cells.volume();
        for (const Constituent& tide : boundary.constituents)
            if (tide.in_phase.size() != cells || tide.quadrature.size() != cells)
                user_error(
                    "tide at " + to_string(boundary.cells),
                    std::to_string(tide.in_phase.size()) + " and " + std::to_string(tide.quadrature.size()) + " values",
                    std::to_string(cells) + ", one per cell of the boundary", "pass a value for every cell");
    }
}

std::string text_of_all(const CoastSettings& settings, std::span<const double> depth,
                        std::span<const Boundary> boundaries) {
    std::string text = lapwing::text_of(settings) + " depth " + lapwing::Digest().add(depth).text();
    for (const Boundary& boundary : boundaries) text += lapwing::text_of(boundary);
    return text;
}

}  // namespace

double longest_time_step(const CoastSettings& settings, double depth) {
    const double diagonal = std::hypot(1.0 / settings.spacing_x, 1.0 / settings.spacing_y);  // 1/m
    return 1.0 / (std::sqrt(settings.gravity * depth) * diagonal);
}

BarotropicMode::BarotropicMode(Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
                               std::vector<Boundary> boundaries, const ModeSplit& split)
    : sea_level(centre_field(domain, "sea_level")),
      transport(face_fields(domain, "transport")),
      depth(centre_field(domain, "depth")),
      face_depth(face_fields(domain, "depth")),
      settings_(settings),
      boundaries_(std::move(boundaries)),
      tried_(centre_field(domain, "tried_level")),
      times_(split.micro_steps) {
    const std::string all = text_of_all(settings_, whole_depth, boundaries_);
    lapwing::require_agreed(domain, "set-up of the coast model", all, [&] {
        check_depth(domain, whole_depth);
        check_settings(settings_, std::ranges::max(whole_depth));
        check_boundaries(domain, boundaries_);
    });
    if (!split.slow_terms) return;
    for (const Axis axis : horizontal_axes) slow.push_back(make_slow_drive(domain, axis));
}

void BarotropicMode::start(std::span<const double> whole_depth) {
    const lapwing::Grid& grid = depth.domain().partition().grid();
    const Depth whole{grid.size[0], grid.size[1], whole_depth, {grid.periodic[0], grid.periodic[1]}};
    depth.allocate();  // no stage of a closed sea reads it
    depth.fill([&](Index i, Index j, Index) { return whole(i, j); });
    for (const Axis axis : horizontal_axes) {
        const auto [di, dj] = ahead_along[axis];
        face_depth[axis].fill(
            [&](Index i, Index j, Index) { return lapwing_coast::face_depth(whole, boundaries_, i, j, di, dj); });
    }
}

DeclaredStage BarotropicMode::momentum_stage(Axis axis) const {
    const CoastSettings& s = settings_;
    const std::array<double, 2> spacing{s.spacing_x, s.spacing_y}, coriolis{s.coriolis, -s.coriolis};
    const double dt = s.time_step;  // s
    const Momentum kernel{axis, dt * coriolis[axis], dt * s.gravity / spacing[axis], dt * s.drag, dt};
    const auto momentum = [&](const auto&... driven_by) {
        return stage(along("momentum", axis), kernel, updates(transport[axis]),
                     reads(transport[other(axis)], ahead(axis), behind(other(axis))), reads(sea_level, ahead(axis)),
                     reads(face_depth[axis]), reads(driven_by)...);
    };
    return slow.empty() ? momentum() : momentum(slow[axis].terms, slow[axis].change);
}

DeclaredStage BarotropicMode::advection_of(const std::string& name, const Field<double>& carried, Axis axis) const {
    const std::array<double, 2> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y};
    const auto& [from_behind, from_here, to_next, from_next] = slow[axis].speeds;
    return stage(along(name, axis), TransportAdvection{axis, over[axis], over[other(axis)]}, writes(slow[axis].change),
                 reads(carried, cross(1)), reads(face_depth[axis]), reads(from_behind, ahead(axis)),
                 reads(from_here, ahead(axis)), reads(to_next, behind(other(axis))),
                 reads(from_next, behind(other(axis))));
}

// Levels are tried and faces closed until no cell gives away water that it does not have.
std::vector<DeclaredStage> BarotropicMode::drying_stages() const {
    const double over_dx = settings_.time_step / settings_.spacing_x,
                 over_dy = settings_.time_step / settings_.spacing_y;
    const Extent next = cross(ahead(lapwing::x), ahead(lapwing::y));
    return repeated({stage("try_level", TryLevel{over_dx, over_dy}, writes(tried_), reads(sea_level),
                           reads(transport[0], behind(lapwing::x)), reads(transport[1], behind(lapwing::y))),
                     stage("brake", Brake{settings_.least_depth}, updates(transport[0]), updates(transport[1]),
                           reads(tried_, next), reads(depth, next), reduces(lapwing::maximum()))},
                    lapwing::while_above(0));
}

std::vector<DeclaredStage> BarotropicMode::stages(const std::array<Axis, 2>& order, int micro_step) const {
    const Continuity continuity{settings_.time_step / settings_.spacing_x, settings_.time_step / settings_.spacing_y};
    std::vector<DeclaredStage> list;
    if (!slow.empty())
        for (const Axis axis : horizontal_axes)
            list.push_back(advection_of("transport_advection", transport[axis], axis));
    for (const Axis axis : order) list.push_back(momentum_stage(axis));
    if (settings_.least_depth > 0) std::ranges::move(drying_stages(), std::back_inserter(list));
    list.push_back(stage("continuity", continuity, updates(sea_level), reads(transport[0], behind(lapwing::x)),
                         reads(transport[1], behind(lapwing::y))));
    for (const Boundary& boundary : boundaries_) {
        const OpenBoundary kernel{&boundary, &times_[micro_step], settings_.ramp};
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
