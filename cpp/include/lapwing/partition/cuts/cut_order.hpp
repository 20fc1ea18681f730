#pragma once
// The orders and axes in which a recursive k-section may cut: the candidates of a search.

#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// Every box of one level is cut into `parts` parts along `axis` (0 = x, 1 = y).
struct Cut {
    int axis = 0;
    int parts = 2;
    friend bool operator==(const Cut&, const Cut&) = default;
};

// The ways to cut into `parts` boxes: every distinct order of the prime factors of `parts`, each factor along x or y.
// Way n is found without finding the others. Prime factors above 7 are no cuts: that many strips would be too thin, so
// boxes with such a factor are cut in unequal halves (see cut_tree.hpp).
//
// The m factors, of which the kinds p_1 < p_2 < ... occur m_1, m_2, ... times, have m! / (m_1! m_2! ...) distinct
// orders and 2^m choices of axes. In way n, the last m binary digits of n are the axes, the first cut's digit first,
// and the rest is the number of the order in lexicographic order: of c orders of the factors that are left, c m_i / m
// go on with kind i, one block after the other.
class CutOrders {
  public:
    // Throws UserError when parts < 1. Local.
    explicit CutOrders(int parts);

    // The number of ways; 1, without a cut, where no factor is at most 7.
    [[nodiscard]] Index count() const { return orders_ << factors_; }

    // Way `n`, 0 <= n < count(): the cuts from the first to the last. Throws UserError for another n. Cost: cuts x
    // kinds.
    [[nodiscard]] std::vector<Cut> at(Index n) const;

  private:
    struct Kind {
        int prime;
        int times;
    };
    std::vector<Kind> kinds_;  // ascending
    int factors_ = 0;
    Index orders_ = 1;
};

}  // namespace lapwing
