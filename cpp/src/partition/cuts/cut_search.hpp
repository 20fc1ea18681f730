#pragma once
// Trees whose branches are cut each in its own way: more partitions than a k-section reaches.

#include "partition/cuts/cut_score.hpp"

namespace lapwing {

// Cuts `from` down to single ranks. At every box each axis, and several divisions of the ranks (halves, the factors of
// the k-section, and unequal ones such as 3 + 2), are tried, each part again for `depth` levels, and what remains is
// cut in halves; the division with the least score is kept. Boxes of few ranks are tried exhaustively. `around`: the
// box of its node of the machine. Deterministic. Cost: about 10^depth log2(ranks) cuts per rank. Local.
CutTree search_cuts(const Cutter& cutter, const CutScore& score, const CutNode& from, const Box& around, int depth);

// The same with every division of `from` followed to its end instead of judged by a glance.
CutTree search_thoroughly(const Cutter& cutter, const CutScore& score, const CutNode& from, const Box& around,
                          int depth);

}  // namespace lapwing
