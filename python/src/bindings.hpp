#pragma once
// One function per group of classes; each adds its classes to the module.

#include <nanobind/nanobind.h>

namespace lapwing::python {

void bind_partition(nanobind::module_& module);
void bind_partition_search(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_field(nanobind::module_& module);
void bind_domain(nanobind::module_& module);
void bind_halo_variants(nanobind::module_& module);
void bind_stage(nanobind::module_& module);
void bind_step(nanobind::module_& module);
void bind_transpose(nanobind::module_& module);
void bind_probe(nanobind::module_& module);

}  // namespace lapwing::python
