#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bindings.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/exchange/array_exchange.hpp"

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

// Gives the block the strides of an array that has the block's axes longer than one, in their order; false if it
// has not.
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

void take_array(ArrayExchange& exchange, int number, const HostArray& array) {
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

void bind_pending(nb::module_& m) {
    nb::class_<Pending>(
        m, "Pending",
        "A started exchange. Until it has been waited for, owned cells that are sent must not be written and "
        "halo cells that are received must not be read.")
        .def("test", &Pending::test, nb::call_guard<nb::gil_scoped_release>(),
             "Move messages on; true when the exchange is complete. Local, does not block. Raises OutsideError when "
             "MPI fails.")
        .def("wait", &Pending::wait, nb::call_guard<nb::gil_scoped_release>(),
             "Block until the exchange is complete. Local, but every neighbour must have started it. Raises "
             "OutsideError when MPI fails; with LAPWING_WATCHDOG seconds set, ends the job when nothing moves for so "
             "long.");
}

void bind_options(nb::module_& m) {
    nb::enum_<Corners>(m, "Corners", "The way in which values at corners of a halo travel.")
        .value("CHEAPEST", Corners::cheapest, "The cheaper of the two.")
        .value("DIRECT", Corners::direct, "From diagonal neighbours.")
        .value("ORDERED", Corners::ordered, "Along one axis after the other: through the neighbours.");
    nb::enum_<Direction>(m, "Direction", "Between which cells values travel.")
        .value("FILL", Direction::fill, "From owners to halos.")
        .value("COPY_BACK", Direction::copy_back, "From halos to owners, over the values there.")
        .value("ADD_BACK", Direction::add_back, "From halos to owners, added to the values there.");
    nb::class_<ExchangeOptions>(m, "ExchangeOptions", "The options of a halo exchange.")
        .def(
            "__init__",
            [](ExchangeOptions* self, const std::string& transport, Corners corners, Direction direction,
               const Mask* wet, const std::string& wet_form) {
                new (self) ExchangeOptions{transport, corners, direction, wet, {wet_form_from(wet_form)}};
            },
            "transport"_a = "auto", "corners"_a = Corners::cheapest, "direction"_a = Direction::fill,
            "wet"_a.none() = nb::none(), "wet_form"_a = "lists", nb::keep_alive<1, 5>(),
            "Say how halos travel, see Exchange. Local. Raises UserError for another form of wet messages.");
}

void bind_array_exchange(nb::module_& m) {
    nb::class_<ArrayExchange, Exchange>(m, "ArrayExchange", "The halo exchange of arrays that come and go.")
        .def(
            "__init__",
            [](ArrayExchange* self, Domain& domain, const std::vector<FieldSpec>& specs,
               const ExchangeOptions& options) { new (self) ArrayExchange(domain, specs, options); },
            "domain"_a, "specs"_a, "options"_a, nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>(),
            "Plan the messages and make the buffers of arrays that `take` gives it. Collective over the domain. Raises "
            "as Exchange.")
        .def(
            "take", &take_array, "number"_a, "array"_a,
            nb::sig("def take(self, number: int, array: numpy.typing.NDArray[typing.Any]) -> None"),
            "Let array `number`, of x, y, z and component without those of length 1, be the memory from the next start "
            "on. The caller keeps it alive. Local. Raises UserError for another type or size, or while the exchange is "
            "active; TypeError for what is no array in memory of the CPU that may be written.")
        .def_prop_ro("arrays", &ArrayExchange::arrays, "How many arrays it takes. Local.");
}

void bind_fields_exchange(nb::module_& m) {
    nb::class_<Exchange>(m, "Exchange", "A plan, a transport and its buffers, ready to be started again and again.")
        .def(
            "__init__",
            [](Exchange* self, Domain& domain, const std::vector<AnyField*>& fields, const ExchangeOptions& options) {
                new (self) Exchange(domain, pointers(fields), options);
            },
            "domain"_a, "fields"_a, "options"_a, nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>(),
            "Plan the halo exchange of fields and make its buffers. Collective over the domain. Raises UserError on "
            "all ranks when they disagree, OutsideError when a rank lacks the memory.")
        .def(
            "__init__",
            [](Exchange* self, Domain& domain, const MessagePlan& plan, const std::vector<AnyField*>& sources,
               const std::vector<AnyField*>& targets, const std::string& transport) {
                new (self) Exchange(domain, {plan, transport}, pointers(sources), pointers(targets));
            },
            "domain"_a, "plan"_a, "sources"_a, "targets"_a, "transport"_a = "p2p", nb::keep_alive<1, 2>(),
            nb::call_guard<nb::gil_scoped_release>(),
            "Make an exchange of any plan, from `sources` to `targets`. Collective over the domain. Raises as above.")
        .def(
            "start", &Exchange::start, nb::keep_alive<0, 1>(), nb::call_guard<nb::gil_scoped_release>(),
            "Pack and post the messages, and return the handle to wait on. Local, does not block; every neighbour must "
            "start it too. Raises UserError while a former start is unfinished, OutsideError when MPI fails. Cost: one "
            "message per neighbour and phase, nothing is allocated.")
        .def("run", &Exchange::run, nb::call_guard<nb::gil_scoped_release>(),
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

void lapwing::python::bind_exchange(nb::module_& m) {
    bind_pending(m);
    bind_options(m);
    bind_fields_exchange(m);
    bind_array_exchange(m);
}
