#pragma once
// Small changes to a tree of cuts that make it better.

#include "partition/cuts/cut_score.hpp"

namespace lapwing {

// Betters a tree while its score falls: moves lines, from the first to the last cut and again, by steps that shrink to
// one row; and cuts branches around the slowest rank again. Boxes stay rectangles, every rank keeps a wet point. Local.
CutTree refined(const Cutter& cutter, const CutScore& score, CutTree tree);

}  // namespace lapwing
