#include "schedule/zones/tile_chains.hpp"

#include <algorithm>
#include <array>

namespace lapwing {

namespace {

// Fewer rows than these are all beginning and end.
constexpr Index least_rows = 4;
// Rows shorter than these are, too.
constexpr Index least_columns = 256;

const StageSpec& stage_of(const RankStep& step, std::size_t entry) { return step.stage(step.node->entries[entry]); }

// A side to which extents reach.
using Side = std::array<int, 3> Extent::*;

// The distance that cells of `later` must stay behind cells of `first` along an axis, if both are computed towards
// the side `ahead`; -1 if nothing requires it.
Index lag(const StageSpec& later, const StageSpec& first, std::size_t axis, Side ahead) {
    const Side back = ahead == &Extent::hi ? &Extent::lo : &Extent::hi;
    Index least = -1;
    for (const Read& read : later.reads)
        if (writes(first, read.field)) least = std::max<Index>(least, (read.extent.*ahead)[axis]);
    for (const Read& read : first.reads)
        if (writes(later, read.field)) least = std::max<Index>(least, (read.extent.*back)[axis]);
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
        Index3 behind{0, 0, 0}, inside{0, 0, 0};
        if (step_.node->entries[chain_.last].computes()) {
            const StageSpec& stage = stage_of(step_, chain_.last);
            behind = after_earlier(stage, chain_.behind, &Extent::hi);
            inside = after_earlier(stage, chain_.inside, &Extent::lo);
            for (const Read& read : stage.reads) touch(read.field);
            for (const int field : stage.writes) touch(field);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) deepest_[axis] = std::max(deepest_[axis], behind[axis]);
        chain_.behind.push_back(behind);
        chain_.inside.push_back(inside);
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
    // The distance of a stage behind the first one of the chain; `earlier` has the distances of the stages before it.
    [[nodiscard]] Index3 after_earlier(const StageSpec& stage, const std::vector<Index3>& earlier, Side ahead) const {
        Index3 after{0, 0, 0};
        for (std::size_t e = chain_.first; e < chain_.last; ++e) {
            if (!step_.node->entries[e].computes()) continue;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const Index least = lag(stage, stage_of(step_, e), axis, ahead);
                if (least >= 0) after[axis] = std::max(after[axis], earlier[e - chain_.first][axis] + least);
            }
        }
        return after;
    }
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

// The size of the tiles of a chain in the largest box of the rank: bands of whole rows, or of whole layers; where too
// few of these fit, bands of short rows, or of layers of few rows, one after the other. All 0: none fits.
Index3 size_of_tiles(const GrowingChain& chain, const Box& box, const Tiling& tiling) {
    const int outer = box.size(2) > 1 ? 2 : 1, inner = outer - 1;
    const Index least = outer == 2 ? 1 : least_rows, least_inner = outer == 2 ? 2 * least_rows : least_columns;
    Index line = std::max<Index>(1, chain.bytes());
    for (int axis = 0; axis < inner; ++axis) line *= std::max<Index>(1, box.size(axis));
    const Index layer = line * std::max<Index>(1, box.size(inner)), deepest = chain.deepest()[outer];
    Index3 size{0, 0, 0};
    const Index layers = tiling.cache / layer - deepest;
    if (layers >= least) {
        size[outer] = layers;
        return size;
    }
    const Index lines = tiling.near / (line * (least + deepest)) - chain.deepest()[inner];
    if (lines < least_inner) return size;
    size[inner] = lines;
    size[outer] = least;
    return size;
}

Box largest(const RankStep& step) {
    if (step.owned.empty()) return {};
    return *std::ranges::max_element(step.owned, {}, [](const Box& box) { return box.volume(); });
}

// Shares the tiles of a chain: as many for each thread, one after the other. A chain that is not cut gets a tile for
// each thread.
void share_tiles(TileChain& chain, const Box& box, int threads) {
    if (threads == 1) return;
    chain.parts = equal_parts(box, threads);
    for (int axis = 2; axis >= 0; --axis)  // tiles come in the order of the first of these
        if (chain.size[axis] > 0) chain.parts.axis = axis;
    Index& size = chain.size[chain.parts.axis];
    const Index cells = std::max<Index>(1, box.size(chain.parts.axis));
    const Index tiles = size == 0 ? 1 : (cells + size * threads - 1) / (size * threads);  // tiles of a thread
    size = (cells + tiles * threads - 1) / (tiles * threads);
    chain.parts.size = tiles * size;
}

// The longest chain from entry `first` on; a stage that fits no cache is a chain of its own, uncut.
TileChain chain_from(const RankStep& step, std::size_t first, const Box& box, const Tiling& tiling, int rows) {
    GrowingChain chain(step, first);
    TileChain taken;
    for (std::size_t e = first; e < step.node->entries.size(); ++e) {
        chain.add();
        Index3 size = size_of_tiles(chain, box, tiling);
        if (rows > 0) size = {0, box.size(2) > 1 ? 0 : rows, box.size(2) > 1 ? rows : 0};
        const bool fits = std::ranges::any_of(size, [](Index n) { return n > 0; });
        if (!fits && e > first) break;
        taken = chain.with(size);
        const ScheduleEntry& entry = step.node->entries[e];
        if (entry.computes() && step.stage(entry).reduces) break;
    }
    share_tiles(taken, box, tiling.threads);
    return taken;
}

}  // namespace

std::vector<TileChain> tile_chains(const RankStep& step, const Tiling& tiling, int rows) {
    std::vector<TileChain> chains;
    const Box box = largest(step);
    while (chains.empty() || chains.back().last < step.node->entries.size())
        chains.push_back(chain_from(step, chains.empty() ? 0 : chains.back().last, box, tiling, rows));
    return chains;
}

}  // namespace lapwing
