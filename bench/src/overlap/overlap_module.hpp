#pragma once
// The part of lapwing_bench._core that is about `lapwing bench overlap`.

#include <nanobind/nanobind.h>

namespace lapwing::bench {

void bind_overlap(nanobind::module_& module);

}  // namespace lapwing::bench
