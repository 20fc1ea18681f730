#pragma once
// The links within nodes, as the simulator has them.

namespace lapwing_simulate {

// Makes the ranks of a node share the bandwidth of messages within it, as memory is shared; SimGrid gives each message
// all of it. Before messages travel; any rank may call it.
void share_nodes();

}  // namespace lapwing_simulate
