#pragma once
// The cost of one box on its own, when only the node of its neighbours matters: the inner loop of every search.

#include "lapwing/grid/mask.hpp"
#include "lapwing/partition/partition_cost.hpp"

namespace lapwing {

// Prices a box of a partition in which every wet point is owned and the ranks of a node fill a box of the grid. Equal
// to the rank's cost in `partition_cost` except for the latency of messages, of which it counts none. Keeps a reference
// to the mask.
class BoxCost {
  public:
    BoxCost(const Grid& grid, const Mask& mask, const CostModel& model);

    // The cost of `box` for `rank`, whose node owns the wet points of `node`. Twelve look-ups on closed grids.
    [[nodiscard]] double operator()(const Box& box, int rank, const Box& node) const;

    // The least that `box` can cost, wherever its neighbours are.
    [[nodiscard]] double at_least(const Box& box, int rank) const;

  private:
    [[nodiscard]] Index wet_images(const Box& wanted, const Box& within) const;
    [[nodiscard]] double computing(const Box& box, Index wet, int rank) const;

    Grid grid_;
    const Mask& mask_;
    const CostModel model_;
    bool closed_;
};

}  // namespace lapwing
