#pragma once
// A message plan bound to memory: addresses instead of boxes, so that a transport only copies.

#include <memory>
#include <span>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/memory/copy_list.hpp"
#include "lapwing/memory/shared_memory.hpp"
#include "lapwing/memory/strided_block.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// A message as addresses, counts and strides, at one of its ends.
struct BoundMessage {
    int peer = 0;
    // Not merged, in the order of the message: both ends have equal counts. At least one, none without values.
    std::vector<StridedBlock> pieces;
    std::vector<bool> integer;  // for each piece: true if its values are integers
    Index bytes = 0;
    bool in_order = false;  // pieces may overlap where they arrive, and keep their order
};

// A piece that stays on its rank.
struct BoundCopy {
    StridedBlock from, to;  // equal counts
    bool integer = false;
};

// All that may travel at the same time.
struct BoundPhase {
    std::vector<BoundMessage> sends, receives;
    std::vector<BoundCopy> copies;
};

// A message plan with addresses in place of boxes.
struct BoundPlan {
    std::vector<BoundPhase> phases;
    Arrival arrival = Arrival::replace;
    bool in_order = false;                              // see MessagePlan
    std::vector<std::shared_ptr<void>> keep;            // the memory that the addresses point into
    std::vector<std::shared_ptr<SharedMemory>> shared;  // memory of fields that the node can read
    std::vector<std::span<std::byte>> memory;           // all that it may move lies in; disjoint, ascending
};

// Looks every piece of the plan up in the memory of its field: sources[f] and targets[f] hold the
// blocks of plan.fields[f]. Throws UserError when a block is missing or too small. Local.
BoundPlan bind(const MessagePlan& plan, std::span<const AnyField* const> sources,
               std::span<const AnyField* const> targets);

}  // namespace lapwing
