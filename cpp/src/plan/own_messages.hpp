#pragma once
// Copies within a rank as a message of the rank to itself.

#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// Returns the plan with the copies of each phase as a message from the rank to itself, where memory is out of reach of
// plain copies. Local.
MessagePlan with_own_messages(MessagePlan plan);

}  // namespace lapwing
