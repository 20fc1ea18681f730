#pragma once
// Horizontal mixing of momentum and tracers, along the layers.

#include <tuple>

#include "lapwing/base/settings.hpp"

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

struct CoastSettings;

struct HorizontalMixing {
    double viscosity = 0;
    double smagorinsky = 0;
    double diffusivity = 0;

    static constexpr std::tuple declared{
        lapwing::Setting{"viscosity", &HorizontalMixing::viscosity, "of momentum, m2/s"},
        lapwing::Setting{"smagorinsky", &HorizontalMixing::smagorinsky,
                         "c of the viscosity c2 dx dy |D| that is added, 1"},
        lapwing::Setting{"diffusivity", &HorizontalMixing::diffusivity, "of temperature and salinity, m2/s"}};

    [[nodiscard]] bool of_momentum() const { return viscosity > 0 || smagorinsky > 0; }
    [[nodiscard]] bool of_tracers() const { return diffusivity > 0; }
};

// Returns the largest diffusivity (m2/s) with which a step of `time_step` (s) makes no new extreme in the smallest
// cell: 1 / (2 dt (1/dx2 + 1/dy2)). The largest viscosity is half of that, as the water at a face may be half as deep
// as that next to it. Local.
double largest_diffusivity(const CoastSettings& settings, const CellMetrics& metrics, double time_step);

// Throws UserError for coefficients below 0 or beyond their limit. Local.
void check_mixing(const HorizontalMixing& mixing, double largest_diffusivity);

// Sets how the flow deforms the layers (3D, 1/s) at the cells (tension) and corners (shear) of a box:
//
//   T = du/dx - dv/dy,   S = du/dy + dv/dx
//
// with u and v the flow (3D, m2/s) over the thickness; S is 0 at a corner next to a closed face, as coasts do not hold
// the water (free slip). Reads flow and over_thickness of an axis one face behind along it and one ahead across. Where
// metrics vary, distances are fields at the faces, and the terms that turn with the axes are left out. Local.
struct Strain {
    std::array<double, 2> over_spacing{};  // along x and y, 1/m
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> tension, View<double> shear, View<const double> flow_x,
                    View<const double> flow_y, View<const double> over_thickness_x, View<const double> over_thickness_y,
                    const Views& over_distance_x = {}, const Views& over_distance_y = {}) const;
};

// Sets the stress over density times the thickness (3D, m3/s2) at the cells of a box, from the tension as `own` and
// the shear as `other`, or at the corners from the shear and the tension:
//
//   h A own,   A = min(viscosity + c2 dx dy |D|, largest),   D2 = own2 + mean of the four other2 around
//
// after J. Smagorinsky: General circulation experiments with the primitive equations, Monthly Weather Review 91, 1963.
// At a corner dx dy is the mean of the four cells around and h the least of them. Cells read `other` one corner behind
// along both axes, corners read `other`, thickness and area one cell ahead along both. Local.
struct MixingStress {
    HorizontalMixing mixing;
    double largest = 0;  // viscosity, m2/s
    double area = 0;     // of a cell, m2; not used where metrics vary
    lapwing::Location at = lapwing::Location::center;
    Index levels = 1;

    void operator()(Box box, View<double> stress, View<const double> own, View<const double> other,
                    View<const double> thickness, const Views& area_at = {}) const;
};

// Adds the divergence of the stress to the tendency (3D, m2/s2) at the faces of a box, for the momentum along one axis:
//
//   along x:  tendency += d(h A T)/dx + d(h A S)/dy,   along y:  tendency += d(h A S)/dx - d(h A T)/dy
//
// Where A and h are the same everywhere that is h A times the Laplacian of the velocity. Closed faces get nothing.
// Reads the tension's stress one cell ahead along the axis, and the shear's one corner behind across it. Local.
struct MixMomentum {
    Axis axis = lapwing::x;
    double over_along = 0, over_across = 0;  // 1 over the spacings along the axis and across it, 1/m
    Index levels = 1;

    void operator()(Box box, View<double> tendency, View<const double> tension_stress, View<const double> shear_stress,
                    View<const double> over_thickness, const Views& over_distance = {}, const Views& width = {}) const;
};

// Sets the tracer that mixing brings through the faces of a box in a time step against the axis, over the area of a
// cell (3D, tracer m), or, where metrics vary, as tracer m3:
//
//   F = dt K h_f dc/ds / ds,   h_f the smaller thickness of both sides; 0 at closed faces
//
// `number` is dt K over the spacing squared (1), or, where metrics vary, dt K (m2). Reads tracer, thickness and area
// one cell ahead along the axis. Local.
struct DiffusiveFlux {
    Axis axis = lapwing::x;
    double number = 0;
    Index levels = 1;

    void operator()(Box box, View<double> flux, View<const double> tracer, View<const double> thickness,
                    View<const double> face_depth, const Views& area = {}, const Views& width = {},
                    const Views& over_distance = {}) const;
};

// Takes the fluxes through the sides of the cells of a box into the tracer (3D):
//
//   c <- c + (dF_x + dF_y) / h
//
// What leaves a cell enters the next one: tracer times thickness is conserved to rounding, and a constant keeps its
// bits. Reads the fluxes one face behind along their axes. Local.
struct TakeFlux {
    Index levels = 1;

    void operator()(Box box, View<double> tracer, View<const double> flux_x, View<const double> flux_y,
                    View<const double> thickness) const;
};

}  // namespace lapwing_coast
