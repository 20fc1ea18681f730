#pragma once
// Momentum of the layers along one axis of the Arakawa C-grid.

#include <optional>

#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/points.hpp"
#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// Steps the wind along an axis at its faces, `wind` now, over which `old` is stepped:
//
//   stepped = old + dt (-A / dp + F / dp - d(geopotential)/ds - (gradient factor) d(ps)/ds + diffusion)
//
// A is the transport of wind by the air that moves, from centred means: between two faces the flow of air is the mean
// of the flows that make it up, and carries the mean wind, so that kinetic energy is only carried about (Arakawa and
// Lamb 1977); F the Coriolis force from means of f dp v over cells, which does no work either. Reads `wind` and `old`
// one and, with diffusion, two cells around; `across` one cell ahead along the axis and one behind across it;
// `pressure` one behind and two ahead along the axis, one to both sides; what `ColumnFlow` makes one cell ahead.
//
// Semi-Lagrangian, which has one `advected`: `stepped` is dt times the bracket, with no transport along the layers in
// A, and advected = old + stepped.
struct Momentum {
    const HybridLevels* levels;
    int axis;                            // 0 or 1
    double over_along, over_across;      // 1 over the spacings, 1/m
    double coriolis, beta;               // f in row 0 (1/s), and what it grows by per row; negative for the y momentum
    const double* time_step;             // from `old` to `stepped`, s; semi-Lagrangian: half of it
    std::optional<Diffusion> diffusion;  // of `old`

    void operator()(lapwing::Box box, lapwing::View<double> stepped, const Views& advected,
                    lapwing::View<const double> wind, lapwing::View<const double> across,
                    lapwing::View<const double> pressure, lapwing::View<const double> old,
                    lapwing::View<const double> geopotential, lapwing::View<const double> gradient_factor,
                    lapwing::View<const double> vertical_velocity) const;
};

}  // namespace lapwing_weather
