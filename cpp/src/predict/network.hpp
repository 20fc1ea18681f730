#pragma once
// The links of a machine that messages share, and which of them one crosses from node to node.

#include <variant>
#include <vector>

#include "lapwing/predict/forecast.hpp"

namespace lapwing::predict {

// Whose costs count: of links within a node, between nodes, and between groups of nodes.
enum LinkKind : int { node_link, network_link, joint_link };

// From one node to another, or within it.
struct Route {
    LinkKind kind = node_link;
    double latencies = 1;    // times that of such a link
    std::vector<int> links;  // numbers of the shared ones, in order
};

// A link up and one down of each node, to a switch that never blocks; groups likewise to each other.
class Switches {
  public:
    Switches(std::vector<int> groups, int nodes) : groups_(std::move(groups)), nodes_(nodes) {}
    [[nodiscard]] std::vector<LinkKind> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    [[nodiscard]] int group_of(int node) const { return node < std::ssize(groups_) ? groups_[node] : 0; }

    std::vector<int> groups_;
    int nodes_;
};

// A link each way between neighbours. Messages travel along one axis after the other, the shorter way around.
class Torus {
  public:
    explicit Torus(std::vector<int> axes) : axes_(std::move(axes)) {}
    [[nodiscard]] std::vector<LinkKind> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    std::vector<int> axes_;  // nodes along each
};

// Levels of switches, a link each way between one and those above it. Messages climb no further than they must, by
// switches that their destination chooses (d-mod-k).
class FatTree {
  public:
    FatTree(std::vector<int> down, std::vector<int> up);
    [[nodiscard]] std::vector<LinkKind> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    [[nodiscard]] int below(int level) const;
    [[nodiscard]] int link(int level, int node, const std::vector<int>& ports) const;

    std::vector<int> down_, up_;  // of each level, from the nodes on
    std::vector<int> first_;      // link of each level
};

// All links of a machine: those between its nodes, and within each.
class Network {
  public:
    // `nodes`: those that ranks run on; `nodes_share`: see ForecastMachine. Local. Throws UserError for a torus or tree
    // with fewer.
    Network(const NetworkShape& shape, int nodes, bool nodes_share);
    // The kind of each link. Local.
    [[nodiscard]] std::vector<LinkKind> links() const;
    // From node to node. Local.
    [[nodiscard]] Route route(int from, int to) const;

  private:
    std::variant<Switches, Torus, FatTree> between_;
    int nodes_;
    bool nodes_share_;
    int first_within_;  // link
};

}  // namespace lapwing::predict
