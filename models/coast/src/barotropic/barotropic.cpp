#include "lapwing_coast/barotropic/barotropic.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Location;
using lapwing::Stage;
using lapwing::user_error;

namespace {

SlowDrive make_slow_drive(const Domain& domain, std::size_t axis, int halo) {
    const std::string along = std::string("_") + axis_names[axis];
    const auto at = [&](const char* name, Location location) {
        return make_field(domain, name + along, location, {.halo = halo});
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
    : sea_level(make_field(domain, "sea_level", Location::center, {.halo = split.halo})),
      transport(make_face_fields(domain, "transport", {.halo = split.halo})),
      depth(make_field(domain, "depth", Location::center, {.halo = split.halo})),
      face_depth(make_face_fields(domain, "depth", {.halo = split.halo})),
      settings_(settings),
      boundaries_(std::move(boundaries)),
      times_(split.micro_steps) {
    lapwing::together(domain.comm(), [&] {
        check_depth(domain, whole_depth);
        check_settings(settings_, std::ranges::max(whole_depth));
        check_boundaries(domain, boundaries_);
    });
    lapwing::require_same(domain.comm(), "set-up of the coast model", text_of_all(settings_, whole_depth, boundaries_));
    if (settings_.least_depth > 0)
        tried_.push_back(make_field(domain, "tried_level", Location::center, {.halo = split.halo}));
    if (split.slow_terms) {
        for (std::size_t axis = 0; axis < 2; ++axis) slow.push_back(make_slow_drive(domain, axis, split.halo));
    }
    const lapwing::Grid& grid = domain.partition().grid();
    fill_depths({grid.size[0], grid.size[1], whole_depth, {grid.periodic[0], grid.periodic[1]}});
    make_contexts();
}

void BarotropicMode::fill_depths(const Depth& whole) {
    for (std::size_t b = 0; b < depth.blocks().size(); ++b) {
        const int block = static_cast<int>(b);
        const Box& owned = depth.blocks()[b].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                depth.view<double>(block)(i, j) = whole(i, j);
                for (std::size_t axis = 0; axis < 2; ++axis)
                    face_depth[axis].view<double>(block)(i, j) =
                        lapwing_coast::face_depth(whole, boundaries_, i, j, ahead_along[axis][0], ahead_along[axis][1]);
            }
    }
}

void BarotropicMode::make_contexts() {
    const CoastSettings& s = settings_;
    const double dt = s.time_step;
    const std::array<double, 2> spacing{s.spacing_x, s.spacing_y}, coriolis{s.coriolis, -s.coriolis};
    boundary_contexts_.assign(times_.size(), std::vector<std::vector<BoundaryContext>>(boundaries_.size()));
    for (int b = 0; b < std::ssize(sea_level.blocks()); ++b) {
        const auto level = sea_level.view<double>(b), x = transport[0].view<double>(b),
                   y = transport[1].view<double>(b);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            MomentumContext context{transport[axis].view<double>(b),
                                    transport[1 - axis].view<double>(b),
                                    face_depth[axis].view<double>(b),
                                    level,
                                    slow.empty() ? lapwing::View<double>() : slow[axis].terms.view<double>(b),
                                    slow.empty() ? lapwing::View<double>() : slow[axis].change.view<double>(b),
                                    ahead_along[axis][0],
                                    ahead_along[axis][1],
                                    dt * coriolis[axis],
                                    dt * s.gravity / spacing[axis],
                                    dt * s.drag,
                                    dt};
            momentum_[axis].push_back(context);
            if (!slow.empty()) advection_[axis].push_back(advection_context(transport[axis], axis, b));
        }
        continuity_.push_back({level, x, y, dt / s.spacing_x, dt / s.spacing_y});
        if (!tried_.empty())
            drying_.push_back({level,
                               tried_[0].view<double>(b),
                               depth.view<double>(b),
                               {x, y},
                               dt / s.spacing_x,
                               dt / s.spacing_y,
                               s.least_depth,
                               &braked_});
        for (std::size_t m = 0; m < times_.size(); ++m)
            for (std::size_t n = 0; n < boundaries_.size(); ++n)
                boundary_contexts_[m][n].push_back({level, depth.view<double>(b), &boundaries_[n], &times_[m], s.ramp});
    }
}

Stage BarotropicMode::momentum_stage(std::size_t axis) {
    const int a = static_cast<int>(axis);
    Stage stage;
    stage.name = std::string("momentum_") + axis_names[axis];
    stage.reads = {{&sea_level, reach(a, 0, 1)},
                   {&transport[1 - axis], four_around(a)},
                   {&transport[axis], {}},
                   {&face_depth[axis], {}}};
    if (!slow.empty()) {
        stage.reads.push_back({&slow[axis].terms, {}});
        stage.reads.push_back({&slow[axis].change, {}});
    }
    stage.writes = {&transport[axis]};
    stage.kernel = slow.empty() ? momentum : momentum_with_slow_terms;
    stage.contexts = addresses(momentum_[axis]);
    return stage;
}

TransportAdvectionContext BarotropicMode::advection_context(Field& carried, std::size_t axis, int b) {
    const auto [di, dj] = ahead_along[axis];
    const std::array<double, 2> over{1.0 / settings_.spacing_x, 1.0 / settings_.spacing_y};
    const auto speed = [&](std::size_t n) { return slow[axis].speeds[n].view<double>(b); };
    return {carried.view<double>(b),
            face_depth[axis].view<double>(b),
            {speed(0), speed(1), speed(2), speed(3)},
            slow[axis].change.view<double>(b),
            di,
            dj,
            over[axis],
            over[1 - axis]};
}

Stage BarotropicMode::advection_of(Field& carried, std::size_t axis) {
    const int a = static_cast<int>(axis);
    Stage stage;
    stage.name = std::string("transport_advection_") + axis_names[axis];
    stage.reads = {{&carried, unite(reach(0, 1, 1), reach(1, 1, 1))}, {&face_depth[axis], {}}};
    for (std::size_t n = 0; n < 4; ++n)
        stage.reads.push_back({&slow[axis].speeds[n], n < 2 ? reach(a, 0, 1) : reach(1 - a, 1, 0)});
    stage.writes = {&slow[axis].change};
    stage.kernel = transport_advection;
    return stage;
}

Stage BarotropicMode::advection_stage(std::size_t axis) {
    Stage stage = advection_of(transport[axis], axis);
    stage.contexts = addresses(advection_[axis]);
    return stage;
}

Stage BarotropicMode::continuity_stage() {
    Stage stage;
    stage.name = "continuity";
    stage.reads = {{&transport[0], reach(0, 1, 0)}, {&transport[1], reach(1, 1, 0)}, {&sea_level, {}}};
    stage.writes = {&sea_level};
    stage.kernel = continuity;
    stage.contexts = addresses(continuity_);
    return stage;
}

Stage BarotropicMode::try_stage() {
    Stage stage;
    stage.name = "try_level";
    stage.reads = {{&transport[0], reach(0, 1, 0)}, {&transport[1], reach(1, 1, 0)}, {&sea_level, {}}};
    stage.writes = {&tried_[0]};
    stage.kernel = try_level;
    stage.contexts = addresses(drying_);
    return stage;
}

Stage BarotropicMode::brake_stage() {
    Stage stage;
    stage.name = "brake";
    stage.reads = {{&tried_[0], unite(reach(0, 0, 1), reach(1, 0, 1))},
                   {&depth, unite(reach(0, 0, 1), reach(1, 0, 1))},
                   {&transport[0], {}},
                   {&transport[1], {}}};
    stage.writes = {&transport[0], &transport[1]};
    stage.kernel = brake;
    stage.contexts = addresses(drying_);
    stage.reduction = lapwing::Reduction{lapwing::Reduction::Kind::maximum, &braked_, &braked_anywhere_};
    stage.repeats = 2;
    return stage;
}

Stage BarotropicMode::boundary_stage(std::size_t boundary, std::size_t micro_step) {
    Stage stage;
    stage.name = "open_boundary";
    stage.reads = {{&depth, {}}};
    stage.writes = {&sea_level};
    stage.kernel = open_boundary;
    stage.contexts = addresses(boundary_contexts_[micro_step][boundary]);
    stage.region = boundaries_[boundary].cells;
    return stage;
}

std::vector<Stage> BarotropicMode::stages(const std::array<int, 2>& order, int micro_step) {
    std::vector<Stage> list;
    for (std::size_t axis = 0; axis < slow.size(); ++axis) list.push_back(advection_stage(axis));
    for (int axis : order) list.push_back(momentum_stage(axis));
    if (!drying_.empty()) {
        list.push_back(try_stage());
        list.push_back(brake_stage());
    }
    list.push_back(continuity_stage());
    for (std::size_t n = 0; n < boundaries_.size(); ++n) list.push_back(boundary_stage(n, micro_step));
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
