#include "overlap/overlap_module.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "overlap/empty_step.hpp"
#include "overlap/hand_overlap.hpp"
#include "overlap/step_overlap.hpp"
#include "overlap/tcp/tcp_overlap.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<OverlapMethod>;

void bind_work(nb::module_& module) {
    nb::class_<OverlapWork>(module, "OverlapWork",
                            "A box of float64 cells per rank, in a row along y, x varying fastest; a face travels.")
        .def(nb::init<int, int, int, int>(), "nx"_a, "ny"_a, "nz"_a, "width"_a,
             "`nx` x `ny` x `nz` cells of a rank; `width`: cells that the stencil reads along x and y. Local.")
        .def_ro("nx", &OverlapWork::nx, "Cells of a rank along x.")
        .def_ro("ny", &OverlapWork::ny, "Cells of a rank along y, the axis that is cut.")
        .def_ro("nz", &OverlapWork::nz, "Cells of a rank along z.")
        .def_ro("width", &OverlapWork::width, "Width of the halo in cells.")
        .def_prop_ro("message_bytes", &OverlapWork::message_bytes, "Bytes of the message to one neighbour. Local.");
}

void bind_method(nb::module_& module) {
    nb::enum_<OverlapPart>(module, "OverlapPart", "What is measured of a method.")
        .value("step", OverlapPart::step, "Halos and computing together.")
        .value("communicate", OverlapPart::communicate, "One halo, packed, moved and unpacked.")
        .value("compute", OverlapPart::compute, "The whole box, undivided.");
    nb::class_<OverlapMethod>(module, "OverlapMethod", "One way to step the model of `lapwing bench overlap`.")
        .def(
            "sample",
            [](OverlapMethod& method, const Domain& domain, OverlapPart part, int rounds) {
                const OverlapSample taken = sample(domain.comm(), method, part, rounds);
                return std::pair{taken.seconds, taken.kernels};
            },
            "domain"_a, "part"_a, "rounds"_a,
            "Seconds of a round on the slowest rank, and in kernels as the mean of the ranks: means over `rounds`. "
            "Collective.")
        .def(
            "fingerprint",
            [](OverlapMethod& method, const Domain& domain, int steps) {
                return fingerprint(domain.comm(), method, steps);
            },
            "domain"_a, "steps"_a, "A number for the bits of all ranks after `steps` from the beginning. Collective.")
        .def(
            "set_iterations", [](OverlapMethod& method, int count) { method.model().set_iterations(count); }, "count"_a,
            "Arithmetic per cell: a multiplication and an addition, `count` times. Local.")
        .def_prop_ro(
            "settled", [](const OverlapMethod& method) { return method.settled(); },
            "Whether it steps as it always will; before, its steps are trials. Local, alike on all ranks.")
        .def_prop_ro(
            "choice", [](const OverlapMethod& method) { return method.choice(); },
            "How it steps, in words, where that was found by trials. Local.")
        .def("close", &OverlapMethod::close, "Finish what MPI still holds of it. Collective.");
}

void bind_makers(nb::module_& module) {
    module.def(
        "hand_overlap",
        [](const Domain& domain, const OverlapWork& work, bool buffered, int tiles, Index chunk_bytes) -> Made {
            return std::make_unique<HandOverlap>(domain, work, HandOverlapOptions{buffered, tiles, chunk_bytes});
        },
        "domain"_a, "work"_a, "buffered"_a = false, "tiles"_a = 1, "chunk_bytes"_a = 0, nb::keep_alive<0, 1>(),
        "MPI by hand; `buffered`: MPI_Ibsend, of which there may be one at a time; `tiles` of the interior, with "
        "progress polled between them; `chunk_bytes`: of a message at most, 0: all. Local.");
    module.def(
        "tcp_overlap",
        [](const Domain& domain, const OverlapWork& work) -> Made {
            return std::make_unique<TcpOverlap>(domain, work);
        },
        "domain"_a, "work"_a, nb::keep_alive<0, 1>(),
        "Plain TCP sockets with large buffers in the kernel. Collective. Raises OutsideError where ranks cannot "
        "reach each other.");
    module.def(
        "step_overlap",
        [](Domain& domain, const OverlapWork& work, const std::string& strategy, const std::string& transport,
           Index chunk_bytes) -> Made {
            ExchangeOptions options{.transport = transport};
            options.grouping.chunk_bytes = chunk_bytes;
            return std::make_unique<StepOverlap>(domain, work, strategy, options);
        },
        "domain"_a, "work"_a, "strategy"_a, "transport"_a, "chunk_bytes"_a = 0, nb::keep_alive<0, 1>(),
        "A lapwing.Step. Collective. Raises UserError where the strategy or the transport is not to be had.");
}

void bind_empty_step(nb::module_& module) {
    nb::class_<EmptyStep>(module, "EmptyStep", "Two stages whose kernels do nothing.")
        .def(nb::init<Domain&, int, const std::string&, const std::string&>(), "domain"_a, "levels"_a, "strategy"_a,
             "transport"_a, nb::keep_alive<1, 2>(), "Fields of so many layers. Collective; raises UserError.")
        .def("sample", &EmptyStep::sample, "steps"_a, "Seconds per step on this rank, mean over `steps`. Collective.")
        .def_prop_ro("tasks_per_step", &EmptyStep::tasks_per_step, "Tasks of this rank in a step. Local.");
}

}  // namespace

void bind_overlap(nb::module_& module) {
    bind_work(module);
    bind_method(module);
    bind_makers(module);
    bind_empty_step(module);
}

}  // namespace lapwing::bench
