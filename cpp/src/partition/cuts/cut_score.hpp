#pragma once
// The score of a tree of cuts: one sum over boxes that a search can add up branch by branch.

#include <algorithm>

#include "lapwing/partition/cuts/cut_tree.hpp"
#include "partition/box_cost.hpp"

namespace lapwing {

// The score of a box is (cost / reference)^16 + (wet points / accepted)^256; the score of a tree is the sum over its
// boxes; less is better. The first power makes the slowest rank count most and yet every halo a little, the second is a
// wall at the accepted number of wet points. Powers are products, so all machines get the same bits.
class CutScore {
  public:
    // `reference`: about the cost of the slowest rank; `imbalance`: of wet points that is accepted.
    CutScore(const Cutter& cutter, const CostModel& model, double reference, double imbalance, int squarings = 4)
        : squarings_(squarings),
          cutter_(cutter),
          cost_(cutter.grid(), cutter.mask(), model),
          reference_(reference > 0 ? reference : 1.0),
          accepted_(imbalance * static_cast<double>(cutter.mask().count(cutter.grid().box()))) {}

    // `node`: the box of the leaf's node of the machine.
    [[nodiscard]] double operator()(const CutNode& leaf, const Box& node) const {
        const double wet = static_cast<double>(cutter_.mask().count(leaf.box));
        return squared(cost_(leaf.box, leaf.first, node) / reference_, squarings_) +
               squared(wet / (accepted_ * cutter_.share(leaf.first, leaf.ranks)), 8);
    }

    // Wet points that all ranks together would accept.
    [[nodiscard]] double accepted() const { return accepted_; }

    // `leaf` in a tree whose ancestor of a node of the machine is `node`; the cost of it alone.
    [[nodiscard]] double cost(const CutNode& leaf, const Box& node) const { return cost_(leaf.box, leaf.first, node); }

  private:
    static double squared(double value, int times) {
        value = std::min(value, 15.0);  // whose 256th power is still a number
        for (; times > 0; --times) value *= value;
        return value;
    }

    int squarings_;
    const Cutter& cutter_;
    BoxCost cost_;
    double reference_, accepted_;
};

}  // namespace lapwing
