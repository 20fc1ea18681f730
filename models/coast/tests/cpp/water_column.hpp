#pragma once
// One column of water that moves and mixes: the kernels of the vertical, coupled as a model couples them.

#include <lapwing_coast/layers/column_solver.hpp>
#include <lapwing_coast/layers/turbulence.hpp>
#include <lapwing_coast/layers/vertical_mixing.hpp>

#include <cmath>
#include <vector>

#include "column_fields.hpp"

namespace lapwing_coast::testing {

// Flows along x, without rotation, alike in all cells around.
class WaterColumn {
  public:
    struct Settings {
        Index levels = 40;
        double depth = 10.0;                // m
        double roughness = 0.0015;          // z0 of the bottom, m
        double surface_roughness = 0.0015;  // m
        double slope_force = 0.0;           // m/s2
        double surface_stress = 0.0;        // over density, m2/s2
        double time_step = 10.0;            // s
    };

    explicit WaterColumn(const Settings& settings)
        : s(settings), work_(std::max(turbulence_work(s.levels), mixing_work(s.levels))) {
        tke.fill([](Index, Index, Index) { return 1e-10; });
        dissipation.fill([](Index, Index, Index) { return 1e-12; });
    }

    void step() {
        move();
        mix_buoyancy();
        const Turbulence turbulence{.surface_stress = {.everywhere = &s.surface_stress},
                                    .time_step = s.time_step,
                                    .bottom_roughness = s.roughness,
                                    .surface_roughness = s.surface_roughness,
                                    .levels = s.levels,
                                    .work = work_.data()};
        turbulence(box, tke.view(), dissipation.view(), viscosity.view(), diffusivity.view(), buoyancy.view(),
                   flow_x.view(), flow_y.view(), depth.view(), depth.view(), depth.view(), sea_level.view());
    }

    [[nodiscard]] double thickness() const { return s.depth / static_cast<double>(s.levels); }
    [[nodiscard]] double centre(Index k) const {
        return (static_cast<double>(k) + 0.5) * thickness();
    }  // above the bottom
    [[nodiscard]] double top(Index k) const { return static_cast<double>(k + 1) * thickness(); }
    double velocity(Index k) { return flow_x(0, 0, k) / thickness(); }
    // such that the velocity at the centre of the lowest layer lies on the logarithmic profile
    [[nodiscard]] double drag_coefficient() const {
        const double kappa = TurbulenceConstants::kappa;
        const double root = kappa / std::log((0.5 * thickness() + s.roughness) / s.roughness);
        return root * root;
    }

    Settings s;
    Box box{{0, 0, 0}, {1, 1, 1}};
    Memory tke{box, s.levels}, dissipation{box, s.levels}, viscosity{box, s.levels}, diffusivity{box, s.levels};
    Memory flow_x{box, s.levels}, flow_y{box, s.levels}, buoyancy{box, s.levels};
    Memory depth{box, 1, s.depth}, sea_level{box};

  private:
    void move() {
        const double h = thickness(), drag = drag_coefficient() * std::abs(velocity(0)), flux = s.surface_stress * h;
        for (Index k = 0; k < s.levels; ++k) flow_x(0, 0, k) += s.time_step * s.slope_force * h;
        const auto columns = layers_at(viscosity.view(), 0, 0);
        diffuse_columns({.columns = 1,
                         .levels = s.levels,
                         .value = layers_at(flow_x.view(), 0, 0),
                         .diffusivity = columns,
                         .diffusivity_ahead = columns,
                         .thickness = &h,
                         .bottom_drag = &drag,
                         .surface_flux = &flux,
                         .time_step = s.time_step},
                        work_.data());
        for (Index k = 0; k < s.levels; ++k) flow_x(-1, 0, k) = flow_x(0, 0, k);
    }
    void mix_buoyancy() {
        const MixTracer mix{.time_step = s.time_step, .levels = s.levels, .work = work_.data()};
        mix(box, buoyancy.view(), diffusivity.view(), depth.view(), sea_level.view());
    }

    std::vector<double> work_;
};

}  // namespace lapwing_coast::testing
