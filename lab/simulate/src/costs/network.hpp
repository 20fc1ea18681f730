#pragma once
// The network as the machine file has it, beyond latency and bandwidth of links that are alone.

#include <string>
#include <vector>

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// Makes the ranks of a node share the bandwidth of messages within it, as memory is shared; SimGrid gives each message
// all of it. Before messages travel; any rank may call it.
void share_nodes();

// Lets messages cost what they do on each link: processor time of calls, a speed that depends on their size, a node's
// rate, noise. `groups`: of each node. Once, by one rank, before messages travel.
void charge_messages(const MessageCosts& costs, const std::vector<int>& groups);

// Spends the bursts of all nodes, so that what follows is as in a long run. By the rank that called charge_messages; of
// others nothing.
void spend_bursts();

// The link between two nodes by the names of their hosts: node, network or, between groups, joint. Local.
std::string link_between(const std::string& from, const std::string& to, const std::vector<int>& groups);

}  // namespace lapwing_simulate
