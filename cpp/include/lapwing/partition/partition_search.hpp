#pragma once
// The search for a k-section partition: candidates, then wider trees, then refinement.

#include "lapwing/partition/cuts/ksection.hpp"

namespace lapwing {

// The options of a search.
struct SearchOptions {
    // Cuts on two levels: first between nodes, with little water between them whatever that costs inside, then inside
    // nodes; on one level if that leaves a node with fewer wet points than ranks.
    bool nodes_first = false;
    bool wider = true;   // also trees whose branches are cut differently, and into unequal numbers of ranks
    bool refine = true;  // then move lines, and cut branches again, while that helps
    int threads = 1;     // threads that share the work; the result does not depend on their number
};

// The result of a search.
struct FoundPartition {
    Partition partition;
    Index candidates = 0;  // candidates of the k-section
    Index searched = 0;    // candidates and wider trees
};

// Wet points of a rank over the mean up to which wider trees and refinement trade them for smaller halos: 1 and one and
// a half rows of a square box, which cutting between points may leave anyway, but at least 1.02; up to 3000 ranks, for
// which the search is thorough, also at most 1.05, or five points where that is more. The result exceeds it only if
// nothing within it was found.
double accepted_imbalance(Index wet, int ranks);

// Throws UserError for less than one thread. Local.
void check_options(const SearchOptions& options);

// The cheapest partition that is found, with the ranks of a node in one box where the coast allows, into one box per
// rank, none of them dry, trimmed to their wet bounds. The same on every rank and in every run. Throws UserError as
// KSection does, and for less than one thread. Cost: up to half a minute for a thousand ranks. Local, no MPI.
FoundPartition find_partition(const Grid& grid, const Mask& mask, int ranks, const CostModel& model = {},
                              const SearchOptions& options = {});

// The same after the candidates have been priced, for instance by all ranks together: `best` is the best of all.
FoundPartition find_partition(const KSection& ksection, const BestCandidate& best, const SearchOptions& options);

}  // namespace lapwing
