#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "bindings.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/mpi/watchdog.hpp"
#include "lapwing/step/threads.hpp"
#include "lapwing/transport/transport.hpp"
#include "mpi/communicator.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

void lapwing::python::bind_domain(nb::module_& m) {
    nb::class_<Node>(m, "Node", "The node of a rank: who shares its memory, and with how many cores.")
        .def_prop_ro("ranks", &Node::ranks, "Number of ranks on it. Local.")
        .def_prop_ro("cores", &Node::cores, "Cores that this process may use. Local.")
        .def_prop_ro("oversubscribed", &Node::oversubscribed,
                     "Whether any node has more ranks than cores; waits then let others run after every look, and "
                     "timings mean little. The same on all ranks. Local.");
    nb::class_<Domain>(m, "Domain", "A partition on a communicator: what fields and exchanges are made on.",
                       nb::is_weak_referenceable())
        .def(
            "__init__",
            [](Domain* self, const Partition& partition, nb::handle communicator, int ranks_per_node,
               std::optional<int> in_place_of) {
                const MPI_Comm comm = lapwing::python::handle_of(communicator);
                const nb::gil_scoped_release others_run;
                if (in_place_of) {
                    new (self) Domain(partition, comm, StandIn{*in_place_of, std::max(1, ranks_per_node)});
                } else {
                    new (self) Domain(partition, comm, ranks_per_node);
                }
            },
            "partition"_a, "communicator"_a, "ranks_per_node"_a = 0, "in_place_of"_a.none() = nb::none(),
            "Compare the partition and duplicate the communicator. Collective. Raises UserError on all ranks when the "
            "partitions differ or are for another number of ranks. `in_place_of`: the rank for which this process "
            "stands in, alone: what is made is that rank's, and messages to others are planned and never sent.")
        .def("close", &Domain::close, nb::call_guard<nb::gil_scoped_release>(),
             "Free the communicator. Collective; exchanges must be finished, and none can be made or run afterwards. "
             "Closing again does nothing. Raises OutsideError when MPI fails.")
        .def_prop_ro("partition", &Domain::partition, "Who owns which box. Local.")
        .def_prop_ro("rank", &Domain::rank, "Number of this rank. Local.")
        .def_prop_ro("ranks", &Domain::ranks, "Number of ranks. Local.")
        .def_prop_ro("node", &Domain::node, "Who shares memory and cores with this rank. Local.")
        .def_prop_ro("closed", &Domain::closed, "Whether `close` was called. Local.");
    m.def(
        "set_land",
        [](Domain& domain, std::shared_ptr<Mask> mask, const std::string& messages) {
            set_land(domain, std::move(mask), wet_form_from(messages));
        },
        "domain"_a, "mask"_a.none(), "messages"_a = "auto",
        "Let steps that are made from now on leave out the land of a mask in fields that are constant on land: stages "
        "do not compute it, messages carry it in this form. Local, the same on all ranks. Raises UserError for a mask "
        "of "
        "another size than the grid, none, or another form.");
    m.def(
        "set_threads", &set_threads, "domain"_a, "threads"_a,
        "Let steps that are made from now on run their kernels in so many threads of each rank, unless they say "
        "otherwise. Collective. Raises UserError on all ranks for fewer than 1 or more than a rank has cores, numbers "
        "that differ, or an MPI without MPI_THREAD_FUNNELED.");
    m.def(
        "threads", [](const Domain& d) { return d.threads; }, "domain"_a,
        "The number of threads that `set_threads` has set, or 1. Local.");
    m.def("cores_of_process", &cores_of_process, "The number of cores that the launcher gave this process. Local.");
    m.def(
        "wet_messages", [](const Domain& d) { return std::string(to_string(d.land.messages)); }, "domain"_a,
        "The form of wet messages of steps that are made from now on. Local.");
    m.def(
        "constant_on_land",
        [](const Domain& domain) {
            std::vector<std::string> names;
            for (const auto& field : domain.declared_fields())
                if (field->spec().constant_on_land) names.push_back(field->spec().name);
            return names;
        },
        "domain"_a, "The names of the fields of a domain that are constant on land. Local.");
    m.def(
        "raise_together",
        [](const Domain& domain, const std::optional<std::string>& problem, bool user) {
            std::exception_ptr mine;
            if (problem && user) mine = std::make_exception_ptr(UserError(*problem));
            if (problem && !user) mine = std::make_exception_ptr(OutsideError(*problem));
            raise_together(domain.comm(), mine);
        },
        "domain"_a, "problem"_a.none(), "user"_a = true, nb::call_guard<nb::gil_scoped_release>(),
        "Raise the problem of the lowest rank that has one on all ranks, as UserError or else OutsideError; None where "
        "there is none. Collective over the domain. Cost: one reduction when all is well.");
    m.def(
        "require_same",
        [](const Domain& domain, const std::string& name, const std::string& value) {
            require_same(domain.comm(), name, value);
        },
        "domain"_a, "name"_a, "value"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Raise UserError on all ranks, with both values, unless `value` is the same on all. Collective over the "
        "domain. "
        "Cost: a broadcast and a reduction.");
    m.def(
        "largest",
        [](const Domain& domain, int number) {
            return reduced(domain.comm(), number, MPI_MAX, "the other ranks to come as far");
        },
        "domain"_a, "number"_a, nb::call_guard<nb::gil_scoped_release>(),
        "The largest of the numbers of all ranks. Collective, one reduction.");
    nb::enum_<Total>(m, "Total", "How numbers of all ranks are combined.")
        .value("MINIMUM", Total::minimum, "The least of them.")
        .value("MAXIMUM", Total::maximum, "The largest of them.")
        .value("SUM", Total::sum, "Their exact sum, rounded once.");
    m.def(
        "total", [](const Domain& domain, Total kind, const AnyField& field) { return total(domain, kind, field); },
        "domain"_a, "kind"_a, "field"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Combine the values in all owned cells of a field. Collective, two reductions. Raises UserError on all ranks "
        "for a field without memory.");
    nb::enum_<Occupation>(m, "Occupation", "What a rank says of itself when the roll is called.")
        .value("waits", Occupation::waits, "For another rank.")
        .value("waits_for_server", Occupation::waits_for_server, "For an output server, which may be slow.")
        .value("works", Occupation::works, "And will answer those who wait for it.");
    nb::class_<Watchdog>(m, "Watchdog", "Looks after one wait, from its construction on: LAPWING_WATCHDOG seconds.")
        .def(nb::init<Occupation>(), "mine"_a = Occupation::waits, "Begin the time. Local.")
        .def(
            "look", [](Watchdog& watchdog, const std::string& what) { watchdog.look([&] { return what; }); }, "what"_a,
            nb::call_guard<nb::gil_scoped_release>(),
            "To be called again and again while this rank waits; `what` says for what and for whom. When the time is "
            "over, asks all ranks what they wait for, prints it and ends the job, unless one answers that it works. "
            "Local.");
    m.def("answer_roll_call", &answer_roll_call, "mine"_a, "what"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Answer ranks whose watchdogs ask; whether one did. For a rank that works between its waits. Local.");
    m.def("transport_names", &transport_names, "The names of the transports. Local.");
}
