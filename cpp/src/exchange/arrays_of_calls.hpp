#pragma once
// The arrays that an exchange was given: their place, and the changes since its last start.

#include <span>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/partition/partition.hpp"

namespace lapwing {

class ArraysOfCalls {
  public:
    // Nothing is given yet; `bound` is the memory that the messages were made for.
    ArraysOfCalls(const Partition& partition, int rank, std::span<const AnyField* const> bound);

    // Throws UserError for what the exchange cannot move. Local.
    void take(std::size_t number, const Block& memory);
    [[nodiscard]] const Block& block(std::size_t number) const { return blocks_[number]; }
    // Throws UserError unless all were given. Local.
    void require_all() const;

    // Returns how far each has moved since `settled`, in bytes. Local.
    [[nodiscard]] std::span<const Index> moved() const { return moved_; }
    [[nodiscard]] bool any_moved() const { return any_moved_; }
    // True if any has other strides or other cells. Local.
    [[nodiscard]] bool laid_out_otherwise() const { return laid_out_otherwise_; }
    // The messages are about this memory now.
    void settled();

    // As fields, to bind a plan to. Local.
    [[nodiscard]] std::vector<AnyField> as_fields() const;
    [[nodiscard]] int count() const { return static_cast<int>(blocks_.size()); }

  private:
    [[nodiscard]] const FieldSpec& spec_of(std::size_t number) const { return specs_[number / boxes_]; }

    const Partition& partition_;
    int rank_;
    std::vector<FieldSpec> specs_;
    std::size_t boxes_;          // boxes of this rank
    std::vector<Block> blocks_;  // specs outermost
    std::vector<char> given_;
    std::vector<Index> moved_;
    bool any_moved_ = false, laid_out_otherwise_ = false;
};

}  // namespace lapwing
