#pragma once
// Threads of a rank in tests, which may be more than the machine has cores.

#include <memory>

#include "base/thread_team.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing::testing {

// Gives a domain threads, whatever cores there are: its steps that ask for as many share them. Null: one thread.
inline std::shared_ptr<ThreadTeam> crowd(Domain& domain, int threads) {
    if (threads <= 1) return nullptr;
    const auto team = std::make_shared<ThreadTeam>(threads, 0);
    domain.team = team;
    return team;
}

}  // namespace lapwing::testing
