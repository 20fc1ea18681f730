#pragma once
// Devices of CUDA's driver, which is loaded when a program opens one.

#include <memory>

#include "lapwing/device/device.hpp"

namespace lapwing {

// Opens device `number` of this process, in its primary context, as CUDA's runtime, CuPy, JAX and Torch use it. Throws
// OutsideError without a driver, with one that is too old, and for a device that is not there or refuses to start.
// Untested on a device so far. Local.
std::shared_ptr<const Device> open_cuda(int number = 0);

}  // namespace lapwing
