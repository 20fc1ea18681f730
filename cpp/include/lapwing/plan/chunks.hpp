#pragma once
// The same data in messages of a limited size.

#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// Returns the plan with messages of more than `chunk_bytes` bytes split into several of at most that many; copies stay.
// Messages to one peer stand next to each other, in an order that both ends agree on, so a transport matches them by
// that order. Messages are never joined. A piece longer than a chunk is cut along the axis that is slowest in the
// message, an index list between its columns; the chunks are then filled one after the other. Throws UserError for a
// chunk that holds no value of 8 bytes. Local; equal sizes give matching plans. Cost: one walk over the pieces.
MessagePlan in_chunks(const MessagePlan& plan, Index chunk_bytes);

}  // namespace lapwing
