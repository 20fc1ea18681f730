#pragma once
// The parts of an owned box that the threads of a rank compute: the same from stage to stage and from step to step, so
// that what a thread reads is in its cache, and in memory that is near to its core.

#include "schedule/zones/zoning.hpp"

namespace lapwing {

// Parts of `size` cells along an axis of an owned box, one for each thread; the first and the last have what lies
// beyond the box.
struct ThreadParts {
    int threads = 1;
    int axis = 1;
    Index size = 0;

    // The first cell of a thread's part, from the beginning of the owned box.
    [[nodiscard]] Index begin(int thread) const { return thread * size; }
    // The thread that has the cell.
    [[nodiscard]] int thread_of(Index cell) const;
};

// Equal parts of whole layers, or of whole rows where the box has no layers. Local.
ThreadParts equal_parts(const Box& owned, int threads);

// Cuts zones where the parts of threads meet. Local.
void share_zones(Zoning& zoning, const RankStep& step, int threads);

}  // namespace lapwing
