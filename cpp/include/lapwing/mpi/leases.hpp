#pragma once
// The objects that a domain keeps for the transports of its exchanges: a pool of each type that transports request, and
// communicators and windows of MPI.

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

#include "lapwing/mpi/pool.hpp"

namespace lapwing {

// Leases are the same on all ranks.
class Leases {
  public:
    // The pool of things of this type, empty at first. Local.
    template <class Thing>
    Pool<Thing>& of() {
        std::shared_ptr<void>& pool = pools_[typeid(Thing)];
        if (pool == nullptr) pool = std::make_shared<Pool<Thing>>();
        return *static_cast<Pool<Thing>*>(pool.get());
    }
    // Returns why things of this type do not work with this MPI; empty: no trial has failed. Local.
    template <class Thing>
    [[nodiscard]] std::string trouble() const {
        const auto pool = pools_.find(typeid(Thing));
        return pool == pools_.end() ? "" : static_cast<const Pool<Thing>*>(pool->second.get())->trouble;
    }

    // Communicators and windows that end with the domain: what a transport made for it. Windows are locked for all
    // ranks (MPI_Win_lock_all). Local.
    void keep(MPI_Comm comm) { comms_.push_back(comm); }
    // The handle is null once the domain is closed: legs that live longer need not detach from it any more.
    std::shared_ptr<const MPI_Win> keep_window(MPI_Win window) {
        return windows_.emplace_back(std::make_shared<MPI_Win>(window));
    }
    // Frees these. Collective.
    void close();
    // True if there are none. Local.
    [[nodiscard]] bool empty() const { return comms_.empty() && windows_.empty(); }
    // Gives back memory that belongs to no window. Local.
    void drop_pools() { pools_.clear(); }

  private:
    std::vector<MPI_Comm> comms_;
    std::vector<std::shared_ptr<MPI_Win>> windows_;
    std::map<std::type_index, std::shared_ptr<void>> pools_;
};

}  // namespace lapwing
