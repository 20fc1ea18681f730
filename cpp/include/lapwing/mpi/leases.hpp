#pragma once
// What a domain keeps for the transports of its exchanges: a pool of each type that they ask for. The types are theirs.

#include <map>
#include <memory>
#include <string>
#include <typeindex>

#include "lapwing/mpi/pool.hpp"

namespace lapwing {

// All of it is the same on all ranks.
class Leases {
  public:
    // The pool of things of this type, empty at first. Local.
    template <class Thing>
    Pool<Thing>& of() {
        std::shared_ptr<void>& pool = pools_[typeid(Thing)];
        if (pool == nullptr) pool = std::make_shared<Pool<Thing>>();
        return *static_cast<Pool<Thing>*>(pool.get());
    }
    // Why things of this type do not work with this MPI; empty: no trial has failed. Local.
    template <class Thing>
    [[nodiscard]] std::string trouble() const {
        const auto pool = pools_.find(typeid(Thing));
        return pool == pools_.end() ? "" : static_cast<const Pool<Thing>*>(pool->second.get())->trouble;
    }

  private:
    std::map<std::type_index, std::shared_ptr<void>> pools_;
};

}  // namespace lapwing
