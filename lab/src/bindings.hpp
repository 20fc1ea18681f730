#pragma once
// The glue that the parts of lapwing_lab._core share: no logic.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::bench {

namespace nb = nanobind;
using namespace nb::literals;
using Array3 = nb::ndarray<double, nb::ndim<3>, nb::device::cpu>;

// Each is with what it binds.
void bind_acoustic(nb::module_& module);
void bind_by_hand(nb::module_& module);
void bind_diffusion(nb::module_& module);
void bind_exchange(nb::module_& module);
void bind_miniweather(nb::module_& module);
void bind_overlap(nb::module_& module);
void bind_shallow(nb::module_& module);
void bind_stages(nb::module_& module);
void bind_transpose(nb::module_& module);

}  // namespace lapwing::bench

namespace lapwing::lab {

void bind_forecast(nanobind::module_& module);
void bind_probe(nanobind::module_& module);

}  // namespace lapwing::lab
