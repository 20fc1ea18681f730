#include <nanobind/stl/function.h>

#include "bindings.hpp"
#include "by_hand/hand_step.hpp"

namespace lapwing::bench {

void bind_by_hand(nb::module_& module) {
    nb::class_<HandStep>(module, "HandStep", "The stages of a step with communication written by hand.")
        .def(nb::init<Domain&, const Step&>(), "domain"_a, "step"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             "Of a step that nobody runs any more. Fills all halos. Collective; raises UserError for stages that write "
             "into halos.")
        .def("run", &HandStep::run, "steps"_a, "before_each"_a,
             "Run so many steps, each after a call of `before_each`. Collective.");
}

}  // namespace lapwing::bench
