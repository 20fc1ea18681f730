#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/exchange/transpose.hpp"
#include "lapwing/partition/distribution.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

void bind_distributions(nb::module_& m) {
    m.def(
        "twod_partition", [](const Partition& columns, Index levels) { return twod_partition(columns, levels); },
        "columns"_a, "levels"_a,
        "The boxes of a partition of a 2D grid with so many levels. Local. Raises UserError for a grid with a z axis, "
        "or no level.");
    m.def("fft_partition", &fft_partition, "twod"_a, "active"_a.none() = nb::none(),
          "Full rows of x: the levels are spread over the ranks of each row of processes. Local. `twod`: what "
          "`twod_partition` returned, or such blocks; `active`: the cells that take part, all by default. Raises "
          "UserError for fewer levels than blocks along x, and a partition that is not of blocks with all levels.");
    m.def("tri_partition", &tri_partition, "twod"_a, "active"_a.none() = nb::none(),
          "Full columns of y: the x are spread over the ranks of each column of processes, each of which keeps the "
          "levels that it has in `fft_partition`, which see for the arguments. Local. Raises UserError for fewer x "
          "than blocks along y, and as `fft_partition`.");
    m.def("level_slab_partition", &level_slab_partition, "twod"_a, "active"_a.none() = nb::none(),
          "Full rows of x: all (level, rows of one process row) in a list that all ranks share. For comparison: "
          "messages grow with the square of the number of ranks. Local. Arguments as of `fft_partition`. Raises "
          "UserError for a partition that is not of blocks with all levels.");
}

void bind_census(nb::module_& m) {
    nb::class_<TransposeCensus>(m, "TransposeCensus", "What one rank, or several together, do in a transpose.")
        .def(nb::init<>(), "Nothing: where a sum begins. Local.")
        .def_ro("messages", &TransposeCensus::messages, "Messages sent.")
        .def_ro("bytes", &TransposeCensus::bytes, "Bytes sent.")
        .def_ro("copied", &TransposeCensus::copied, "Bytes that stay on their rank.")
        .def_ro("buffer_bytes", &TransposeCensus::buffer_bytes, "Bytes of buffers of a method that packs both ends.")
        .def(
            "__add__", [](TransposeCensus a, const TransposeCensus& b) { return a += b; }, "other"_a, "Both together.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const TransposeCensus& c) {
            return "TransposeCensus(" + std::to_string(c.messages) + " messages, " + std::to_string(c.bytes) +
                   " bytes out, " + std::to_string(c.copied) + " copied, " + std::to_string(c.buffer_bytes) +
                   " of buffers)";
        });
    m.def("transpose_census", &census_of, "plan"_a, "What the rank of a plan does. Local.");
    m.def(
        "transpose_plan",
        [](const Partition& from, const Partition& to, int rank, const std::vector<FieldSpec>& fields,
           const std::optional<Box>& active, int groups,
           int group) { return transpose_plan(from, to, rank, fields, {active, groups, group}); },
        "source"_a, "target"_a, "rank"_a, "fields"_a, nb::kw_only(), "active"_a.none() = nb::none(), "groups"_a = 1,
        "group"_a = 0,
        "Plan the moving of `fields` between two distributions of a grid, as `rank` sees it. Local. One message per "
        "pair of ranks; `active`: these cells only; `groups`, `group`: a part of the levels, see `Transpose`. Raises "
        "UserError for bad fields, another grid or number of ranks on one side, and a rank, box or group that does "
        "not exist. Cost: the rank's own partners.");
}

std::vector<const AnyField*> pointers(const std::vector<AnyField*>& fields) { return {fields.begin(), fields.end()}; }

void bind_methods(nb::class_<Transpose>& transpose) {
    const auto released = nb::call_guard<nb::gil_scoped_release>();
    transpose
        .def("start", &Transpose::start, released,
             "Pack and post all groups. Local, does not block; all ranks that it concerns must start it too. Raises "
             "UserError while a former start is unfinished, OutsideError when MPI fails.")
        .def("start_group", &Transpose::start_group, "group"_a, released,
             "Pack and post one group. Local, as `start`. Raises UserError for a number that does not exist, too.")
        .def("test", &Transpose::test, released,
             "Move messages on; true when all that was started is complete. Local, does not block. Raises OutsideError "
             "when MPI fails.")
        .def(
            "wait_group", &Transpose::wait_group, "group"_a, released,
            "Block until one group is complete. Local. Raises UserError for a number that does not exist, OutsideError "
            "when MPI fails.")
        .def("wait", &Transpose::wait, released,
             "Block until all that was started is complete. Local. Raises OutsideError when MPI fails.")
        .def("run", &Transpose::run, released, "Start and wait. Raises what these raise.");
}

}  // namespace

void lapwing::python::bind_transpose(nb::module_& m) {
    bind_distributions(m);
    bind_census(m);
    nb::class_<Transpose> transpose(m, "Transpose", "Fields moved from one distribution to another, again and again.");
    transpose.def(
        "__init__",
        [](Transpose* self, Domain& domain, const Partition& from, const Partition& to,
           const std::vector<AnyField*>& sources, const std::vector<AnyField*>& targets, const std::string& method,
           int groups, const std::optional<Box>& active) {
            const TransposeOptions options{method, groups, active};
            new (self) Transpose(domain, from, to, pointers(sources), pointers(targets), options);
        },
        "domain"_a, "source"_a, "target"_a, "sources"_a, "targets"_a, "method"_a = "auto", "groups"_a = 1,
        "active"_a.none() = nb::none(), nb::keep_alive<1, 2>(),
        "Plan the moving of fields from one distribution to another and make its buffers. Collective over the domain. "
        "Raises UserError on all ranks when something does not fit or they disagree, OutsideError when a rank lacks "
        "the memory.");
    bind_methods(transpose);
    transpose.def_prop_ro("groups", &Transpose::groups, "Groups of levels, each an exchange of its own. Local.")
        .def("source_boxes", &Transpose::source_boxes, "group"_a,
             "Cells of this rank, of the first field, that a group takes away. Local. Raises UserError for a number "
             "that does not exist.")
        .def("target_boxes", &Transpose::target_boxes, "group"_a,
             "Cells of this rank, of the first field, that a group brings. Local. Raises UserError for a number that "
             "does not exist.")
        .def("plan", &Transpose::plan, "group"_a = 0,
             "What a group moves, as this rank sees it. Local. Raises UserError for a number that does not exist.")
        .def_prop_ro("method", &Transpose::method, "What it runs by, never auto. Local.")
        .def_prop_ro(
            "choice", &Transpose::choice,
            "What `auto` found, what measuring took and after how many transposes it has paid, in words; empty "
            "where the method was given. Local.")
        .def_prop_ro("buffer_bytes", &Transpose::buffer_bytes, "Bytes of message buffers on this rank. Local.")
        .def_prop_ro("census", &Transpose::census, "What this rank does in one run. Local.")
        .def("__repr__", [](const Transpose& t) { return to_string(t); });
    m.def("transpose_methods", &transpose_methods, "The methods of transposes, auto first. Local.");
}
