#pragma once
// The time that steps would take: the events of all ranks, one after the other in time, priced by the numbers of a
// machine.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "lapwing/step/outline.hpp"
#include "predict/costs.hpp"

namespace lapwing {

// The network between nodes: one switch by default, on one for each group, or as a torus or a tree of switches.
struct NetworkShape {
    std::vector<int> groups;                         // of each node; none: there is one
    std::vector<std::array<double, 2>> group_links;  // of the nodes of each group: latency and bandwidth
    std::vector<int> torus;                          // nodes along each axis, those along the first numbered first
    std::vector<int> tree_down, tree_up;  // of each level of switches, from the nodes on: what it has below and above
};

// The machine as the forecast sees it: s and bytes. Links by name: node, network and, between groups, joint.
struct ForecastMachine {
    std::map<std::string, MessageCost> links;
    NetworkShape shape;
    PackingCost packing;
    MemoryCost memory;
    bool nodes_share = false;  // true if the messages within a node share its bandwidth; else each has all of it
    double eager = 0;          // bytes: longer messages begin to travel once their receive is posted
    double detached = 0;       // bytes: sends of longer ones end when they have arrived
};

// The work of a rank, and its place.
struct ForecastRank {
    int outline = 0;  // number among the outlines
    int node = 0;
    double crowd = 0;  // see KernelCost::seconds
    double speed = 1;
    std::vector<int> peers;  // in the place of the outline's, in their order
    double cells = 0;        // that it owns, for the cost `between_steps`
    double rows = 0;         // that they lie in
};

// The input of a forecast: the work of ranks, its costs, and the places of the ranks.
struct ForecastRequest {
    std::vector<RankOutline> outlines;
    std::map<std::string, KernelCost> stages;  // by name; those that are missing take no time
    ForecastMachine machine;
    std::vector<ForecastRank> ranks;
    int warm_up = 2;  // task lists before those that count
    int steps = 4;    // task lists that count
};

// A wait of a rank, in the steps that count.
struct ForecastWait {
    std::string what;  // the fields that it waited for, or the stage
    int peer = 0;      // whose message came last; -1: all ranks
    double seconds = 0;
};

// The time of a rank by what it is spent on, s per step.
struct RankTimes {
    double compute = 0;
    double messages = 0;  // of the processor: packing, sending, receiving, unpacking
    double waiting = 0;
    std::vector<ForecastWait> waits;  // the longest first
};

// The time of a step, and of each rank by what it is spent on.
struct Forecast {
    double step = 0;  // s, of the slowest rank
    std::vector<RankTimes> ranks;
    Index events = 0;
};

// Returns the time of the kernels of a rank per step, s. Local.
double compute_seconds(const RankOutline& outline, const std::map<std::string, KernelCost>& stages, double crowd,
                       double speed);

// Runs the steps of all ranks in simulated time. Local. Throws UserError where a rank's peers do not send what it waits
// for.
Forecast forecast(const ForecastRequest& request);

}  // namespace lapwing
