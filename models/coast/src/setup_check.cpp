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

void check_settings(const LayerSettings& s) {
    require_positive("levels", s.levels, "layers");
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
