#include "lapwing_coast/setup_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "lapwing/base/error.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"
#include "lapwing_coast/layers/layered_coast.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Index;
using lapwing::user_error;

std::string text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

void check_depth(const Domain& domain, std::span<const double> depth) {
    const lapwing::Grid& grid = domain.partition().grid();
    const Index cells = grid.size[0] * grid.size[1];
    if (grid.size[2] != 1)
        user_error("grid of the coast model", to_string(grid), "one level", "give the layers as levels of its fields");
    if (static_cast<Index>(depth.size()) != cells)
        user_error("depth", std::to_string(depth.size()) + " values",
                   std::to_string(cells) + ", one per cell of the grid", "pass the depth of the whole grid");
    const auto bad = std::ranges::find_if(depth, [](double d) { return !(std::isfinite(d) && d >= 0); });
    if (bad != depth.end()) user_error("depth", text(*bad), "0 m on land, else more", "correct the depth");
    if (std::ranges::none_of(depth, [](double d) { return d > 0; }))
        user_error("depth", "land everywhere", "at least one wet cell", "correct the depth or the mask");
}

void require_closed(const Domain& domain) {
    const lapwing::Grid& grid = domain.partition().grid();
    if (grid.periodic[0] || grid.periodic[1])
        user_error("grid of the coast model", to_string(grid), "no periodic axis", "make the domain on such a grid");
}

void require_positive(std::string_view name, double value, std::string_view unit) {
    if (!(std::isfinite(value) && value > 0))
        user_error(name, text(value).append(" ").append(unit), "a finite value above 0", "correct the setting");
}

void check_metrics(const Domain& domain, const CellMetrics& metrics) {
    const lapwing::Grid& grid = domain.partition().grid();
    const std::size_t cells = metrics.varies() ? grid.size[0] * grid.size[1] : 0;
    const auto check = [&](const char* name, const std::vector<double>& values, bool is_length) {
        if (values.size() != cells)
            user_error(name, std::to_string(values.size()) + " values",
                       std::to_string(cells) + ", one per cell of the grid, or none of all metrics",
                       "pass the metrics of the whole grid");
        const auto bad =
            std::ranges::find_if(values, [&](double v) { return !std::isfinite(v) || (is_length && v <= 0); });
        if (bad != values.end())
            user_error(name, text(*bad), is_length ? "finite lengths above 0 m" : "finite numbers",
                       "correct the metrics");
    };
    check("spacing of cells along x", metrics.spacing_x, true);
    check("spacing of cells along y", metrics.spacing_y, true);
    check("Coriolis parameter of cells", metrics.coriolis, false);
}

namespace {

void check_rates(const std::string& name, double rate, const std::vector<double>& rates, std::size_t times) {
    const bool finite = std::isfinite(rate) && std::ranges::all_of(rates, [](double r) { return std::isfinite(r); });
    if (!finite) user_error(name, "a rate that is not finite", "finite numbers", "correct the rates");
    if (!rates.empty() && rates.size() != times)
        user_error(name, std::to_string(rates.size()) + " rates", std::to_string(times) + ", one per time, or none",
                   "give every time its rate");
}

}  // namespace

void check_inflow(const Domain& domain, const Inflow& inflow, std::span<const double> depth) {
    const lapwing::Index3& size = domain.partition().grid().size;
    for (const River& river : inflow.rivers) {
        const std::string cell =
            std::string("(").append(std::to_string(river.i)).append(", ") + std::to_string(river.j) + ")";
        const bool inside = river.i >= 0 && river.j >= 0 && river.i < size[0] && river.j < size[1];
        if (!inside || !(depth[river.j * size[0] + river.i] > 0))
            user_error("river", inside ? "the cell " + cell + " on land" : "the cell " + cell,
                       "a wet cell of the grid " + to_string(domain.partition().grid()), "move the river");
        check_rates("river in cell " + cell, river.discharge, river.discharges, inflow.times.size());
    }
    check_rates("rain", inflow.rain, inflow.rains, inflow.rain_times.size());
}

void check_settings(const CoastSettings& settings, std::span<const double> depth, const CellMetrics& metrics) {
    require_positive("time step", settings.time_step, "s");
    require_positive("spacing in x", settings.spacing_x, "m");
    require_positive("spacing in y", settings.spacing_y, "m");
    require_positive("gravity", settings.gravity, "m/s2");
    if (!(settings.drag >= 0 && settings.ramp >= 0 && settings.least_depth >= 0 && std::isfinite(settings.coriolis)))
        user_error("drag, ramp, least depth or coriolis",
                   text(settings.drag) + ", " + text(settings.ramp) + ", " + text(settings.least_depth) + ", " +
                       text(settings.coriolis),
                   "coriolis finite, the others at least 0", "correct the setting");
    const double longest = longest_time_step(settings, depth, metrics);  // s
    if (settings.time_step > longest)
        user_error("time step", text(settings.time_step) + " s",
                   "at most " + text(longest) + " s for gravity waves in water of " + text(std::ranges::max(depth)) +
                       " m" + (metrics.varies() ? " and these cells" : ""),
                   "choose a shorter step, wider cells or less depth");
    double coriolis = metrics.varies() ? 0.0 : std::abs(settings.coriolis);  // 1/s
    for (const double f : metrics.coriolis) coriolis = std::max(coriolis, std::abs(f));
    if (coriolis * settings.time_step > 0.5)
        user_error("time step", text(settings.time_step) + " s",
                   "at most " + text(0.5 / coriolis) + " s for this Coriolis parameter", "choose a shorter step");
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

namespace {

void check_shares(const std::vector<double>& shares, int levels) {
    constexpr double least = 1e-4, rounding = 1e-9;
    if (shares.empty()) return;
    if (std::ssize(shares) != levels)
        user_error("shares of the layers", std::to_string(shares.size()) + " numbers",
                   std::to_string(levels) + ", one per layer, or none", "give every layer its share");
    double sum = 0.0;
    for (const double share : shares) {
        sum += share;
        if (!(share >= least))
            user_error("shares of the layers", text(share), "at least " + text(least) + " of the depth each",
                       "stretch the layers less, or take fewer");
    }
    if (!(std::abs(sum - 1.0) <= rounding))
        user_error("shares of the layers", "a sum of " + text(sum), "1", "divide each by the sum");
}

}  // namespace

void check_settings(const LayerSettings& s) {
    require_positive("levels", s.levels, "layers");
    check_shares(s.shares, s.levels);
    require_positive("micro steps", s.micro_steps, "steps");
    if (s.k_epsilon || s.bottom_roughness != 0) require_positive("bottom roughness", s.bottom_roughness, "m");
    require_positive("surface roughness", s.surface_roughness, "m");
    require_positive("reference density", s.water.reference_density, "kg/m3");
    if (!(s.viscosity >= 0 && s.diffusivity >= 0))
        user_error("viscosity and diffusivity", text(s.viscosity) + " and " + text(s.diffusivity) + " m2/s",
                   "0 or more", "correct the setting");
    const std::array<double, 6> forcing{s.wind_stress[0], s.wind_stress[1], s.drive[0],
                                        s.drive[1],       s.heat_flux,      s.salt_flux};
    for (const double value : forcing) {
        if (!std::isfinite(value))
            user_error("forcing of the layers", text(value), "finite numbers", "correct the setting");
    }
}

}  // namespace lapwing_coast
