#pragma once
// The network as the machine file has it, beyond latency and bandwidth of links that are alone.

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// Makes the ranks of a node share the bandwidth of messages within it, as memory is shared; SimGrid gives each message
// all of it. Before messages travel; any rank may call it.
void share_nodes();

// Lets messages cost what they do on each link: processor time of calls, a speed that depends on their size, a node's
// rate, noise. Once, by one rank, before messages travel.
void charge_messages(const MessageCosts& costs);

}  // namespace lapwing_simulate
