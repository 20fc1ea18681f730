#pragma once
// What the depth-integrated mode and the layers tell each other.

#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// Fields have x fastest in memory; those without "3D" have no levels.

struct LayerSumContext {
    lapwing::View<double> flow;  // 3D, in the layers at the faces of an axis, m2/s
    lapwing::View<double> sum;   // over all layers, m2/s; written
    lapwing::Index levels = 1;
};

// Adds up the layers at the faces of `box`, from the bottom; the context is a LayerSumContext. Local.
void layer_sum(void* context, lapwing::Box box);

struct BottomDragContext {
    lapwing::View<double> along, across;  // 3D, flow at the faces of the axis and at the others, m2/s
    lapwing::View<double> over_thickness, over_thickness_across;  // 1 over that of a layer there, 1/m
    lapwing::View<double> drag;                                   // at the faces of the axis, m/s; written
    int ahead_x = 1, ahead_y = 0;                                 // from a cell to the next one along the axis, cells
    double roughness = 0.0015;                                    // z0 of the bottom, m; 0: no friction
};

// Sets how strongly the bottom holds the lowest layer at the faces of `box`; the context is a BottomDragContext.
//
//   drag = (kappa / ln(1 + h / (2 z0)))^2 |u|,   stress over density = drag u,  u the velocity in the lowest layer
//
// which is that of a logarithmic profile at the height of half a layer; the other component of u is the mean of the
// four around. 0 at closed faces. Local. Reads `across` and over_thickness_across one cell ahead along the axis and one
// behind across it, with the corner between.
void bottom_drag(void* context, lapwing::Box box);

struct SlowTermsContext {
    lapwing::View<double> tendency;         // 3D, of the flow at the faces of the axis, m2/s2
    lapwing::View<double> flow;             // 3D, at these faces, m2/s
    lapwing::View<double> over_thickness;   // 1 over that of a layer there, 1/m; 0: closed
    lapwing::View<double> drag;             // of the bottom on the lowest layer, m/s
    lapwing::View<double> sum, sum_across;  // of the flow over the layers, at these faces and at the others, m2/s
    lapwing::View<double> change;           // of the sum, by the advection that the micro steps compute, m2/s2
    lapwing::View<double> slow;             // m2/s2; written
    int ahead_x = 1, ahead_y = 0;           // from a cell to the next one along the axis, cells
    double drag_coefficient = 0;            // of the depth-integrated mode, 1
    double surface_stress = 0;              // of the wind, over density, m2/s2
    lapwing::Index levels = 1;
};

// Sets what drives the transports besides what their own mode computes, at the faces of `box`; the context is a
// SlowTermsContext.
//
//   slow = sum of the tendencies + surface stress - drag u_0 + c |U| U / D^2 - change
//
// with U the sum of the flow and D = levels h; the last two terms are what the depth-integrated mode computes itself:
// friction, and advection. Local. Reads sum_across one cell ahead along the axis and one behind across it, with the
// corner between.
void slow_terms(void* context, lapwing::Box box);

struct MeanTransportContext {
    std::array<lapwing::View<double>, 2> transport;  // at x and y faces, m2/s
    std::array<lapwing::View<double>, 2> mean;       // over the micro steps, m2/s; written by the first, then added to
    double weight = 1;                               // 1 over the number of micro steps
    bool first = true;
};

// Counts the transports at the faces of `box` into their means; the context is a MeanTransportContext. Local.
void mean_transport(void* context, lapwing::Box box);

}  // namespace lapwing_coast
