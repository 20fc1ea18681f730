#pragma once
// Velocities in the layers, for output: the model itself steps the transport.

#include "lapwing_coast/layer_shape.hpp"

namespace lapwing_coast {

// Sets the velocity in the layers (m/s) at the faces of a box: flow (m2/s) over thickness, 0 where closed. Local.
struct Velocity {
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> velocity, View<const double> flow, View<const double> over_thickness) const;
};

}  // namespace lapwing_coast
