#pragma once
// Messages before copies: cells that no message waits for are copied while messages travel.

#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// The plan with the copies of phases that have no messages on this rank put off to the phase after, except for the
// cells that one reads: ordered corners of a grid that is cut along one axis copy whole sides before any message
// leaves, of which messages carry only the ends. For plans that replace, in any order. Local, changes nothing that
// other ranks see. Cost: one walk over the copies and messages.
MessagePlan messages_first(MessagePlan plan);

}  // namespace lapwing
