#pragma once
// The cost of a partition: the slowest rank's computing and halo, as POLCOMS counts them.

#include <vector>

#include "lapwing/grid/mask.hpp"
#include "lapwing/partition/partition.hpp"

namespace lapwing {

// Cost of a rank = (wet n_wet + dry n_dry) / speed + off n_off + on n_on + latency n_messages, in units of the work on
// one wet point. The defaults are from S. Pickles, "Multi-Core Aware Performance Optimization of Halo Exchanges in
// Ocean Simulations", slide "Cost function".
struct CostCoefficients {
    double wet = 1.0;      // per wet point owned
    double dry = 0.05;     // per dry point owned
    double off = 5.0;      // per wet halo point that comes from another node
    double on = 1.0;       // per wet halo point that comes from another rank of the node
    double latency = 0.0;  // per message, of which a rank gets one from every neighbour rank
};

// The machine on which a partition will run.
struct CostModel {
    CostCoefficients coefficients;
    int width = 2;               // width of the halo, in cells
    int ranks_per_node = 1;      // ranks 0 to ranks_per_node - 1 are on the first node
    std::vector<double> speeds;  // speeds of the ranks, relative to each other; empty: all alike

    [[nodiscard]] int node(int rank) const { return rank / ranks_per_node; }
    [[nodiscard]] double speed(int rank) const { return speeds.empty() ? 1.0 : speeds[rank]; }
};

// Throws UserError for a width below 0 or beyond both the grid and 16 cells, no rank per node, coefficients that are
// not from 0 to 1e12, and speeds that are not a positive number for every rank; there may be more of them, for ranks
// that get nothing. Returns the model with speeds whose mean is 1 and at most `ranks` ranks per node. Local.
CostModel checked(CostModel model, const Grid& grid, int ranks);

// One rank's share.
struct RankCost {
    Index wet = 0, dry = 0;           // points owned
    Index halo_off = 0, halo_on = 0;  // wet halo points from other nodes, from other ranks of the node
    int messages = 0;                 // ranks from which wet halo points come
    double cost = 0;
};

// The work of each rank of a partition, and of the slowest one.
struct PartitionCost {
    std::vector<RankCost> ranks;
    double cost = 0;                                // cost of the slowest rank
    double imbalance = 0;                           // largest over mean of wet points / speed; 1 if no rank has any
    Index halo_off = 0, halo_on = 0, messages = 0;  // sums over ranks
};

// Prices every rank. Points that come from the rank itself cost nothing. Throws UserError when the mask has another
// size than the grid, or the model is refused by `checked`. Cost: the neighbours of every box. Local, no MPI.
PartitionCost partition_cost(const Partition& partition, const Mask& mask, const CostModel& model);

}  // namespace lapwing
