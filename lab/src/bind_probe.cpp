#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "probe/call_costs.hpp"
#include "probe/link_test.hpp"
#include "probe/mpi_traits.hpp"
#include "probe/stream_copy.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;
using namespace lapwing::probe;

namespace {

void bind_links(nb::module_& m) {
    nb::class_<LinkWork>(m, "LinkWork", "A message that is timed.")
        .def(
            "__init__",
            [](LinkWork* self, const std::string& pattern, const std::string& way, const std::string& layout,
               Index bytes) { new (self) LinkWork{pattern_of(pattern), way_of(way), layout_of(layout), bytes}; },
            "pattern"_a, "way"_a, "layout"_a, "bytes"_a,
            "`pattern`: ring or ping-pong; `way`: two-sided, push (MPI_Put) or pull (MPI_Get); `layout`: contiguous, "
            "strided (a double of every cache line, one message) or element-wise (a message per double). Local. Raises "
            "UserError for other names.");
    nb::class_<LinkTest>(m, "LinkTest", "Messages between ranks of a node, or between nodes, timed.")
        .def(
            "__init__",
            [](LinkTest* self, const Domain& domain, const std::string& link, Index most_bytes, Index pool_bytes) {
                new (self) LinkTest(domain, link_of(link), most_bytes, pool_bytes);
            },
            "domain"_a, "link"_a, "most_bytes"_a, "pool_bytes"_a, nb::keep_alive<1, 2>(),
            "`link`: node (the ranks of each, all nodes at once) or network (a rank of each node). Messages of up to "
            "`most_bytes` walk through `pool_bytes` of memory. Collective over the domain. Raises UserError on all "
            "ranks for what cannot be, OutsideError when a rank lacks the memory.")
        .def("close", &LinkTest::close, "Free communicators and windows. Collective.")
        .def_prop_ro("available", &LinkTest::available,
                     "Whether any two ranks take part. The same on all ranks. Local.")
        .def_prop_ro("ranks", &LinkTest::ranks, "Ranks of the ring that this one is part of. Local.")
        .def("time", &LinkTest::time, "work"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Seconds per message, a mean over `rounds`, of the slowest rank: of a round of a ring, of half a round of "
             "ping-pong. Collective over the domain. Raises UserError on all ranks for what cannot be.")
        .def(
            "time_beside",
            [](LinkTest& test, const LinkWork& work, bool communicate, std::int64_t iterations, int chunks,
               int rounds) { return test.time_beside(work, {communicate, iterations, chunks}, rounds); },
            "work"_a, "communicate"_a, "iterations"_a, "chunks"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
            "Seconds per round of a ring whose ranks compute `iterations` between start and end, in `chunks` after "
            "each of which MPI is called. Collective over the domain. Raises UserError on all ranks for what cannot "
            "be.")
        .def("time_left", &LinkTest::time_left, "work"_a, "seconds"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Seconds that a ring still needs when it was started and MPI not called for `seconds`: the largest of all "
             "ranks. Collective over the domain.")
        .def("time_start", &LinkTest::time_start, "work"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Seconds of the calls that start a message around a ring, receive and send: the largest of all ranks. "
             "Collective over the domain.")
        .def("completes_unmatched", &LinkTest::completes_unmatched, "bytes"_a, "seconds"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Whether a send completes within `seconds` although no receive is posted. Collective over the domain.")
        .def("wrong_values", &LinkTest::wrong_values, "work"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Values of all ranks that are wrong after one round. Collective over the domain.");
    m.def("compute", &compute, "iterations"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Multiply and add so often in registers; seconds. Local.");
}

void bind_copy(nb::module_& m) {
    nb::class_<StreamCopy>(m, "StreamCopy", "One array copied to another, or 19 to 19, cell by cell.")
        .def(nb::init<int, Index, bool>(), "arrays"_a, "values"_a, "huge_pages"_a,
             "Sets of 1 or 19 arrays of at least `values` doubles, on huge pages if the kernel gives them. Local. "
             "Raises UserError for other numbers, OutsideError without memory.")
        .def(
            "run", [](StreamCopy& copy, const std::string& loop) { return copy.run(copy_loop_of(loop)); }, "loop"_a,
            nb::call_guard<nb::gil_scoped_release>(),
            "Copy every value once; seconds. `loop`: literal, blocked, pieces or nontemporal. Local. Raises UserError "
            "for other names, and stores that this build has not.")
        .def("wrong_values", &StreamCopy::wrong_values, nb::call_guard<nb::gil_scoped_release>(),
             "Values that were not copied; forgets the copy. Local.")
        .def_prop_ro("bytes", &StreamCopy::bytes, "Bytes of one array. Local.")
        .def_prop_ro("huge_pages", &StreamCopy::huge_pages, "Whether the kernel took the advice. Local.")
        .def_static(
            "moved_arrays",
            [](const std::string& loop, int arrays) { return StreamCopy::moved_arrays(copy_loop_of(loop), arrays); },
            "loop"_a, "arrays"_a, "Arrays that go to or from memory in a copy, write-allocate included. Local.");
    m.def(
        "cache_share", [](int processes) { return cache_share(processes); }, "processes"_a,
        "Bytes of the last cache before memory for each of so many processes of this node. Local.");
    m.def("has_nontemporal_stores", &has_nontemporal_stores,
          "Whether this build has stores that pass the caches. Local.");
}

}  // namespace

void lapwing::lab::bind_probe(nb::module_& m) {
    bind_links(m);
    bind_copy(m);
    m.def(
        "packing_costs",
        [](int rounds) {
            const PackingCosts costs = packing_costs(rounds);
            return std::pair{costs.byte, costs.row};
        },
        "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Seconds per byte, and per piece that lies in a row in memory, of copying pieces of a field to a message: the "
        "least of `rounds`. Local. Raises UserError for fewer than one round.");
    m.def("call_costs", &call_costs, "domain"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Seconds of small calls by name, means over `rounds`, of the slowest rank. Collective over the domain. "
          "Raises UserError on all ranks for fewer than one round.");
    m.def("cart_reorders", &cart_reorders, "domain"_a, "axes"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Whether MPI_Cart_create with reorder gives any rank another number. Collective over the domain.");
    m.def(
        "neighbor_collectives",
        [](const Domain& domain, bool cartesian, int ranks) {
            return neighbor_collectives(domain, cartesian ? NeighborGraph::cart : NeighborGraph::graph, ranks);
        },
        "domain"_a, "cartesian"_a, "ranks"_a, nb::call_guard<nb::gil_scoped_release>(),
        "What a neighbourhood collective gives on a periodic ring of the first `ranks` ranks: right, swapped, wrong or "
        "does not complete. Collective over the domain. Raises UserError on all ranks for more ranks than there are.");
    m.def("cuda_awareness", &cuda_awareness, "yes, no or unknown, as MPIX_Query_cuda_support says. Local.");
    m.def("thread_level", &thread_level, "What MPI was started for: single, funneled, serialized, multiple. Local.");
}
