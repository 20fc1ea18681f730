#pragma once
// The same data in other messages: a message per field, or messages of a limited size.

#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// The most that a transport should put into one message: MPI counts bytes in an int.
inline constexpr Index largest_message = Index{1} << 30;

// The way in which the pieces for one peer are divided into messages.
struct Grouping {
    bool separate = false;  // a message per peer and field instead of one per peer
    Index chunk_bytes = 0;  // longer messages are split into several of at most this many bytes; 0: never

    friend bool operator==(const Grouping&, const Grouping&) = default;
};

// The plan with its messages split; copies stay. Messages to one peer stand next to each other, in an order that both
// ends agree on, so a transport matches them by that order. Messages are never joined. A piece longer than a chunk is
// cut along the axis that is slowest in the message, an index list between its columns; the chunks are then filled one
// after the other. Throws UserError for a chunk that holds no value of 8 bytes. Local; equal groupings give matching
// plans. Cost: one walk over the pieces.
MessagePlan regrouped(const MessagePlan& plan, const Grouping& grouping);

}  // namespace lapwing
