#pragma once
// The part of lapwing_bench._core that is about `lapwing bench transpose`.

#include <nanobind/nanobind.h>

namespace lapwing::bench {

void bind_transpose(nanobind::module_& module);

}  // namespace lapwing::bench
