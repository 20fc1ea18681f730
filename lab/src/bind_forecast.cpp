#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "predict/forecast.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

// A struct by its settings: all of them as keywords.
template <class Struct>
void bind_costs(nb::module_& m, const char* name, const char* about) {
    nb::class_<Struct> bound(m, name, about);
    bound.def(nb::init<>(), "With what costs nothing. Local.");
    for_each_setting<Struct>([&](const auto& setting) { bound.def_rw(setting.name, setting.member, setting.about); });
}

void bind_request(nb::module_& m) {
    bind_costs<KernelCost>(m, "KernelCost", "What a stage costs, s.");
    bind_costs<PackingCost>(m, "PackingCost", "What copies between fields and messages cost, s.");
    bind_costs<MessageCost>(m, "MessageCost", "What messages cost on a link, s and bytes.");
    bind_costs<MemoryCost>(m, "MemoryCost", "What the memory of a node gives, bytes and bytes/s.");
    nb::class_<NetworkShape>(m, "NetworkShape", "How nodes are connected: on one switch, if it says nothing else.")
        .def(nb::init<>(), "One switch. Local.")
        .def_rw("groups", &NetworkShape::groups, "Of each node, where groups of them have a switch each.")
        .def_rw("group_links", &NetworkShape::group_links, "Latency, s, and bandwidth, bytes/s, of the nodes of each.")
        .def_rw("torus", &NetworkShape::torus, "Nodes along each axis of a torus.")
        .def_rw("tree_down", &NetworkShape::tree_down, "What each level of switches of a fat tree has below.")
        .def_rw("tree_up", &NetworkShape::tree_up, "What each has above, from the nodes on.");
    nb::class_<ForecastMachine>(m, "ForecastMachine", "The machine as a forecast sees it.")
        .def(nb::init<>(), "Without links. Local.")
        .def_rw("links", &ForecastMachine::links, "Costs by link: node, network, joint.")
        .def_rw("shape", &ForecastMachine::shape, "How nodes are connected.")
        .def_rw("packing", &ForecastMachine::packing, "Of all messages.")
        .def_rw("memory", &ForecastMachine::memory, "Of each node.")
        .def_rw("nodes_share", &ForecastMachine::nodes_share, "Whether messages within a node share its bandwidth.")
        .def_rw("eager", &ForecastMachine::eager, "bytes: longer messages leave once their receive is posted.")
        .def_rw("detached", &ForecastMachine::detached, "bytes: sends of longer ones end when they have arrived.");
    nb::class_<ForecastRank>(m, "ForecastRank", "Which outline a rank follows, and where it runs.")
        .def(
            "__init__",
            [](ForecastRank* self, int outline, int node, double crowd, double speed, std::vector<int> peers,
               double cells,
               double rows) { new (self) ForecastRank{outline, node, crowd, speed, std::move(peers), cells, rows}; },
            "outline"_a, "node"_a, "crowd"_a, "speed"_a, "peers"_a, "cells"_a = 0.0, "rows"_a = 0.0,
            "`crowd`: the share of the other cores of the node that compute; `peers`: in place of the outline's; "
            "`cells` and `rows`: that it owns, of which stages names a cost `between_steps`. Local.");
}

}  // namespace

void lapwing::lab::bind_forecast(nb::module_& m) {
    m.def("compute_seconds", &compute_seconds, "outline"_a, "stages"_a, "crowd"_a, "speed"_a,
          "What the kernels of an outline take per step, s, at the costs of stages by name. Local.");
    bind_request(m);
    nb::class_<ForecastWait>(m, "ForecastWait", "For whom a rank waited.")
        .def_ro("what", &ForecastWait::what, "The fields that it waited for, or the stage.")
        .def_ro("peer", &ForecastWait::peer, "Whose message came last; -1: nobody's.")
        .def_ro("seconds", &ForecastWait::seconds, "Per step.");
    nb::class_<RankTimes>(m, "RankTimes", "Where the time of a rank goes, s per step.")
        .def_ro("compute", &RankTimes::compute, "Of stages.")
        .def_ro("messages", &RankTimes::messages, "Packing, sending, receiving and unpacking.")
        .def_ro("waiting", &RankTimes::waiting, "With nothing to do.")
        .def_ro("waits", &RankTimes::waits, "For what and whom, the longest first.");
    nb::class_<Forecast>(m, "Forecast", "What steps would take.")
        .def_ro("step", &Forecast::step, "s, of the slowest rank.")
        .def_ro("ranks", &Forecast::ranks, "Of every rank.")
        .def_ro("events", &Forecast::events, "Of the forecast.");
    m.def(
        "forecast",
        [](std::vector<RankOutline> outlines, std::map<std::string, KernelCost> stages, const ForecastMachine& machine,
           std::vector<ForecastRank> ranks, int warm_up, int steps) {
            return forecast({std::move(outlines), std::move(stages), machine, std::move(ranks), warm_up, steps});
        },
        "outlines"_a, "stages"_a, "machine"_a, "ranks"_a, "warm_up"_a, "steps"_a,
        nb::call_guard<nb::gil_scoped_release>(),
        "Run the events of all ranks in simulated time, `steps` task lists after `warm_up` that do not count. Local. "
        "Raises "
        "UserError where a rank sends what its peer does not receive. Cost: about a microsecond per event.");
}
