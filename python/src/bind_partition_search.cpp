#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/mpi/shared_search.hpp"
#include "lapwing/partition/node_order.hpp"
#include "lapwing/partition/weighted_blocks.hpp"
#include "lapwing/partition/wet_blocks.hpp"
#include "mpi/communicator.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

void bind_cost(nb::module_& m) {
    nb::class_<CostModel>(m, "CostModel", "What a point and a message cost, and on what a partition is to run.")
        .def(
            "__init__",
            [](CostModel* self, double wet, double dry, double off, double on, double latency, int width,
               int ranks_per_node, std::vector<double> speeds) {
                new (self) CostModel{{wet, dry, off, on, latency}, width, ranks_per_node, std::move(speeds)};
            },
            "wet"_a = 1.0, "dry"_a = 0.05, "off"_a = 5.0, "on"_a = 1.0, "latency"_a = 0.0, "width"_a = 2,
            "ranks_per_node"_a = 1, "speeds"_a = std::vector<double>{},
            "Costs per wet point, dry point, wet halo point from another node and from the same, and message, in units "
            "of the work on a wet point; width of the halo in cells; ranks that share a node; relative speeds, one per "
            "rank or none. Local; checked where it is used.")
        .def_prop_ro(
            "wet", [](const CostModel& c) { return c.coefficients.wet; }, "Per wet point owned.")
        .def_prop_ro(
            "dry", [](const CostModel& c) { return c.coefficients.dry; }, "Per dry point owned.")
        .def_prop_ro(
            "off", [](const CostModel& c) { return c.coefficients.off; }, "Per halo point from another node.")
        .def_prop_ro(
            "on", [](const CostModel& c) { return c.coefficients.on; }, "Per halo point from the same node.")
        .def_prop_ro(
            "latency", [](const CostModel& c) { return c.coefficients.latency; }, "Per message.")
        .def_ro("width", &CostModel::width, "Width of the halo, cells.")
        .def_ro("ranks_per_node", &CostModel::ranks_per_node, "Ranks that share a node.")
        .def_ro("speeds", &CostModel::speeds, "Relative speeds of the ranks; empty: all alike.");
    nb::class_<RankCost>(m, "RankCost", "One rank's share of a partition.")
        .def_ro("wet", &RankCost::wet, "Wet points owned.")
        .def_ro("dry", &RankCost::dry, "Dry points owned.")
        .def_ro("halo_off", &RankCost::halo_off, "Wet halo points from other nodes.")
        .def_ro("halo_on", &RankCost::halo_on, "Wet halo points from other ranks of the node.")
        .def_ro("messages", &RankCost::messages, "Ranks from which wet halo points come.")
        .def_ro("cost", &RankCost::cost, "In units of the work on a wet point.");
    nb::class_<PartitionCost>(m, "PartitionCost", "What a partition costs.")
        .def_ro("ranks", &PartitionCost::ranks, "Each rank's share.")
        .def_ro("cost", &PartitionCost::cost, "Of the slowest rank, in units of the work on a wet point.")
        .def_ro("imbalance", &PartitionCost::imbalance, "Largest over mean of wet points / speed.")
        .def_ro("halo_off", &PartitionCost::halo_off, "Wet halo points from other nodes, all ranks.")
        .def_ro("halo_on", &PartitionCost::halo_on, "Wet halo points from the same node, all ranks.")
        .def_ro("messages", &PartitionCost::messages, "Messages, all ranks.");
    m.def(
        "check_cost_model", [](const CostModel& model, const Grid& grid, int ranks) { checked(model, grid, ranks); },
        "model"_a, "grid"_a, "ranks"_a,
        "Raise UserError for a model that cannot price `ranks` ranks of a grid. Local.");
    m.def("partition_cost", &partition_cost, "partition"_a, "mask"_a, "model"_a,
          "Price every rank. Local. Raises UserError for a mask of another size than the grid, and a wrong model.");
}

void bind_candidates(nb::module_& m) {
    nb::class_<CutOrders>(m, "CutOrders", "The ways to cut into a number of parts by its prime factors up to 7.")
        .def(nb::init<int>(), "parts"_a, "Count the ways. Local. Raises UserError for parts < 1.")
        .def_prop_ro("count", &CutOrders::count, "Number of ways: distinct orders of the factors times axes.")
        .def(
            "at",
            [](const CutOrders& orders, Index n) {
                std::vector<std::pair<int, int>> cuts;
                for (const Cut& cut : orders.at(n)) cuts.emplace_back(cut.axis, cut.parts);
                return cuts;
            },
            "n"_a, "Way n as (axis, parts), found without the others. Local. Raises UserError for another n.");
    nb::class_<KSection>(m, "KSection", "The candidates of a k-section of the wet points.")
        .def(
            nb::init<const Grid&, const Mask&, int, const CostModel&, bool>(), "grid"_a, "mask"_a, "ranks"_a,
            "model"_a = CostModel{}, "nodes_first"_a = true, nb::keep_alive<1, 3>(),
            "Count the candidates. Local. Raises UserError for more ranks than wet points, a mask of another size than "
            "the grid, and a wrong model.")
        .def_prop_ro("count", &KSection::count, "Number of candidates.")
        .def(
            "partition", [](const KSection& k, Index n) { return leaves(k.cutter().grid(), k.candidate(n)); }, "n"_a,
            "Candidate n as a partition. Local. Raises UserError unless 0 <= n < count.");
    m.def("accepted_imbalance", &accepted_imbalance, "wet"_a, "ranks"_a,
          "Largest over mean of wet points per rank that a search accepts. Local.");
}

void bind_searches(nb::module_& m) {
    nb::class_<FoundPartition>(m, "FoundPartition", "What a search for a partition came to.")
        .def_ro("partition", &FoundPartition::partition, "The cheapest one found.")
        .def_ro("candidates", &FoundPartition::candidates, "Candidates of the k-section.")
        .def_ro("searched", &FoundPartition::searched, "Those that were priced, and wider trees.");
    nb::class_<FoundBlocks>(m, "FoundBlocks", "What a search for blocks came to.")
        .def_ro("partition", &FoundBlocks::partition, "The cheapest one found.")
        .def_ro("blocks", &FoundBlocks::blocks, "Blocks per axis.")
        .def_ro("searched", &FoundBlocks::searched, "Shapes of blocks that were priced.");
    const auto options = [](int threads, bool nodes_first, bool wider, bool refine) {
        return SearchOptions{nodes_first, wider, refine, threads};
    };
    m.def(
        "find_partition",
        [options](const Grid& grid, const Mask& mask, int ranks, const CostModel& model, int threads, bool nodes_first,
                  bool wider, bool refine) {
            return find_partition(grid, mask, ranks, model, options(threads, nodes_first, wider, refine));
        },
        "grid"_a, "mask"_a, "ranks"_a, "model"_a, "threads"_a, "nodes_first"_a, "wider"_a, "refine"_a,
        nb::call_guard<nb::gil_scoped_release>(), "Search for a k-section partition. Local.");
    m.def(
        "find_partition_together",
        [options](nb::handle comm, const Grid& grid, const Mask& mask, const CostModel& model, int threads,
                  bool nodes_first, bool wider, bool refine) {
            return find_partition(lapwing::python::handle_of(comm), grid, mask, model,
                                  options(threads, nodes_first, wider, refine));
        },
        "comm"_a, "grid"_a, "mask"_a, "model"_a, "threads"_a, "nodes_first"_a, "wider"_a, "refine"_a,
        "The same by all ranks of a communicator, together. Collective.");
    m.def(
        "ranks_per_node", [](nb::handle comm) { return ranks_per_node(lapwing::python::handle_of(comm)); }, "comm"_a,
        "Ranks that share a node, the most over all nodes. Collective.");
    m.def("wet_block_partition", &wet_block_partition, "grid"_a, "mask"_a, "blocks"_a,
          "Blocks without the dry ones, trimmed. Local.");
    m.def("find_wet_blocks", &find_wet_blocks, "grid"_a, "mask"_a, "ranks"_a, "model"_a,
          nb::call_guard<nb::gil_scoped_release>(), "The cheapest blocks without the dry ones. Local.");
    m.def("find_assigned_blocks", &find_assigned_blocks, "grid"_a, "mask"_a, "ranks"_a, "model"_a,
          nb::call_guard<nb::gil_scoped_release>(), "The cheapest small blocks, several per rank. Local.");
    m.def("node_ordered", &node_ordered, "partition"_a, "ranks_per_node"_a,
          "The partition with ranks numbered such that neighbours share nodes. Local.");
    m.def(
        "weighted_blocks",
        [](const Partition& partition, const std::vector<double>& speeds) {
            return weighted_blocks(partition, speeds);
        },
        "partition"_a, "speeds"_a, "Blocks with cuts moved for ranks of these speeds. Local.");
}

}  // namespace

void lapwing::python::bind_partition_search(nb::module_& m) {
    bind_cost(m);
    bind_candidates(m);
    bind_searches(m);
}
