#include "predict/network.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "lapwing/base/error.hpp"

namespace lapwing::predict {

namespace {

int product(const std::vector<int>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 1, std::multiplies<>());
}

std::vector<LinkKind> network_links(int count) { return std::vector<LinkKind>(count, network_link); }

std::variant<Switches, Torus, FatTree> between(const NetworkShape& shape, int nodes) {
    const auto require = [&](const char* what, const std::vector<int>& numbers) {
        if (std::ranges::any_of(numbers, [](int n) { return n < 1; }) || product(numbers) < nodes)
            user_error(what, listed(numbers, " x "), concat("numbers above 0 with room for ", nodes, " nodes"),
                       "change the shape of the machine");
    };
    if (!shape.torus.empty()) {
        require("torus", shape.torus);
        return Torus(shape.torus);
    }
    if (shape.tree_down.empty()) return Switches(shape.groups, nodes);
    require("fat tree", shape.tree_down);
    if (shape.tree_up.size() != shape.tree_down.size())
        user_error("fat tree", concat(shape.tree_up.size(), " numbers up"), concat(shape.tree_down.size(), ", as down"),
                   "give one for each level");
    return FatTree(shape.tree_down, shape.tree_up);
}

// Of a number whose digits have these radices, the lowest first.
std::vector<int> digits(int number, const std::vector<int>& radices) {
    std::vector<int> found;
    for (const int radix : radices) {
        found.push_back(number % radix);
        number /= radix;
    }
    return found;
}

}  // namespace

// ---- switches: up and down of each node, then of each group

std::vector<LinkKind> Switches::links() const {
    std::vector<LinkKind> kinds = network_links(2 * nodes_);
    const int groups = groups_.empty() ? 0 : 1 + *std::ranges::max_element(groups_);
    kinds.insert(kinds.end(), 2 * groups, joint_link);
    return kinds;
}

Route Switches::route(int from, int to) const {
    Route route{network_link, 1, {2 * from, 2 * to + 1}};
    const int one = group_of(from), other = group_of(to);
    if (one == other) return route;
    route.kind = joint_link;
    route.links.insert(route.links.end(), {2 * (nodes_ + one), 2 * (nodes_ + other) + 1});
    return route;
}

// ---- torus: of each node along each axis, to the next one and from there

std::vector<LinkKind> Torus::links() const {
    return network_links(2 * product(axes_) * static_cast<int>(axes_.size()));
}

Route Torus::route(int from, int to) const {
    Route route{network_link, 0, {}};
    const int axes = static_cast<int>(axes_.size());
    int here = from, stride = 1;
    for (int axis = 0; axis < axes; ++axis) {
        const int nodes = axes_[axis];
        const int target = to / stride % nodes;
        const int ahead = (target - here / stride % nodes + nodes) % nodes;
        // of two that are as long the one upward, except from the middle to the first node: as SimGrid does
        const bool upward = 2 * ahead < nodes || (2 * ahead == nodes && target != 0);
        for (int hops = upward ? ahead : nodes - ahead; hops > 0; --hops) {
            const int at = here / stride % nodes;
            const int next = here + ((at + (upward ? 1 : nodes - 1)) % nodes - at) * stride;
            route.links.push_back(2 * ((upward ? here : next) * axes + axis) + (upward ? 0 : 1));
            here = next;
        }
        stride *= nodes;
    }
    route.latencies = static_cast<double>(route.links.size());
    return route;
}

// ---- fat tree: of each level, and of each node or switch below it, to those above it and from there

FatTree::FatTree(std::vector<int> down, std::vector<int> up) : down_(std::move(down)), up_(std::move(up)), first_{0} {
    for (int level = 0; level < std::ssize(down_); ++level)
        first_.push_back(first_.back() + 2 * below(level) * up_[level]);
}

// How many nodes or switches are there.
int FatTree::below(int level) const {
    int count = 1;
    for (int l = 0; l < std::ssize(down_); ++l) count *= l < level ? up_[l] : down_[l];
    return count;
}

std::vector<LinkKind> FatTree::links() const { return network_links(first_.back()); }

// Above the switch that is reached from a node by these ports, the one of which each level has taken.
int FatTree::link(int level, int node, const std::vector<int>& ports) const {
    const std::vector<int> own = digits(node, down_);
    int place = 0, stride = 1;
    for (int l = 0; l < std::ssize(down_); ++l) {
        place += stride * (l < level ? ports[l] : own[l]);
        stride *= l < level ? up_[l] : down_[l];
    }
    return first_[level] + 2 * (place * up_[level] + ports[level]);
}

Route FatTree::route(int from, int to) const {
    Route route{network_link, 0, {}};
    const std::vector<int> first = digits(from, down_), last = digits(to, down_), ports = digits(to, up_);
    int top = static_cast<int>(down_.size());
    while (top > 1 && first[top - 1] == last[top - 1]) --top;
    for (int level = 0; level < top; ++level) route.links.push_back(link(level, from, ports));
    for (int level = top - 1; level >= 0; --level) route.links.push_back(link(level, to, ports) + 1);
    route.latencies = top;  // half of one on each link
    return route;
}

// ---- all of them

Network::Network(const NetworkShape& shape, int nodes, bool nodes_share)
    : between_(between(shape, nodes)), nodes_(nodes), nodes_share_(nodes_share) {
    first_within_ = std::visit([](const auto& one) { return static_cast<int>(one.links().size()); }, between_);
}

std::vector<LinkKind> Network::links() const {
    std::vector<LinkKind> kinds = std::visit([](const auto& one) { return one.links(); }, between_);
    kinds.insert(kinds.end(), nodes_, node_link);
    return kinds;
}

Route Network::route(int from, int to) const {
    if (from != to) return std::visit([&](const auto& one) { return one.route(from, to); }, between_);
    Route within;
    if (nodes_share_) within.links.push_back(first_within_ + from);
    return within;
}

}  // namespace lapwing::predict
