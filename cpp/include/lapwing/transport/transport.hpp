#pragma once
// The transports that there are, and the channels they make.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/transport/channel.hpp"

namespace lapwing {

// A way to move bytes: one name, one class of legs.
struct Transport {
    std::string_view name;
    // Why this MPI or this machine has it not; empty: it has. The same on all ranks. Local.
    std::string (*unavailable)(const Domain& domain);
    // Local; the leg has still to be connected.
    std::unique_ptr<Leg> (*make)(LegRequest request);
    // Only between ranks of one node; p2p serves the others.
    bool on_node = false;
    // Whether exchanges of halos are offered it; those who know its name may use it for any plan.
    bool for_halos = true;
};

const std::vector<Transport>& transports();

// Names of the transports that are for halos; `make_channel` takes all.
std::vector<std::string> transport_names();

// A channel of the named transport; `tag` tells exchanges in flight on one domain apart; `in_place`: whether `shared`
// may read fields where they lie instead of packing. Collective. Throws UserError on all ranks for an unknown name, or
// a transport that the MPI or the machine lacks.
std::unique_ptr<Channel> make_channel(std::string_view transport, Domain& domain, int tag, const BoundPlan& plan,
                                      bool in_place = true);

}  // namespace lapwing
