#include "lapwing_coast/coast.hpp"

#include <algorithm>
#include <cmath>

#include <lapwing/agreement.hpp>
#include <lapwing/error.hpp>

#include "lapwing_coast/setup_check.hpp"
#include "lapwing_coast/state_check.hpp"

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

// What the momentum along each axis reads: the offset to the next cell along it.
constexpr std::array<std::array<int, 2>, 2> ahead{{{1, 0}, {0, 1}}};

Field make_field(const Domain& domain, std::string name, Location location) {
    FieldSpec spec;
    spec.name = std::move(name);
    spec.location = location;
    return {domain.partition(), domain.rank(), std::move(spec), domain.halo_with_spare(Extent::horizontal(1))};
}

// One cell towards larger indices along `axis`.
Extent one_ahead(int axis) {
    Extent extent;
    extent.corners = false;  // one axis has none, and a cross of two needs no diagonal message
    extent.hi[static_cast<std::size_t>(axis)] = 1;
    return extent;
}

Extent one_behind(int axis) { return mirrored(one_ahead(axis)); }

// The four faces around a face of `axis`.
Extent four_around(int axis) {
    Extent extent = unite(one_ahead(axis), one_behind(1 - axis));
    extent.corners = true;
    return extent;
}

void check_settings(const CoastSettings& settings, double deepest) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("gravity", settings.gravity, "m/s2");
    if (!(settings.drag >= 0 && settings.ramp >= 0 && std::isfinite(settings.coriolis)))
        user_error("drag, ramp or coriolis",
                   text(settings.drag) + ", " + text(settings.ramp) + ", " + text(settings.coriolis),
                   "drag and ramp at least 0, coriolis finite", "correct the setting");
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
        const auto cells = static_cast<std::size_t>(boundary.cells.volume());
        for (const Constituent& tide : boundary.constituents)
            if (tide.in_phase.size() != cells || tide.quadrature.size() != cells)
                user_error(
                    "tide at " + to_string(boundary.cells),
                    std::to_string(tide.in_phase.size()) + " and " + std::to_string(tide.quadrature.size()) + " values",
                    std::to_string(cells) + ", one per cell of the boundary", "pass a value for every cell");
    }
}

std::string digest_of(const CoastSettings& s, std::span<const double> depth, std::span<const Boundary> boundaries) {
    const std::array<double, 7> numbers{s.time_step, s.spacing_x, s.spacing_y, s.gravity, s.coriolis, s.drag, s.ramp};
    Digest digest;
    digest.add(numbers).add(depth);
    std::string cells;
    for (const Boundary& boundary : boundaries) {
        cells += to_string(boundary.cells);
        for (const Constituent& tide : boundary.constituents)
            digest.add({&tide.angular_speed, 1}).add(tide.in_phase).add(tide.quadrature);
    }
    return cells + digest.text();
}

}  // namespace

double longest_time_step(const CoastSettings& settings, double depth) {
    const double diagonal = std::hypot(1.0 / settings.spacing_x, 1.0 / settings.spacing_y);  // 1/m
    return 1.0 / (std::sqrt(settings.gravity * depth) * diagonal);
}

Coast::Coast(Domain& domain, const CoastSettings& settings, std::span<const double> whole_depth,
             std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport)
    : sea_level(make_field(domain, "sea_level", Location::center)),
      transport_x(make_field(domain, "transport_x", Location::xface)),
      transport_y(make_field(domain, "transport_y", Location::yface)),
      depth(make_field(domain, "depth", Location::center)),
      domain_(domain),
      settings_(settings),
      boundaries_(std::move(boundaries)),
      face_depth_{make_field(domain, "depth_x", Location::xface), make_field(domain, "depth_y", Location::yface)} {
    lapwing::together(domain.comm(), [&] {
        check_depth(domain, whole_depth);
        require_closed(domain);
        check_settings(settings_, std::ranges::max(whole_depth));
        check_boundaries(domain, boundaries_);
    });
    lapwing::require_same(domain.comm(), "set-up of the coast model", digest_of(settings_, whole_depth, boundaries_));
    const lapwing::Index3& size = domain.partition().grid().size;
    fill_depths({size[0], size[1], whole_depth});
    make_contexts();
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport);
}

void Coast::fill_depths(const Depth& whole) {
    for (std::size_t b = 0; b < depth.blocks().size(); ++b) {
        const int block = static_cast<int>(b);
        const Box& owned = depth.blocks()[b].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                depth.view<double>(block)(i, j) = whole(i, j);
                for (std::size_t axis = 0; axis < 2; ++axis)
                    face_depth_[axis].view<double>(block)(i, j) =
                        face_depth(whole, boundaries_, i, j, ahead[axis][0], ahead[axis][1]);
            }
    }
}

void Coast::make_contexts() {
    const CoastSettings& s = settings_;
    const double dt = s.time_step;
    boundary_contexts_.resize(boundaries_.size());
    for (int b = 0; b < static_cast<int>(sea_level.blocks().size()); ++b) {
        const auto level = sea_level.view<double>(b), x = transport_x.view<double>(b), y = transport_y.view<double>(b);
        momentum_[0].push_back({x, y, face_depth_[0].view<double>(b), level, ahead[0][0], ahead[0][1], dt * s.coriolis,
                                dt * s.gravity / s.spacing_x, dt * s.drag});
        momentum_[1].push_back({y, x, face_depth_[1].view<double>(b), level, ahead[1][0], ahead[1][1], -dt * s.coriolis,
                                dt * s.gravity / s.spacing_y, dt * s.drag});
        continuity_.push_back({level, x, y, dt / s.spacing_x, dt / s.spacing_y});
        for (std::size_t n = 0; n < boundaries_.size(); ++n)
            boundary_contexts_[n].push_back({level, depth.view<double>(b), &boundaries_[n], &time_, s.ramp});
    }
}

Stage Coast::momentum_stage(int axis) {
    const auto a = static_cast<std::size_t>(axis);
    Field& along = axis == 0 ? transport_x : transport_y;
    Field& across = axis == 0 ? transport_y : transport_x;
    Stage stage;
    stage.name = axis == 0 ? "momentum_x" : "momentum_y";
    stage.reads = {{&sea_level, one_ahead(axis)}, {&across, four_around(axis)}, {&along, {}}, {&face_depth_[a], {}}};
    stage.writes = {&along};
    stage.kernel = momentum;
    stage.contexts = addresses(momentum_[a]);
    return stage;
}

Stage Coast::continuity_stage() {
    Stage stage;
    stage.name = "continuity";
    stage.reads = {{&transport_x, one_behind(0)}, {&transport_y, one_behind(1)}, {&sea_level, {}}};
    stage.writes = {&sea_level};
    stage.kernel = continuity;
    stage.contexts = addresses(continuity_);
    return stage;
}

std::vector<Stage> Coast::stages(const std::array<int, 2>& order) {
    std::vector<Stage> list{momentum_stage(order[0]), momentum_stage(order[1]), continuity_stage()};
    for (std::size_t n = 0; n < boundaries_.size(); ++n) {
        Stage stage;
        stage.name = "open_boundary";
        stage.reads = {{&depth, {}}};
        stage.writes = {&sea_level};
        stage.kernel = open_boundary;
        stage.contexts = addresses(boundary_contexts_[n]);
        stage.region = boundaries_[n].cells;
        list.push_back(std::move(stage));
    }
    return list;
}

std::vector<std::vector<Stage>> Coast::cycle() { return {stages({0, 1}), stages({1, 0})}; }

void Coast::tick() { time_ = static_cast<double>(++step_number_) * settings_.time_step; }

void Coast::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) {
        tick();
        step_->run(n + 1 < steps);
    }
}

void Coast::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 2));
}

void Coast::check_state() const {
    const std::array<Checked, 3> checked{{{&sea_level, &depth}, {&transport_x, nullptr}, {&transport_y, nullptr}}};
    lapwing_coast::check_state(domain_, checked, step_number_);
}

}  // namespace lapwing_coast
