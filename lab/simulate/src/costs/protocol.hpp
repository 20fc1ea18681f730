#pragma once
// The protocol of messages beyond the eager limit of an MPI, which SMPI always moves in the background: the sender
// asks, the receiver answers once the message is expected, then the data travel. Where ranks answer in calls of MPI
// only, a message waits for its ranks to make one. Calls of MPI come here by the linker's --wrap
// (lab/simulate/CMakeLists.txt).

#include <vector>

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// From here on, long messages between the ranks of MPI_COMM_WORLD shake hands first, and polls cost what the machine
// file says. `groups` has the group of each node. Collective, between MPI_Init and the first message.
void use_protocol(const MessageCosts& costs, const std::vector<int>& groups);
// Ends this. Collective, before MPI_Finalize.
void end_protocol();

}  // namespace lapwing_simulate
