#pragma once
// Halo exchange as a message plan: every cell of every halo from its owner, once.

#include <span>

#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// The way in which corners travel: `direct` from the diagonal owner in one phase, or `ordered`: one phase per
// axis (x, y, z), in which halos received before travel on. Ordered phases send fewer messages
// and need an aligned partition. `cheapest`: as `best_corners` says.
enum class Corners { direct, ordered, cheapest };

// The way of corners that costs least on `partition`: ordered where it is cut along one axis at most, so that only one
// phase has messages and these are whole rows with their halos; else direct. Local.
Corners best_corners(const Partition& partition);

// The exchange of the halos of `fields`, one message per neighbour rank and phase; cells that
// come from the rank itself (periodic images, several boxes per rank) are copies. Cost: the work
// and memory of the rank's own neighbours. Throws UserError for a bad field, or ordered corners
// on a partition that is not aligned. Local, no MPI; equal arguments give matching plans.
MessagePlan halo_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                      Corners corners = Corners::direct);

}  // namespace lapwing
