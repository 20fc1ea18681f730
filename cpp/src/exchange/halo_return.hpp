#pragma once
// The way of what a kernel wrote into halos back to the owners, for kernels that write around the cell they compute.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lapwing/exchange/exchange.hpp"

namespace lapwing {

// Returns the plan that brings back values which were written one offset away: component c of each owned cell went to
// the cell at hi - lo of the extent of that component, which lies in the halo for cells at the edge. Only those cells
// travel, so that every owner gets each value from the one rank that wrote it. Throws UserError if a component has
// an extent on both sides of an axis, which is no offset. Local, no MPI; equal arguments give matching plans.
MessagePlan return_plan(const Partition& partition, int rank, const FieldSpec& spec);

// The work at the end of a stage that wrote so (see Collective): one message per neighbour rank.
class HaloReturn {
  public:
    // Reserves `kept_bytes` bytes for the values that `run` keeps. `transport`: a name; `auto` is p2p here, nothing is
    // measured. Collective over the domain; throws what `return_plan` and `Exchange` throw, on all ranks. The field
    // must outlive it.
    HaloReturn(Domain& domain, const AnyField& field, const std::string& transport, std::size_t kept_bytes = 0);

    // Brings the values to their owners. Every neighbour must call it; returns when all have arrived here.
    void run() { exchange_.run(); }
    // The same, but restores the values of `size` bytes at the places `kept` afterwards: no kernel wrote for these, as
    // the values that would come back there were written elsewhere. Allocates only if they exceed the reserved room.
    void run(std::span<std::byte* const> kept, std::size_t size);
    [[nodiscard]] const MessagePlan& plan() const { return exchange_.plan(); }

  private:
    Exchange exchange_;
    std::vector<std::byte> kept_;
};

}  // namespace lapwing
