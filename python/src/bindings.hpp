#pragma once
// One function per group of classes; each adds its classes to the module.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/plan/field_spec.hpp"

namespace lapwing::python {

// Objects that are made again from their parts when unpickled: `make` takes the parts and may refuse them.
template <class... Parts, class Value, class Take, class Make>
void bind_pickle(nanobind::class_<Value>& bound, Take take, Make make) {
    bound.def("__getstate__", take)
        .def(
            "__setstate__",
            [make](Value& value, nanobind::object state) {
                std::tuple<Parts...> parts;
                if (!nanobind::try_cast(state, parts)) {
                    user_error("pickled " + nanobind::cast<std::string>(nanobind::type_name(nanobind::type<Value>())),
                               nanobind::cast<std::string>(nanobind::repr(state)),
                               "what this version of lapwing pickles", "pickle it with the same version that reads it");
                }
                new (&value) Value(std::apply(make, std::move(parts)));
            },
            nanobind::arg("state").none());
}

// The same for what is an aggregate of its parts, or is constructed of them.
template <class... Parts, class Value, class Take>
void bind_pickle(nanobind::class_<Value>& bound, Take take) {
    bind_pickle<Parts...>(bound, take, [](Parts... each) { return Value{std::move(each)...}; });
}

// The DLPack type of an element type.
nanobind::dlpack::dtype dtype_of(ElementType type);

void bind_faces(nanobind::module_& module);
void bind_partition(nanobind::module_& module);
void bind_partition_search(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_field(nanobind::module_& module);
void bind_domain(nanobind::module_& module);
void bind_exchange(nanobind::module_& module);
void bind_stage(nanobind::module_& module);
void bind_step(nanobind::module_& module);
void bind_outline(nanobind::module_& module);
void bind_transpose(nanobind::module_& module);
void bind_solver(nanobind::module_& module);
void bind_store(nanobind::module_& module);

}  // namespace lapwing::python
