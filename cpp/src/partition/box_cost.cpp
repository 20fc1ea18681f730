#include "partition/box_cost.hpp"

#include <algorithm>

#include "grid/periodic_image.hpp"
#include "lapwing/grid/extent.hpp"

namespace lapwing {

BoxCost::BoxCost(const Grid& grid, const Mask& mask, const CostModel& model)
    : grid_(grid), mask_(mask), model_(model), closed_(!grid.periodic[0] && !grid.periodic[1]) {}

// Wet points of `within` that the cells of `wanted` stand for, images included.
Index BoxCost::wet_images(const Box& wanted, const Box& within) const {
    if (closed_) return mask_.count(intersect(wanted, within));
    Index points = 0;
    for (const Image& image : images(grid_, Location::center, wanted, wanted))
        points += mask_.count(intersect(image.in_grid(image.cells), within));
    return points;
}

double BoxCost::computing(const Box& box, Index wet, int rank) const {
    const CostCoefficients& c = model_.coefficients;
    const Index dry = box.size(0) * box.size(1) - wet;
    return (c.wet * static_cast<double>(wet) + c.dry * static_cast<double>(dry)) / model_.speed(rank);
}

double BoxCost::operator()(const Box& box, int rank, const Box& node) const {
    const Box wanted = grow(box, Extent::horizontal(model_.width));
    const Index own = wet_images(wanted, box), all = wet_images(wanted, grid_.box());
    const Index on = model_.ranks_per_node == 1 ? own : wet_images(wanted, node);
    const CostCoefficients& c = model_.coefficients;
    return computing(box, mask_.count(box), rank) + c.off * static_cast<double>(all - on) +
           c.on * static_cast<double>(on - own);
}

double BoxCost::at_least(const Box& box, int rank) const {
    const Box wanted = grow(box, Extent::horizontal(model_.width));
    const Index halo = wet_images(wanted, grid_.box()) - wet_images(wanted, box);
    const CostCoefficients& c = model_.coefficients;
    const double cheapest = model_.ranks_per_node == 1 ? c.off : std::min(c.off, c.on);
    return computing(box, mask_.count(box), rank) + cheapest * static_cast<double>(halo);
}

}  // namespace lapwing
