#pragma once
// The links of a machine that messages share, and which of them one crosses from node to node.

#include <variant>
#include <vector>

#include "predict/forecast.hpp"

namespace lapwing::predict {

// The kind of link whose costs count: within a node, between nodes, or between groups of nodes.
enum LinkKind : int { node_link, network_link, joint_link };

// The effect of a link on a message that has it alone: s one way, and bytes/s.
struct LinkSpeed {
    double latency = 0;
    double bandwidth = 0;
};

// The way of a message from one node to another, or within one.
struct Route {
    LinkKind kind = node_link;
    LinkSpeed speed;         // of all of it
    std::vector<int> links;  // numbers of the shared ones, in order
};

// A link up and one down of each node, to a switch that never blocks; groups likewise to each other.
class Switches {
  public:
    // `of_groups`: of the nodes of each group; `joint`: between them.
    Switches(std::vector<int> groups, int nodes, std::vector<LinkSpeed> of_groups, LinkSpeed joint)
        : groups_(std::move(groups)), nodes_(nodes), of_groups_(std::move(of_groups)), joint_(joint) {}
    [[nodiscard]] std::vector<double> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    [[nodiscard]] int group_of(int node) const { return node < std::ssize(groups_) ? groups_[node] : 0; }

    std::vector<int> groups_;
    int nodes_;
    std::vector<LinkSpeed> of_groups_;
    LinkSpeed joint_;
};

// A link each way between neighbours. Messages travel along one axis after the other, the shorter way around.
class Torus {
  public:
    Torus(std::vector<int> axes, LinkSpeed link) : axes_(std::move(axes)), link_(link) {}
    [[nodiscard]] std::vector<double> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    std::vector<int> axes_;  // nodes along each
    LinkSpeed link_;
};

// Levels of switches, a link each way between one and those above it. Messages climb no further than they must, by
// switches that their destination chooses (d-mod-k).
class FatTree {
  public:
    // `link`: with the latency of two links, up and down.
    FatTree(std::vector<int> down, std::vector<int> up, LinkSpeed link);
    [[nodiscard]] std::vector<double> links() const;
    [[nodiscard]] Route route(int from, int to) const;

  private:
    [[nodiscard]] int below(int level) const;
    [[nodiscard]] int link(int level, int node, const std::vector<int>& ports) const;

    std::vector<int> down_, up_;  // of each level, from the nodes on
    std::vector<int> first_;      // link of each level
    LinkSpeed link_;
};

// All links of a machine: those between its nodes, and within each.
class Network {
  public:
    // `nodes`: those that ranks run on. Local. Throws UserError for a torus or tree with fewer.
    Network(const ForecastMachine& machine, int nodes);
    // Returns the bandwidth that the messages on each link share, bytes/s. Local.
    [[nodiscard]] std::vector<double> links() const;
    // The route from node to node. Local.
    [[nodiscard]] Route route(int from, int to) const;

  private:
    std::variant<Switches, Torus, FatTree> between_;
    int nodes_;
    LinkSpeed within_;
    bool nodes_share_;
    int first_within_;  // link
};

}  // namespace lapwing::predict
