#include "schedule/zones/zones.hpp"

#include <algorithm>

namespace lapwing {

Margins larger(const Margins& a, const Margins& b) {
    Margins both;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
        both.hi[axis] = std::max(a.hi[axis], b.hi[axis]);
    }
    return both;
}

Margins read_by(const Margins& margins, const Extent& extent) {
    Margins wider = margins;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (wider.lo[axis] >= 0) wider.lo[axis] += extent.hi[axis];
        if (wider.hi[axis] >= 0) wider.hi[axis] += extent.lo[axis];
    }
    return wider;
}

Box core_of(const Box& box, const Box& owned, const Margins& margins) {
    Box core = box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (margins.lo[axis] >= 0) {
            core.lo[axis] = std::clamp(owned.lo[axis] + margins.lo[axis], box.lo[axis], box.hi[axis]);
        }
        if (margins.hi[axis] >= 0) {
            core.hi[axis] = std::clamp(owned.hi[axis] - margins.hi[axis], core.lo[axis], box.hi[axis]);
        }
    }
    return core;
}

ZoneGrid::ZoneGrid(const Box& box, const Box& core) : core_(core) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        cuts_[axis] = {box.lo[axis], box.hi[axis]};
        for (const Index cut : {core.lo[axis], core.hi[axis]}) {
            if (cut > box.lo[axis] && cut < box.hi[axis]) cuts_[axis].push_back(cut);
        }
        std::ranges::sort(cuts_[axis]);
        const auto [first, last] = std::ranges::unique(cuts_[axis]);
        cuts_[axis].erase(first, last);
    }
}

bool ZoneGrid::in_core(int axis, int n) const {
    return cuts_[axis][n] >= core_.lo[axis] && cuts_[axis][n + 1] <= core_.hi[axis];
}

void ZoneGrid::cut_at(int axis, Index position) {
    auto& cuts = cuts_[axis];
    if (position <= cuts.front() || position >= cuts.back() || std::ranges::count(cuts, position) > 0) return;
    cuts.insert(std::ranges::upper_bound(cuts, position), position);
}

void ZoneGrid::cut_middle(int axis, Index size) {
    const Index cells = core_.hi[axis] - core_.lo[axis];
    const Index bands = std::max<Index>(1, cells / std::max<Index>(1, size));
    for (Index band = 1; band < bands; ++band) cut_at(axis, core_.lo[axis] + band * cells / bands);
}

Box ZoneGrid::zone(int x, int y, int z) const {
    const std::array<int, 3> number{x, y, z};
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t n = number[axis];
        box.lo[axis] = cuts_[axis][n];
        box.hi[axis] = cuts_[axis][n + 1];
    }
    return box;
}

}  // namespace lapwing
