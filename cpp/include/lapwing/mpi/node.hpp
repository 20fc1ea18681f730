#pragma once
// The node that a rank runs on: its other ranks, its cores, and if its ranks can read each other's memory.

#include <mpi.h>

#include <string>
#include <vector>

namespace lapwing {

// The node of a rank: the ranks that share its memory, and the number of cores.
class Node {
  public:
    Node() = default;
    // `ranks_per_node`: pretends that nodes hold that many ranks; 0: the real nodes. Collective.
    Node(MPI_Comm comm, int ranks_per_node);
    // Makes the node of one of many ranks that do not run: nodes are filled one after the other. Local.
    Node(int rank, int ranks, int ranks_per_node);

    // True if the rank really runs on this node, false if a process only stands for the rank. Local.
    [[nodiscard]] bool is_there() const { return there_; }
    // True if the rank runs on this node. Local.
    [[nodiscard]] bool holds(int rank) const { return lowest_[rank] == lowest_[rank_]; }
    // Returns the number of ranks on it, and of the cores that they may use together. Local.
    [[nodiscard]] int ranks() const;
    [[nodiscard]] int cores() const { return cores_; }
    // True if any node has more ranks than cores: a wait then yields to other processes at once. Local.
    [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
    // Returns the number of polls of a wait before it lets other processes run. Local.
    [[nodiscard]] int polls() const;
    // Returns why the ranks of a node cannot read each other's memory, on any node; empty: they can. Local.
    [[nodiscard]] const std::string& no_shared_memory() const { return no_shared_memory_; }

  private:
    void try_shared_memory(MPI_Comm comm);

    int rank_ = 0;
    std::vector<int> lowest_;  // for each rank: the lowest rank on its node
    int cores_ = 1;
    bool there_ = true;
    bool oversubscribed_ = false;
    std::string no_shared_memory_;
};

}  // namespace lapwing
