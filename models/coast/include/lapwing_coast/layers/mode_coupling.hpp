#pragma once
// The values that the depth-integrated mode and the layers pass to each other.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Fields have x fastest in memory; those without "3D" have no levels.

// Adds up the flow in the layers (3D, m2/s) at the faces of a box, from the bottom. Local.
struct LayerSum {
    Index levels = 1;

    void operator()(Box box, View<double> sum, View<const double> flow) const;
};

// Sets how strongly the bottom holds the lowest layer at the faces of a box: drag, m/s:
//
//   drag = (kappa / ln(1 + h / (2 z0)))^2 |u|,   stress over density = drag u,  u the velocity in the lowest layer
//
// which is that of a logarithmic profile at the height of half a layer; the other component of u is the mean of the
// four around. 0 at closed faces. `along` and `across` are the flow at the faces of the axis and at the others (3D,
// m2/s), 1 over the thickness of a layer is there 1/m. Reads `across` and over_thickness_across one cell ahead along
// the axis and one behind across it, with the corner between. Local.
struct BottomDrag {
    Axis axis = lapwing::x;
    double roughness = 0.0015;  // z0 of the bottom, m; 0: no friction
    LayerShape shape{};

    void operator()(Box box, View<double> drag, View<const double> along, View<const double> across,
                    View<const double> over_thickness, View<const double> over_thickness_across) const;
};

// Sets what drives the transports besides what their own mode computes, at the faces of a box: m2/s2:
//
//   slow = sum of the tendencies + surface stress - drag u_0 + c |U| U / D^2 - change
//
// with U the sum of the flow (m2/s) and D = levels h; the last two terms are what the depth-integrated mode computes
// itself: friction, and advection, the change of the sum. Maps of the air add their stress and D times their drive.
// Tendencies (m2/s2) and flow (m2/s) are 3D; drag as above. Reads sum_across one cell ahead along the axis and one
// behind across it, with the corner between. Local.
struct SlowTerms {
    Axis axis = lapwing::x;
    double drag_coefficient = 0;             // c, of the depth-integrated mode, 1
    const double* surface_stress = nullptr;  // of the wind, over density, m2/s2
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> slow, View<const double> tendency, View<const double> flow,
                    View<const double> over_thickness, View<const double> drag, View<const double> sum,
                    View<const double> sum_across, View<const double> change, const Views& air_stress = {},
                    const Views& air_drive = {}) const;
};

// Counts the transports (m2/s) at the faces of a box into their means over the micro steps: the first sets them, the
// others add to them. Local.
struct MeanTransport {
    double weight = 1;  // 1 over the number of micro steps
    bool first = true;

    void operator()(Box box, View<double> mean_x, View<double> mean_y, View<const double> transport_x,
                    View<const double> transport_y) const;
};

}  // namespace lapwing_coast
