#pragma once
// The available transports, and the legs that they make of a plan.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/transport/leg.hpp"

namespace lapwing {

// A way to move bytes: one name, one class of legs.
struct Transport {
    std::string_view name;
    // Returns why this MPI or this machine lacks it; empty: it is available. The same on all ranks. Local.
    std::string (*unavailable)(const Domain& domain);
    // Local; the leg has still to be connected.
    std::unique_ptr<Leg> (*make)(LegRequest request);
    // Only between ranks of one node; p2p serves the others.
    bool on_node = false;
    // True if `auto` and lists of names offer it for halos; by its name it may be used for any plan.
    bool for_halos = true;
    // True if it packs all messages, so that their memory may change between starts.
    bool packs = true;
    // True if it moves arrays of a device, and no others.
    bool on_device = false;
};

// All transports. Local.
const std::vector<Transport>& transports();

// Names of the transports that are for halos; `make_legs` takes all.
std::vector<std::string> transport_names();

// Throws UserError unless exchanges of arrays that come and go may use it. Local.
void require_packing(std::string_view transport);

// The legs of each phase of a plan by the named transport, connected; `tag` tells exchanges in flight on one domain
// apart; `in_place`: true if `shared` may read fields where they lie instead of packing; `device`: the arrays that the
// plan is bound to, null where they are the host's. Collective. Throws UserError on all ranks for an unknown name, a
// transport that the MPI or the machine lacks, or one for arrays of another kind.
std::vector<PhaseLegs> make_legs(std::string_view transport, Domain& domain, int tag, const BoundPlan& plan,
                                 bool in_place = true, const std::shared_ptr<DeviceArrays>& device = nullptr);

}  // namespace lapwing
