#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/step.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

void lapwing::python::bind_step(nb::module_& m) {
    nb::class_<StepTimes>(m, "StepTimes", "Where the time of a step went, in seconds.")
        .def_ro("steps", &StepTimes::steps, "Steps that were run.")
        .def_ro("halo_start", &StepTimes::halo_start, "Seconds of packing and posting.")
        .def_ro("halo_wait", &StepTimes::halo_wait, "Seconds of waiting and unpacking.")
        .def_ro("compute", &StepTimes::compute, "Seconds in each stage, in the order of Step.stage_names.");
    nb::class_<StepVolume>(m, "StepVolume", "Rounds, messages and bytes per step on this rank.")
        .def_ro("exchanges", &StepVolume::exchanges, "Rounds of messages per step.")
        .def_ro("messages", &StepVolume::messages, "Messages sent per step.")
        .def_ro("bytes", &StepVolume::bytes, "Bytes sent per step.");
    nb::class_<Step>(m, "Step", "The stages of a model, run in the order that a strategy chose.")
        .def(
            "run", &Step::run, nb::call_guard<nb::gil_scoped_release>(),
            "Run the next step of the cycle. Blocks for the neighbours, which must all run it too. Raises OutsideError "
            "when MPI fails. Cost: the messages that `volume` tells.")
        .def("agree_on_modified", &Step::agree_on_modified, nb::call_guard<nb::gil_scoped_release>(),
             "Make a write that any rank announced with Field.modified known to all ranks. Collective, one reduction.")
        .def_prop_ro("position", &Step::position, "Position in the cycle of the next step, from 0. Local.")
        .def("restart_at", &Step::restart_at, "position"_a,
             "Continue at a position of the cycle; all halos count as stale. Local, but must be called on all ranks "
             "alike. Raises UserError for a position outside the cycle.")
        .def_prop_ro("times", &Step::times, nb::rv_policy::copy,
                     "Where the time went since construction or `reset_times`, a copy. Local.")
        .def_prop_ro("stage_names", &Step::stage_names, "The distinct names of the stages. Local.")
        .def_prop_ro("volume", &Step::volume,
                     "What this rank sends per step once halos are in their steady state. Local.")
        .def("reset_times", &Step::reset_times, "Set all times to zero. Local.")
        .def("describe", &Step::describe, "The task lists of the steady state, for people. Local.");
    m.def("strategy_names", &strategy_names, "Names that a step takes as its strategy. Local.");
}
