#pragma once
// All owned boxes of a field to one whole-grid array on one rank. Scatter is `reversed`.

#include <span>

#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// Every owned cell of `fields` to the array of the whole grid on rank `root`, one message per rank
// that owns something. Throws UserError for a rank or root outside the partition. Local, no MPI.
MessagePlan gather_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields, int root = 0);

}  // namespace lapwing
