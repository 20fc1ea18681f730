#pragma once
// Glue that the modules of sweeps share.

#include "bindings.hpp"
#include "sweep/hand_sweep.hpp"
#include "sweep/step_sweep.hpp"

namespace lapwing::bench {

template <class T>
void bind_sweep(nb::module_& module, const char* name, const char* said) {
    using Values = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Method = SweepMethod<T>;
    const auto span_of = [](const Values& values) { return std::span<T>(values.data(), values.size()); };
    nb::class_<Method>(module, name, said)
        .def(
            "begin",
            [span_of](Method& method, const Values& values, const Values& factor) {
                method.begin(span_of(values), span_of(factor));
            },
            "values"_a, "factor"_a,
            "Begin at rest with values and factor of the box of the rank, x fastest. Collective.")
        .def("run", &Method::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read", [span_of](const Method& method, const Values& values) { method.read(span_of(values)); }, "values"_a,
            "Write the values of the box of the rank into an array, x fastest. Local.")
        .def_prop_ro("settled", &Method::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &Method::choice, "How it steps, in words, where trials found that. Local.");
}

}  // namespace lapwing::bench
