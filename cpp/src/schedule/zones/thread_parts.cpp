#include "schedule/zones/thread_parts.hpp"

#include <algorithm>
#include <span>

namespace lapwing {

namespace {

// The piece of a box that lies in a thread's part.
Box piece_of(Box box, const Box& owned, const ThreadParts& parts, int thread) {
    const auto axis = static_cast<std::size_t>(parts.axis);
    if (thread > 0) box.lo[axis] = std::max(box.lo[axis], owned.lo[axis] + parts.begin(thread));
    if (thread + 1 < parts.threads) box.hi[axis] = std::min(box.hi[axis], owned.lo[axis] + parts.begin(thread + 1));
    return box;
}

// Zones next to each other in x, cut; they stay next to each other in each part.
std::vector<Zone> shared_row(std::span<const Zone> row, const Box& owned, const ThreadParts& parts) {
    std::vector<Zone> pieces;
    for (int thread = 0; thread < parts.threads; ++thread) {
        bool beside = false;
        for (const Zone& zone : row) {
            const Box box = piece_of(zone.box, owned, parts, thread);
            if (box.empty()) continue;
            pieces.push_back({box, zone.place, beside, thread});
            beside = true;
        }
    }
    return pieces;
}

}  // namespace

int ThreadParts::thread_of(Index cell) const {
    if (size == 0 || cell < 0) return 0;
    return static_cast<int>(std::min<Index>(cell / size, threads - 1));
}

ThreadParts equal_parts(const Box& owned, int threads) {
    int axis = 2;
    while (axis > 0 && owned.size(axis) <= 1) --axis;
    return {threads, axis, std::max<Index>(1, (owned.size(axis) + threads - 1) / threads)};
}

void share_zones(Zoning& zoning, const RankStep& step, int threads) {
    if (threads == 1) return;
    for (auto& of_entry : zoning.zones) {
        for (std::size_t b = 0; b < of_entry.size(); ++b) {
            const ThreadParts parts = equal_parts(step.owned[b], threads);
            const auto begins_row = [](const Zone& zone) { return !zone.beside_last; };
            std::vector<Zone> shared;
            for (auto first = of_entry[b].begin(), end = of_entry[b].end(); first != end;) {
                const auto last = std::find_if(first + 1, end, begins_row);
                for (Zone& piece : shared_row({first, last}, step.owned[b], parts)) shared.push_back(std::move(piece));
                first = last;
            }
            of_entry[b] = std::move(shared);
        }
    }
}

}  // namespace lapwing
