#include "bindings.hpp"
#include "lapwing/base/ticks.hpp"
#include "overlap/overlap_methods.hpp"

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<OverlapMethod>;

void bind_work(nb::module_& module) {
    nb::class_<OverlapWork>(module, "OverlapWork",
                            "A box of float64 cells per rank, in a row along y, x varying fastest; a face travels.")
        .def(nb::init<int, int, int, int>(), "nx"_a, "ny"_a, "nz"_a, "width"_a,
             "`nx` x `ny` x `nz` cells of a rank; `width`: cells that the stencil reads along x and y. Local.")
        .def_prop_ro("message_bytes", &OverlapWork::message_bytes, "Bytes of the message to one neighbour. Local.");
}

void bind_method(nb::module_& module) {
    nb::enum_<OverlapPart>(module, "OverlapPart", "What is measured of a method.")
        .value("step", OverlapPart::step, "Halos and computing together.")
        .value("communicate", OverlapPart::communicate, "One halo, packed, moved and unpacked.")
        .value("compute", OverlapPart::compute, "The whole box, undivided.");
    nb::class_<OverlapMethod>(module, "OverlapMethod", "One way to step the model of `lapwing bench overlap`.")
        .def("sample", &OverlapMethod::sample, "part"_a, "rounds"_a,
             "Seconds of a round on the slowest rank, and in kernels as the mean of the ranks: means over `rounds`. "
             "Collective.")
        .def("fingerprint", &OverlapMethod::fingerprint, "steps"_a,
             "A number for the bits of all ranks after `steps` from the beginning. Collective.")
        .def(
            "set_iterations", [](OverlapMethod& method, int count) { method.model().set_iterations(count); }, "count"_a,
            "Arithmetic per cell: a multiplication and an addition, `count` times. Local.")
        .def_prop_ro("settled", &OverlapMethod::settled,
                     "Whether it steps as it always will; before, its steps are trials. Local, alike on all ranks.")
        .def_prop_ro("choice", &OverlapMethod::choice, "How it steps, in words, where that was found by trials. Local.")
        .def("close", &OverlapMethod::close, "Finish what MPI still holds of it. Collective.");
}

void bind_makers(nb::module_& module) {
    module.def(
        "hand_overlap",
        [](const Domain& domain, const OverlapWork& work, bool buffered, int tiles, Index chunk_bytes) -> Made {
            return std::make_unique<HandOverlap>(domain, work, buffered, tiles, chunk_bytes);
        },
        "domain"_a, "work"_a, "buffered"_a = false, "tiles"_a = 1, "chunk_bytes"_a = 0, nb::keep_alive<0, 1>(),
        "MPI by hand; `buffered`: MPI_Ibsend, of which there may be one at a time; `tiles` of the interior, with "
        "progress polled between them; `chunk_bytes`: of a message at most, 0: all. Local.");
    module.def(
        "tcp_overlap",
        [](const Domain& domain, const OverlapWork& work, const std::vector<int>& sockets) -> Made {
            return std::make_unique<TcpOverlap>(domain, work, sockets);
        },
        "domain"_a, "work"_a, "sockets"_a, nb::keep_alive<0, 1>(),
        "Plain TCP through connected sockets that do not block, which it closes: to the rank before and the one "
        "after, as far as there are such. Local.");
    module.def(
        "step_overlap",
        [](Domain& domain, const OverlapWork& work, const std::string& strategy, const std::string& transport,
           Index chunk_bytes) -> Made {
            return std::make_unique<StepOverlap>(domain, work, strategy, transport, chunk_bytes);
        },
        "domain"_a, "work"_a, "strategy"_a, "transport"_a, "chunk_bytes"_a = 0, nb::keep_alive<0, 1>(),
        "A lapwing.Step. Collective. Raises UserError where the strategy or the transport is not to be had.");
}

// Steps whose kernels do nothing: what is left is the cost of the engine and of the messages.
std::unique_ptr<Step> empty_step(Domain& domain, int levels, const std::string& strategy,
                                 const std::string& transport) {
    const Field<double> here(domain, "here", lapwing::FieldOptions{.levels = levels});
    const Field<double> there(domain, "there", lapwing::FieldOptions{.levels = levels});
    const auto nothing = [](Box, View<const double>, View<double>) {};
    const Stages stages{stage("there", nothing, reads(here, around()), writes(there)),
                        stage("here", nothing, reads(there, around()), writes(here))};
    return std::make_unique<Step>(domain, stages, StepOptions{.strategy = strategy, .transport = transport});
}

double step_seconds(const Domain& domain, Step& step, int steps) {
    MPI_Barrier(domain.comm());
    const std::int64_t begin = ticks();
    step.run(steps);
    return seconds_of(ticks() - begin) / steps;
}

void bind_empty_step(nb::module_& module) {
    module.def("empty_step", &empty_step, "domain"_a, "levels"_a, "strategy"_a, "transport"_a, nb::keep_alive<0, 1>(),
               "A step of two stages in turn, each reading a cell around its own of what the other writes, in fields "
               "of so many layers. Collective; raises UserError.");
    module.def("step_seconds", &step_seconds, "domain"_a, "step"_a, "steps"_a,
               "Seconds per step on this rank, mean over `steps`. Collective.");
}

}  // namespace

void bind_overlap(nb::module_& module) {
    bind_work(module);
    bind_method(module);
    bind_makers(module);
    bind_empty_step(module);
}

}  // namespace lapwing::bench
