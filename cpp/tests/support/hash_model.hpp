#pragma once
// Models made at random whose cells hold hashes of all that they were computed from: a single wrong read shows.

#include "lapwing/memory/any_field.hpp"
#include "lapwing/partition/partition.hpp"
#include "lapwing/schedule/schedule.hpp"

#include <map>
#include <vector>

#include "random_numbers.hpp"

namespace lapwing::testing {

inline Index mixed(Index a, Index b) {
    auto x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(b);
    x ^= x >> 29U;
    x *= 0xBF58476D1CE4E5B9U;
    return static_cast<Index>(x ^ (x >> 32U));
}

// Cells that a stencil reads, relative to the one it computes.
inline std::vector<Index3> offsets_of(const Extent& extent) {
    std::vector<Index3> all;
    for (Index k = -extent.lo[2]; k <= extent.hi[2]; ++k) {
        for (Index j = -extent.lo[1]; j <= extent.hi[1]; ++j) {
            for (Index i = -extent.lo[0]; i <= extent.hi[0]; ++i) {
                const int axes = (i != 0) + (j != 0) + (k != 0);
                if (extent.corners || axes <= 1) all.push_back({i, j, k});
            }
        }
    }
    return all;
}

inline FieldSpec hash_field(int number) {
    FieldSpec spec;
    spec.name = "f" + std::to_string(number);
    spec.type = ElementType::int64;
    return spec;
}

inline Index first_hash(int field, const Index3& cell) {
    return mixed(mixed(field + 1, cell[0]), mixed(cell[1], cell[2]));
}

// Computes the cells of `box` as a stage does: at(field, cell) is where a value lies.
template <class At>
void hash_cells(const StageSpec& stage, const Box& box, const At& at) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
                Index value = 1;
                for (const Read& read : stage.reads) {
                    for (const Index3& o : offsets_of(read.extent)) {
                        value = mixed(value, at(read.field, Index3{i + o[0], j + o[1], k + o[2]}));
                    }
                }
                for (int field : stage.writes) at(field, Index3{i, j, k}) = mixed(value, field);
            }
        }
    }
}

// The whole grid in one piece; cells beyond it have the values of the other side, or 0.
class PlainHashes {
  public:
    PlainHashes(const Grid& grid, int fields) : grid_(grid) {
        const Box box = grid.box();
        for (int f = 0; f < fields; ++f) {
            for (Index k = 0; k < box.hi[2]; ++k)
                for (Index j = 0; j < box.hi[1]; ++j)
                    for (Index i = 0; i < box.hi[0]; ++i) at(f, {i, j, k}) = first_hash(f, {i, j, k});
        }
    }
    Index& at(int field, Index3 cell) {
        for (std::size_t a = 0; a < 3; ++a) {
            if (grid_.periodic[a]) cell[a] = (cell[a] % grid_.size[a] + grid_.size[a]) % grid_.size[a];
            if (cell[a] < 0 || cell[a] >= grid_.size[a]) return beyond_ = 0;
        }
        return values_[{field, cell}];
    }
    void compute(const StageSpec& stage) {
        const Box box = stage.region ? intersect(grid_.box(), *stage.region) : grid_.box();
        hash_cells(stage, box, [this](int field, const Index3& cell) -> Index& { return at(field, cell); });
    }

  private:
    Grid grid_;
    std::map<std::pair<int, Index3>, Index> values_;
    Index beyond_ = 0;
};

// Stages on some fields; none reads around a cell what it writes.
inline Cycle random_hash_cycle(Random& random, const Grid& grid, int fields, int widest) {
    Cycle cycle(random.between(1, 2));
    int number = 0;
    const auto extent = [&] {
        Extent wide = random.extent(widest);
        if (grid.size[2] == 1) wide.lo[2] = wide.hi[2] = 0;
        return wide;
    };
    for (auto& stages : cycle) {
        stages.resize(random.between(1, 4));
        for (StageSpec& stage : stages) {
            stage.name = "s" + std::to_string(number++);
            const int written = random.between(0, fields - 1);
            stage.writes = {written};
            if (random.coin()) stage.reads.push_back({written, {}});
            for (int field = 0; field < fields; ++field) {
                if (field != written && random.between(0, 2) > 0) stage.reads.push_back({field, extent()});
            }
            if (random.between(0, 5) == 0) {
                stage.region = Box{{2, 1, 0}, {grid.size[0] - 3, random.between(2, 6), grid.size[2]}};
            }
            if (random.between(0, 6) == 0 && widest == 1) stage.rim = Extent::horizontal(1);
            if (random.between(0, 6) == 0) stage.sends = {{written, Extent::horizontal(widest)}};
        }
    }
    return cycle;
}

// Blocks, several of them per rank, or cuts that do not meet.
inline Partition random_partition(Random& random, const Grid& grid, int ranks) {
    const int kind = random.between(0, 3);
    if (kind == 1 && ranks > 1) {
        const Index at = grid.size[0] / 2;
        std::vector<Subdomain> parts;
        const int left = ranks / 2;
        for (int r = 0; r < ranks; ++r) {
            const bool lower = r < left;
            const auto [lo, hi] = block_range(grid.size[1], lower ? left : ranks - left, lower ? r : r - left);
            parts.push_back({r, {{lower ? 0 : at, lo, 0}, {lower ? at : grid.size[0], hi, grid.size[2]}}});
        }
        return {grid, ranks, parts};
    }
    if (kind == 2) {
        const Partition twice = block_partition(grid, best_blocks(grid, 2 * ranks));
        std::vector<Subdomain> dealt;
        for (const Subdomain& s : twice.subdomains()) dealt.push_back({s.rank % ranks, s.box});
        return {grid, ranks, dealt};
    }
    return block_partition(grid, best_blocks(grid, ranks));
}

// The fields of one rank, as wide as needed, and access to a block by field and cell.
struct HashFields {
    std::vector<AnyField> fields;

    HashFields(const Partition& partition, int rank, const std::vector<Extent>& widths) {
        for (std::size_t f = 0; f < widths.size(); ++f) {
            const int number = static_cast<int>(f);
            fields.emplace_back(partition, rank, hash_field(number), widths[f]);
            for (const Block& block : fields.back().blocks()) {
                for (Index k = block.owned.lo[2]; k < block.owned.hi[2]; ++k)
                    for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
                        for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
                            value(block, {i, j, k}) = first_hash(number, {i, j, k});
            }
        }
    }
    static Index& value(const Block& block, const Index3& cell) { return *reinterpret_cast<Index*>(block.at(cell)); }
    Index& value(int field, int block, const Index3& cell) { return value(fields[field].blocks()[block], cell); }
    void compute(const StageSpec& stage, int block, const Box& box) {
        hash_cells(stage, box, [&](int field, const Index3& cell) -> Index& { return value(field, block, cell); });
    }
    // Owned cells that differ from the whole grid.
    int different(PlainHashes& plain) {
        int count = 0;
        for (std::size_t f = 0; f < fields.size(); ++f) {
            for (const Block& block : fields[f].blocks()) {
                for (Index k = block.owned.lo[2]; k < block.owned.hi[2]; ++k)
                    for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
                        for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
                            count += value(block, {i, j, k}) != plain.at(static_cast<int>(f), {i, j, k});
            }
        }
        return count;
    }
};

}  // namespace lapwing::testing
