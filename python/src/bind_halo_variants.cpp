#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "exchange_options.hpp"
#include "lapwing/exchange/halo_variants.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

void lapwing::python::bind_halo_variants(nb::module_& m) {
    nb::class_<HaloVariants>(
        m, "HaloVariants",
        "Exchanges of the same fields in several widths, planned beforehand; made by Domain.halo_variants.")
        .def(
            "__init__",
            [](HaloVariants* self, Domain& domain, const std::vector<AnyField*>& fields, std::vector<Extent> extents,
               const std::string& transport, std::optional<bool> ordered) {
                const std::vector<const AnyField*> pointers(fields.begin(), fields.end());
                const ExchangeOptions options{.transport = transport, .corners = python::corners_of(ordered)};
                new (self) HaloVariants(domain, pointers, std::move(extents), options);
            },
            "domain"_a, "fields"_a, "extents"_a, "transport"_a = "auto", "ordered"_a.none() = nb::none(),
            nb::keep_alive<1, 2>(),
            "Plan an exchange for every extent. Collective over the domain. Raises UserError on all ranks when an "
            "extent reaches further than every field, or they disagree, OutsideError when a rank lacks the memory.")
        .def("start", &HaloVariants::start, "extent"_a, nb::keep_alive<0, 1>(),
             nb::call_guard<nb::gil_scoped_release>(),
             "Start the narrowest variant that covers `extent`, and return the handle to wait on; halo cells beyond it "
             "stay as they are. Local, does not block; all ranks must ask alike. Raises UserError when no variant "
             "covers it, or one is in flight. Cost: one message per neighbour and phase, nothing is allocated.")
        .def("start_agreed", &HaloVariants::start_agreed, "extent"_a, nb::keep_alive<0, 1>(),
             nb::call_guard<nb::gil_scoped_release>(),
             "Start the narrowest variant that covers what every rank asks for, and return the handle to wait on. "
             "Collective. Raises UserError on all ranks when no variant does, or one is in flight on any. Cost: one "
             "reduction of eight numbers, which blocks, and what `start` costs.")
        .def_prop_ro("extents", &HaloVariants::extents, "What was planned, narrowest first. Local.")
        .def(
            "plan", [](const HaloVariants& v, const Extent& extent) { return v.variant(extent).plan(); }, "extent"_a,
            "What `start` moves for that extent, as this rank sees it. Local. Raises UserError when no variant covers "
            "it.")
        .def_prop_ro("buffer_bytes", &HaloVariants::buffer_bytes,
                     "Bytes of message buffers of all variants on this rank. Local.")
        .def("__repr__", [](const HaloVariants& v) {
            std::string text = "HaloVariants(" + std::to_string(v.buffer_bytes()) + " bytes of buffers)";
            for (const Extent& extent : v.extents()) text += "\n  " + to_string(extent);
            return text;
        });
}
