#pragma once
// Strategies by name: how a step is ordered.

#include <string>
#include <string_view>
#include <vector>

#include "lapwing/grid/grid.hpp"

namespace lapwing {

// `A | B`: A travels while B is computed. M is what the halos do not reach; W, E, S, N are the sides.
enum class Order {
    blocking,    // everything travels, then everything is computed
    three,       // W-E; N-S | WME; N, S
    five,        // W-E | M; N-S | W, E; N, S
    six,         // W-E | M/2; N-S | M/2; W, E, N, S
    six_alpha,   // W-E | alpha M; N-S | alpha W, alpha E, (1 - alpha) WME; N, S
    edge_first,  // the edges that are sent; all travels | the interior
    dataflow,    // whatever is ready, what unlocks a message first
    tiled,       // tile by tile through as many stages as fit a cache; what unlocks a message first
};

// A way to run a step. A plain value: the schedule is a pure function of the strategy and the stages.
struct Strategy {
    Order order = Order::blocking;
    double alpha = 0.5;       // for six_alpha: share of M behind the first phase, 0 to 1
    bool whole_chain = true;  // for edge_first: all stages before a message are split (A), or only the last one (B)
    int tiles = 0;            // dataflow: least number of parts of the interior; 0: as few as the tile size allows
    int rows = 0;             // tiled: rows of a tile; 0: as many as a cache holds
    int repetitions = 0;      // deep: steps per exchange; 0: exchanges as late as possible
    bool automatic = false;   // found by measurement while the step runs
    friend bool operator==(const Strategy&, const Strategy&) = default;
};

// The strategies by their names. `6s:alpha`, `dataflow:tiles`, `tiled:rows` and `deep:k` stand for all numbers
// there.
std::vector<std::string> strategy_names();

// "blocking" (or "1s"), "3s", "5s", "6s", "6s:0.3", "edge-first" (or "edge-first:A"), "edge-first:B", "dataflow",
// "dataflow:4", "tiled", "tiled:16", "deep:4" (blocking between its exchanges), "deep:4+dataflow",
// "deep:4+tiled", "auto"; older names, deep(4), too. Throws UserError for anything else. Local.
Strategy parse_strategy(std::string_view name);

// Returns the strategy as it runs on a grid. Beyond a north fold a kernel would meet the neighbours of a cell in
// another order than the owner of the cell, and get other bits: there nothing is computed twice, and `deep` exchanges
// in every step. Local.
Strategy on_grid(Strategy strategy, const Grid& grid);

// Returns the name that makes the strategy. Local.
std::string to_string(const Strategy& strategy);

}  // namespace lapwing
