#pragma once
// Many pieces packed, unpacked or copied in one walk: what a transport does with a message.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/memory/strided_block.hpp"

namespace lapwing {

// Returns the number of pieces of a block that are contiguous in memory: the cost of copying it besides its bytes.
// Local.
Index rows_in_memory(const StridedBlock& block);

// The pieces of one message and where each lies in its buffer: one after the other, in their order. The walk takes
// all pieces plane by plane, so that pieces which share cache lines find them again; the buffer does not show that.
class PackList {
  public:
    // Merges loops and prepares the walk; `integer[p]`: true if piece p adds as integers. Local.
    explicit PackList(std::span<const StridedBlock> pieces, const std::vector<bool>& integer = {});
    PackList(PackList&&) = default;
    PackList& operator=(PackList&&) = default;

    void pack(std::byte* buffer) const;
    // The same into lines that another core has in its cache: faster where `in_long_runs`.
    void pack_outward(std::byte* buffer) const;
    [[nodiscard]] bool in_long_runs() const;
    void unpack(const std::byte* buffer) const;
    // Adds instead of replacing, piece after piece: pieces may overlap.
    void unpack_add(const std::byte* buffer) const;
    // Says that the blocks which hold the pieces have moved by these numbers of bytes, one for each. Local.
    void move(std::span<const Index> by);
    [[nodiscard]] Index bytes() const { return bytes_; }

  private:
    struct Prepared;
    std::shared_ptr<Prepared> prepared_;  // belongs to this list alone
    Index bytes_ = 0;
    Index rows_ = 0;  // see rows_in_memory
};

// Copies from memory to memory, also in one walk. No target may overlap a source or another target.
class CopyList {
  public:
    // `from[p]` and `to[p]` have equal counts. Local.
    CopyList(std::span<const StridedBlock> from, std::span<const StridedBlock> to);
    CopyList(CopyList&&) = default;
    CopyList& operator=(CopyList&&) = default;

    void run() const;
    // Does what PackList::move does.
    void move(std::span<const Index> by);
    [[nodiscard]] Index bytes() const { return bytes_; }

  private:
    struct Prepared;
    std::shared_ptr<Prepared> prepared_;  // belongs to this list alone
    Index bytes_ = 0;
    Index rows_ = 0;  // rows in the memory of fields
};

}  // namespace lapwing
