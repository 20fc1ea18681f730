#pragma once
// Velocities in the layers, for people: the model itself steps what flows.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box, for one axis. Fields have x fastest in memory.
struct VelocityContext {
    lapwing::View<double> flow;            // 3D, in the layers at the faces of the axis, m2/s
    lapwing::View<double> over_thickness;  // 1 over that of a layer there, 1/m; 0: closed
    lapwing::View<double> velocity;        // 3D, m/s; written
    lapwing::Index levels = 1;
};

// Sets the velocity at the faces of `box`: flow over thickness, 0 where closed; the context is a VelocityContext.
// Local.
void velocity(void* context, lapwing::Box box);

}  // namespace lapwing_coast
