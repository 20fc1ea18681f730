#pragma once
// What a domain keeps for the legs of its exchanges.

#include <optional>
#include <string>

#include "lapwing/mpi/pool.hpp"

namespace lapwing {

struct FieldWindow;
struct Graph;
struct PeerGroup;
struct PutWindow;

// All of it is the same on all ranks.
struct Leases {
    Pool<Graph> graphs;
    Pool<PeerGroup> groups;
    Pool<PutWindow> windows;
    Pool<FieldWindow> field_windows;
    // Why these do not work with this MPI, found by trials: empty: they do; nothing: not tried yet.
    std::optional<std::string> no_graphs, no_partitions;
};

}  // namespace lapwing
