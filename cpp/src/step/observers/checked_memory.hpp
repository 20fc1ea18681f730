#pragma once
// The memory of fields while kernels are checked: cell by cell, put aside, filled with wrong values, compared.

#include <cstdint>
#include <optional>
#include <vector>

#include "lapwing/memory/any_field.hpp"

namespace lapwing {

// Cells of a field, of each of its blocks, in the order of memory along x, then y, then z.
using Cells = std::vector<std::vector<Index3>>;

template <class Use>
void for_each_cell(const Box& box, const Use& use) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(Index3{i, j, k});
        }
    }
}

// Wrong values: few kernels give the same result for one that is not a number and one that is. A reduction may pass
// over both, but takes what is beyond all others.
enum class Wrong { not_a_number, number, largest, least };

// Puts a wrong value into cells of a field. Local.
void poison(const AnyField& field, const Cells& cells, Wrong wrong);
// True if a value is the wrong one. Local.
bool is_poison(const std::byte* value, ElementType type, Wrong wrong);

// A checksum of the owned values. Local.
std::uint64_t checksum(const AnyField& field);

// A cell of a block.
struct CellOfBlock {
    std::size_t block = 0;
    Index3 cell{};
    int component = 0;
};

// Calls `use(cell, value)` for all values in memory of a field. Local.
template <class Use>
void for_each_value(const AnyField& field, const Use& use) {
    for (std::size_t b = 0; b < field.blocks().size(); ++b) {
        const Block& block = field.blocks()[b];
        for (int c = 0; c < field.spec().components; ++c) {
            for_each_cell(block.allocated,
                          [&](const Index3& cell) { use(CellOfBlock{b, cell, c}, block.at(cell, c)); });
        }
    }
}

// Changes one bit of a value: the sign of a zero, else the last of its digits, so that what a kernel computes from it
// hardly changes. Local.
void nudge(std::byte* value, ElementType type);

// All values of a field's memory, to be put back.
class Saved {
  public:
    explicit Saved(const AnyField& field);
    void restore() const;
    // The first cell that has another value now, of those for which `counts(block, cell, component)`. Local.
    template <class Counts>
    [[nodiscard]] std::optional<CellOfBlock> first_change(const Counts& counts) const {
        const std::size_t size = size_of(field_->spec().type);
        std::size_t at = 0;
        std::optional<CellOfBlock> found;
        for_each_value(*field_, [&](const CellOfBlock& where, std::byte* value) {
            const std::byte* old = bytes_.data() + at;
            at += size;
            if (!found && !std::equal(old, old + size, value) && counts(where)) found = where;
        });
        return found;
    }

  private:
    const AnyField* field_;
    std::vector<std::byte> bytes_;
};

}  // namespace lapwing
