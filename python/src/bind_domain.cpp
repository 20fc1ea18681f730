#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "exchange_options.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/watchdog.hpp"
#include "lapwing/transport/transport.hpp"
#include "mpi/communicator.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

std::vector<const AnyField*> pointers(const std::vector<AnyField*>& fields) { return {fields.begin(), fields.end()}; }

std::string text_of(const Exchange& exchange) {
    const MessagePlan& plan = exchange.plan();
    const int messages = messages_sent(plan);
    std::string text = "Exchange(";
    text.append(exchange.transport()).append(plan.fields.size() == 1 ? ", field" : ", fields");
    const char* separator = " ";
    for (const FieldSpec& field : plan.fields) {
        text.append(separator).append(field.name);
        separator = ", ";
    }
    text.append("; ").append(std::to_string(messages)).append(messages == 1 ? " message, " : " messages, ");
    text.append(std::to_string(bytes_sent(plan))).append(" bytes out, ");
    return text.append(std::to_string(exchange.buffer_bytes())).append(" bytes of buffers)");
}

using HostArray = nb::ndarray<nb::device::cpu>;

std::array<Index, 4> lengths_of(const Block& block, const FieldSpec& spec) {
    return {block.allocated.size(0), block.allocated.size(1), block.allocated.size(2), spec.components};
}

// Gives the block the strides of an array whose axes longer than one are those of the block, in their order; false
// where they are not.
bool take_strides(Block& block, const FieldSpec& spec, const HostArray& array) {
    const auto value = static_cast<Index>(size_of(spec.type));
    const std::array<Index, 4> lengths = lengths_of(block, spec);
    std::size_t d = 0;
    const auto skip_ones = [&] {
        while (d < array.ndim() && array.shape(d) == 1) ++d;
    };
    for (std::size_t a = 0; a < 4; ++a) {
        block.strides[a] = value;
        if (lengths[a] == 1) continue;
        skip_ones();
        if (d == array.ndim() || static_cast<Index>(array.shape(d)) != lengths[a]) return false;
        block.strides[a] = array.stride(d++) * value;
    }
    skip_ones();
    return d == array.ndim();
}

void take_array(Exchange& exchange, int number, const HostArray& array) {
    Block block = exchange.array(number);
    const std::size_t boxes = exchange.arrays() / exchange.plan().fields.size();
    const FieldSpec& spec = exchange.plan().fields[static_cast<std::size_t>(number) / boxes];
    if (array.dtype() != python::dtype_of(spec.type)) {
        user_error("array of field " + spec.name, "another type of values", to_string(spec.type), "convert it");
    }
    if (!take_strides(block, spec, array)) {
        const std::vector<std::size_t> given(array.shape_ptr(), array.shape_ptr() + array.ndim());
        user_error("array of field " + spec.name, concat("(", listed(given), ")"),
                   concat("(", listed(lengths_of(block, spec)), "), the box ", block.owned,
                          " and its halo, where axes of length 1 may be missing"),
                   "pass an array of that shape");
    }
    block.data = static_cast<std::byte*>(array.data());
    exchange.take(number, block);
}

void bind_exchange(nb::module_& m) {
    nb::class_<Pending>(
        m, "Pending",
        "A started exchange. Until it has been waited for, owned cells that are sent must not be written and "
        "halo cells that are received must not be read.")
        .def("test", &Pending::test, nb::call_guard<nb::gil_scoped_release>(),
             "Move messages on; true when the exchange is complete. Local, does not block. Raises OutsideError when "
             "MPI fails.")
        .def("wait", &Pending::wait, nb::call_guard<nb::gil_scoped_release>(),
             "Block until the exchange is complete. Local, but every neighbour must have started it. Raises "
             "OutsideError "
             "when MPI fails; with LAPWING_WATCHDOG seconds set, ends the job when nothing moves for so long.");
    nb::class_<Exchange>(
        m, "Exchange",
        "A plan, a transport and its buffers, ready to be started again and again; made by Domain.exchange.")
        .def(
            "__init__",
            [](Exchange* self, Domain& domain, const std::vector<AnyField*>& fields, const std::string& transport,
               std::optional<bool> ordered, bool reverse, bool add, bool separate, Index chunk_bytes, const Mask* wet,
               const std::string& wet_form) {
                const ExchangeOptions options =
                    python::options_of(transport, ordered, reverse, add, separate, chunk_bytes, wet, wet_form);
                new (self) Exchange(domain, pointers(fields), options);
            },
            "domain"_a, "fields"_a, "transport"_a = "auto", "ordered"_a.none() = nb::none(), "reverse"_a = false,
            "add"_a = false, "separate"_a = false, "chunk_bytes"_a = 0, "wet"_a.none() = nb::none(),
            "wet_form"_a = "lists", nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>(),
            "Plan the halo exchange of fields and make its buffers. Collective over the domain. Raises UserError on "
            "all ranks when they disagree, OutsideError when a rank lacks the memory.")
        .def_static(
            "of_plan",
            [](Domain& domain, const MessagePlan& plan, const std::vector<AnyField*>& sources,
               const std::vector<AnyField*>& targets, const std::string& transport) {
                return new Exchange(domain, plan, pointers(sources), pointers(targets), transport);
            },
            "domain"_a, "plan"_a, "sources"_a, "targets"_a, "transport"_a = "p2p", nb::rv_policy::take_ownership,
            nb::keep_alive<0, 1>(),
            "Make an exchange of any plan, from `sources` to `targets`. Collective over the domain. Raises UserError "
            "on "
            "all ranks when they disagree, OutsideError when a rank lacks the memory.")
        .def_static(
            "for_arrays",
            [](Domain& domain, const std::vector<FieldSpec>& specs, const std::string& transport,
               std::optional<bool> ordered, bool separate) {
                const ExchangeOptions options =
                    python::options_of(transport, ordered, false, false, separate, 0, nullptr);
                return new Exchange(domain, std::span(specs), options);
            },
            "domain"_a, "specs"_a, "transport"_a = "auto", "ordered"_a.none() = nb::none(), "separate"_a = false,
            nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
            "Make the exchange of arrays that come and go, which `take` gives it. Collective over the domain. Raises "
            "as "
            "the constructor.")
        .def(
            "take", &take_array, "number"_a, "array"_a,
            nb::sig("def take(self, number: int, array: numpy.typing.NDArray[typing.Any]) -> None"),
            "Let array `number`, of x, y, z and component without those of length 1, be the memory from the next start "
            "on. The caller keeps it alive. Local. Raises UserError for another type or size, or while the exchange is "
            "active; TypeError for what is no array in memory of the CPU that may be written.")
        .def_prop_ro("arrays", &Exchange::arrays, "How many arrays it takes; 0: it is of fields. Local.")
        .def(
            "start", &Exchange::start, nb::keep_alive<0, 1>(), nb::call_guard<nb::gil_scoped_release>(),
            "Pack and post the messages, and return the handle to wait on. Local, does not block; every neighbour must "
            "start it too. Raises UserError while a former start is unfinished, OutsideError when MPI fails. Cost: one "
            "message per neighbour and phase, nothing is allocated.")
        .def("run", nb::overload_cast<>(&Exchange::run), nb::call_guard<nb::gil_scoped_release>(),
             "Start the exchange and wait for it. Blocks until all neighbours have started it. Raises what `start` and "
             "`wait` raise. Cost: one message per neighbour and phase.")
        .def_prop_ro("active", &Exchange::active, "Whether it was started and not yet waited for. Local.")
        .def_prop_ro("plan", &Exchange::plan, "What moves, as this rank sees it. Local.")
        .def_prop_ro("transport", &Exchange::transport, "Name of the transport. Local.")
        .def_prop_ro("choice", &Exchange::choice,
                     "What `auto` found, what measuring took and after how many exchanges it has paid, in words; empty "
                     "where the transport was given. Local.")
        .def_prop_ro("buffer_bytes", &Exchange::buffer_bytes, "Bytes of message buffers on this rank. Local.")
        .def_prop_ro(
            "start_seconds", [](const Exchange& e) { return e.count().start_seconds(); },
            "Seconds spent packing and posting since construction. Local.")
        .def_prop_ro(
            "wait_seconds", [](const Exchange& e) { return e.count().wait_seconds(); },
            "Seconds spent waiting and unpacking since construction. Local.")
        .def("__repr__", &text_of);
}

}  // namespace

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
        "set_wet_messages",
        [](Domain& domain, const Mask* mask, const std::string& form) {
            set_wet_messages(domain, mask == nullptr ? nullptr : std::make_shared<const Mask>(*mask),
                             wet_form_from(form));
        },
        "domain"_a, "mask"_a.none(), "form"_a = "auto",
        "Let steps that are made from now on leave the land of a mask out of the messages of fields that are constant "
        "on land. Local, the same on all ranks. Raises UserError for a mask of another size than the grid, none, or "
        "another form.");
    m.def(
        "wet_messages", [](const Domain& d) { return std::string(to_string(d.wet_messages.form)); }, "domain"_a,
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
    bind_exchange(m);
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
