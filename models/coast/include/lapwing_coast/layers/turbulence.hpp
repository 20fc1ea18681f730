#pragma once
// Turbulence in the column: the two-equation k-epsilon model, which says how strongly the water mixes vertically.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/layers/column_chunk.hpp"
#include "lapwing_coast/layers/stability_functions.hpp"

namespace lapwing_coast {

// Constants of the closure.
struct TurbulenceConstants {
    static constexpr double kappa = 0.4;                    // of von Karman
    static constexpr double c1 = 1.44, c2 = 1.92;           // production and decay of dissipation
    static constexpr double c3_unstable = 1.0;              // buoyancy in dissipation
    static constexpr double c3_stable = -0.62085380171345;  // such that shear and stratification balance at Ri = 0.25
    static constexpr double sigma_k = 1.0;                  // diffusivity of momentum over that of k
    static constexpr double c_mu0 = Canuto2001::c_mu0;
    // diffusivity of momentum over that of eps, such that the logarithmic layer has this kappa
    static constexpr double sigma_eps = kappa * kappa / (c_mu0 * c_mu0 * (c2 - c1));
    static constexpr double largest_eddy = 0.53;  // the length scale is at most this times sqrt(2 k / N2)
};

// Returns the doubles of workspace that the kernel needs. Local.
Index turbulence_work(Index levels);

// Moves k (m2/s2) and eps (m2/s3) on by one time step in the columns of a box, then sets viscosity and diffusivity
// (m2/s) from them. Quantities at interfaces have the index of the layer below them; the bottom has none.
//
//   dk/dt   = d/dz (nu/sigma_k dk/dz)     + P + B - eps
//   deps/dt = d/dz (nu/sigma_eps deps/dz) + eps/k (c1 P + c3 B - c2 eps),   c3 by the sign of B
//   P = nu S2,  B = -nu' N2,  N2 = db/dz - compression,  S2 = mean over both faces of (du/dz)2 + the same of v
//   nu = c_mu(aN) k2/eps + background,  nu' = c_mu'(aN) k2/eps + background,  aN = (k/eps)2 N2
//
// A velocity is the transport over the thickness of the layer at the face, which is r_k (face depth + mean sea level of
// both sides) / levels, and 0 at closed faces. Boundary conditions are fluxes, half a layer from the bottom and from
// the surface: none of k, and of eps that of a logarithmic layer with the k of the nearest interface,
//
//   c_mu0^4 k2 / sigma_eps (h/(z0 + h)^2 + 1/(z0 + 3h/2)),   with layers of thickness h
//
// which is what such a layer loses at all interfaces of the grid, where c2 eps2/k - c1 P eps/k goes with 1/z2. (GOTM
// takes the flux at the height of half a layer, 1/(z0 + h/2): a fifth more, with which the viscosity next to a wall is
// 13 % too small.) So the stress at the bottom acts through the shear that it makes, and is no argument here. At the
// surface itself k = u*2/c_mu0^2, eps = c_mu0^3 k^(3/2) / (kappa z0s) and nu = nu' = kappa u* z0s + background are
// written for output; nothing reads them.
//
// Backward Euler with what k and eps lose in proportion to themselves (Patankar), so that both stay above 0 for any
// time step. Stable stratification limits the length of eddies: eps >= c_mu0^3 k N / (sqrt(2) 0.53), after B. Galperin,
// L. H. Kantha, S. Hassid, A. Rosati: A quasi-equilibrium turbulent energy model for geophysical flows, J. Atmos. Sci.
// 45, 1988. The scheme is that of H. Burchard, K. Bolding, M. R. Villarreal: GOTM, a general ocean turbulence model,
// European Commission, Report EUR 18745 EN, 1999; constants and c3 after L. Umlauf, H. Burchard
// (stability_functions.hpp).
//
// A channel's profile is logarithmic below, and faster than that above, by 1.3 u* at the surface: at mid-depth the
// viscosity is 0.8 of the parabola kappa u* z (1 - z/H). That is how k diffuses in this model, no error of the grid.
//
// The first four fields are at interfaces; the buoyancy b is at cell centres (m/s2), the flow that of each layer
// through the faces (m2/s); depths (m; 0: land, closed) and the sea level (m) have no levels. Land keeps its values.
// Reads flow_x and face_depth_x one cell behind in x, flow_y and face_depth_y one cell behind in y, and sea_level one
// cell around, without corners; of all else the cells of the box only. Local.
struct Turbulence {
    ColumnForcing surface_stress{};          // of the wind, over density: friction velocity squared, m2/s2
    double time_step = 0;                    // s
    double bottom_roughness = 0.0015;        // z0, m, above 0
    double surface_roughness = 0.02;         // z0s, m, above 0
    double compression = 0;                  // part of N2 that is no stability (equation_of_state.hpp), 1/s2
    double least_tke = 1e-10;                // m2/s2
    double least_dissipation = 1e-12;        // m2/s3
    double background_viscosity = 1.3e-6;    // of water at rest, m2/s
    double background_diffusivity = 1.4e-7;  // m2/s
    Index levels = 1;
    double* work = nullptr;  // room for turbulence_work(levels) doubles
    LayerShape shape{};

    void operator()(Box box, View<double> tke, View<double> dissipation, View<double> viscosity,
                    View<double> diffusivity, View<const double> buoyancy, View<const double> flow_x,
                    View<const double> flow_y, View<const double> face_depth_x, View<const double> face_depth_y,
                    View<const double> depth, View<const double> sea_level) const;
};

}  // namespace lapwing_coast
