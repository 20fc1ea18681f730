#pragma once
// Copies between boxes of one rank, in the place of messages.

#include <cstddef>
#include <span>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/memory/copy_list.hpp"

namespace lapwing {

// The values that stay on the rank: copied while messages travel.
class OwnCopies {
  public:
    // `in_order`: targets may overlap, so the copies keep their order. Local.
    OwnCopies(std::span<const BoundCopy> copies, Arrival arrival, bool in_order);

    void run();
    // Says that the blocks of memory have moved by these numbers of bytes. Local.
    void move(std::span<const Index> by);
    // Returns the bytes of scratch memory, enough for the largest copy that adds.
    [[nodiscard]] Index buffer_bytes() const { return scratch_.size(); }

  private:
    std::vector<CopyList> walks_;              // one over all, or one per copy where they keep their order
    std::vector<PackList> adding_, added_to_;  // copies that add use the scratch memory
    std::vector<std::byte> scratch_;
};

}  // namespace lapwing
