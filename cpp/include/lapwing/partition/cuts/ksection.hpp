#pragma once
// Recursive k-section of the wet points: rectangles with about equal wet work, one per rank, none of them dry.

#include <limits>

#include "lapwing/partition/cuts/cut_tree.hpp"

namespace lapwing {

// The candidates of a k-section: the distinct orders of the factors of the rank count and all choices of axes (with
// `nodes_first` the candidates for the nodes times the candidates for the ranks of a node). What is left when the
// factors are used up (primes above 7, a partly filled last node) is cut in halves, or nearly, across the longer side.
class KSection {
  public:
    // Keeps a reference to the mask. Throws UserError for more ranks than wet points, a mask of another size than the
    // grid, or a wrong model. Local.
    KSection(const Grid& grid, const Mask& mask, int ranks, const CostModel& model = {}, bool nodes_first = true);

    [[nodiscard]] const Cutter& cutter() const { return cutter_; }
    [[nodiscard]] const CostModel& model() const { return model_; }

    // Number of candidates.
    [[nodiscard]] Index count() const { return node_orders_.count() * rank_orders_.count(); }

    // The candidate whose turn it is when at most `most` are priced, spread evenly over all. 0 <= turn < most, count().
    [[nodiscard]] Index turn(Index turn, Index most) const;

    // The tree of candidate `n`, found without the others. Throws UserError unless 0 <= n < count(). Cost: ranks cuts.
    [[nodiscard]] CutTree candidate(Index n) const;

    // The cost of candidate `n`, or infinity as soon as it is known to be above `bound`. Local.
    [[nodiscard]] double cost(Index n, double bound) const;

  private:
    template <class Keep>
    bool grow_candidate(Index n, const Keep& keep, CutTree& tree) const;

    Cutter cutter_;
    CostModel model_;
    bool nodes_first_;
    CutOrders node_orders_, rank_orders_;
};

// The cheapest of some candidates; of equal ones, the candidate with the lowest number.
struct BestCandidate {
    double cost = std::numeric_limits<double>::infinity();
    Index number = -1;                           // -1: none
    int turn = std::numeric_limits<int>::max();  // turn in which it was priced
    Index searched = 0;
};

// Prices the candidates first, first + step, ..., of at most `most` spread evenly over all; on `threads` threads. The
// answer does not depend on the threads. Local: ranks share candidates by (rank, ranks) and compare what they found.
BestCandidate search_candidates(const KSection& ksection, Index most, Index first = 0, Index step = 1, int threads = 1);

// The number of candidates that are worth their time: about 3e7 boxes are priced.
Index worthwhile_candidates(const KSection& ksection);

}  // namespace lapwing
