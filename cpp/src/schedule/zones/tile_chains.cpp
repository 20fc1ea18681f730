#include "schedule/zones/tile_chains.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing {

namespace {

// Fewer rows than these are all beginning and end.
constexpr Index least_rows = 4;

const StageSpec& stage_of(const RankStep& step, std::size_t entry) {
    return step.stage(step.node->entries[entry]);
}

// How far tiles of `later` must lie behind tiles of `first` along an axis; -1: as far as they like.
Index lag(const StageSpec& later, const StageSpec& first, std::size_t axis) {
    Index least = -1;
    for (const Read& read : later.reads)
        if (writes(first, read.field)) least = std::max<Index>(least, read.extent.hi[axis]);
    for (const Read& read : first.reads)
        if (writes(later, read.field)) least = std::max<Index>(least, read.extent.lo[axis]);
    for (const int field : later.writes)
        if (writes(first, field)) least = std::max<Index>(least, 0);
    return least;
}

// A chain while stages are added to it.
class GrowingChain {
  public:
    GrowingChain(const RankStep& step, std::size_t first) : step_(step), touched_(step.bytes_per_cell.size(), false) {
        chain_.first = chain_.last = first;
    }

    void add() {
        const ScheduleEntry& entry = step_.node->entries[chain_.last];
        Index3 behind{0, 0, 0};
        if (entry.computes()) {
            const StageSpec& stage = stage_of(step_, chain_.last);
            for (std::size_t e = chain_.first; e < chain_.last; ++e) {
                if (!step_.node->entries[e].computes()) continue;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const Index least = lag(stage, stage_of(step_, e), axis);
                    if (least >= 0)
                        behind[axis] = std::max(behind[axis], chain_.behind[e - chain_.first][axis] + least);
                }
            }
            for (const Read& read : stage.reads) touch(read.field);
            for (const int field : stage.writes) touch(field);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) deepest_[axis] = std::max(deepest_[axis], behind[axis]);
        chain_.behind.push_back(behind);
        ++chain_.last;
    }

    [[nodiscard]] Index bytes() const { return bytes_; }
    [[nodiscard]] const Index3& deepest() const { return deepest_; }
    [[nodiscard]] TileChain with(const Index3& size) const {
        TileChain chain = chain_;
        chain.size = size;
        return chain;
    }

  private:
    void touch(int field) {
        if (touched_[field]) return;
        touched_[field] = true;
        bytes_ += step_.bytes_per_cell[field];
    }

    const RankStep& step_;
    std::vector<bool> touched_;
    Index bytes_ = 0;  // in a cell, of all fields of the chain
    Index3 deepest_{0, 0, 0};
    TileChain chain_;
};

// The size of the tiles of a chain in the largest box of the rank: bands of whole rows, or of whole layers; where fewer
// than some of them fit, blocks of rows. `outer` 0 in the result: none fits.
Index3 size_of_tiles(const GrowingChain& chain, const Box& box, Index cache) {
    const int outer = box.size(2) > 1 ? 2 : 1;
    const Index bytes = std::max<Index>(1, chain.bytes()), row = std::max<Index>(1, box.size(0));
    const Index plane = bytes * row * (outer == 2 ? std::max<Index>(1, box.size(1)) : 1);
    Index3 size{0, 0, 0};
    const Index bands = cache / plane - chain.deepest()[outer];
    if (bands >= least_rows) {
        size[outer] = bands;
        return size;
    }
    if (outer == 1) return size;
    const double rows = static_cast<double>(cache) / static_cast<double>(bytes * row);
    const auto y = static_cast<double>(chain.deepest()[1]), z = static_cast<double>(chain.deepest()[2]);
    // (b + y)(b + z) rows fill the cache
    const double b = -(y + z) / 2 + std::sqrt((y + z) * (y + z) / 4 - y * z + rows);
    if (b < 2 * static_cast<double>(least_rows)) return size;
    size[1] = size[2] = static_cast<Index>(b);
    return size;
}

const Box& largest(const RankStep& step) {
    return *std::ranges::max_element(step.owned, {}, [](const Box& box) { return box.volume(); });
}

}  // namespace

std::vector<TileChain> tile_chains(const RankStep& step, const Tiling& tiling, int rows) {
    std::vector<TileChain> chains;
    const std::size_t entries = step.node->entries.size();
    const Box box = step.owned.empty() ? Box{} : largest(step);
    const int outer = box.size(2) > 1 ? 2 : 1;
    for (std::size_t first = 0; first < entries;) {
        GrowingChain chain(step, first);
        TileChain taken;
        for (std::size_t e = first; e < entries; ++e) {
            chain.add();
            Index3 size = size_of_tiles(chain, box, tiling.cache);
            if (rows > 0) size = {0, 0, 0}, size[outer] = rows;
            const bool fits = std::ranges::any_of(size, [](Index n) { return n > 0; });
            if (!fits && e > first) break;
            taken = chain.with(size);
            const ScheduleEntry& entry = step.node->entries[e];
            if (entry.computes() && stage_of(step, e).reduces) break;
        }
        first = taken.last;
        chains.push_back(std::move(taken));
    }
    return chains;
}

}  // namespace lapwing
