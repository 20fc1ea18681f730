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

LinkSpeed speed_of(const ForecastMachine& machine, const char* link) {
    const auto found = machine.links.find(link);
    return found == machine.links.end() ? LinkSpeed{} : LinkSpeed{found->second.latency, found->second.peak()};
}

// Each group's own links, or those of the network.
std::vector<LinkSpeed> speeds_of_groups(const ForecastMachine& machine) {
    const auto& groups = machine.shape.groups;
    std::vector<LinkSpeed> speeds(groups.empty() ? 1 : 1 + *std::ranges::max_element(groups),
                                  speed_of(machine, "network"));
    for (std::size_t g = 0; g < std::min(speeds.size(), machine.shape.group_links.size()); ++g)
        speeds[g] = {machine.shape.group_links[g][0], machine.shape.group_links[g][1]};
    return speeds;
}

std::variant<Switches, Torus, FatTree> between(const ForecastMachine& machine, int nodes) {
    const NetworkShape& shape = machine.shape;
    const auto require = [&](const char* what, const std::vector<int>& numbers) {
        if (std::ranges::any_of(numbers, [](int n) { return n < 1; }) || product(numbers) < nodes)
            user_error(what, listed(numbers, " x "), concat("numbers above 0 with room for ", nodes, " nodes"),
                       "change the shape of the machine");
    };
    const LinkSpeed link = speed_of(machine, "network");
    if (!shape.torus.empty()) {
        require("torus", shape.torus);
        return Torus(shape.torus, link);
    }
    if (shape.tree_down.empty())
        return Switches(shape.groups, nodes, speeds_of_groups(machine), speed_of(machine, "joint"));
    require("fat tree", shape.tree_down);
    if (shape.tree_up.size() != shape.tree_down.size())
        user_error("fat tree", concat(shape.tree_up.size(), " numbers up"), concat(shape.tree_down.size(), ", as down"),
                   "give one for each level");
    return FatTree(shape.tree_down, shape.tree_up, link);
}

// Returns the digits of a number with these radices, the lowest first.
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

std::vector<double> Switches::links() const {
    std::vector<double> shared;
    for (int node = 0; node < nodes_; ++node) shared.insert(shared.end(), 2, of_groups_[group_of(node)].bandwidth);
    if (!groups_.empty()) shared.insert(shared.end(), 2 * of_groups_.size(), joint_.bandwidth);
    return shared;
}

// Between groups it crosses half of a node's latency on each side, and all of what joins them.
Route Switches::route(int from, int to) const {
    const int one = group_of(from), other = group_of(to);
    const LinkSpeed& here = of_groups_[one];
    Route route{network_link, here, {2 * from, 2 * to + 1}};
    if (one == other) return route;
    const LinkSpeed& there = of_groups_[other];
    route.kind = joint_link;
    route.speed = {(here.latency + there.latency) / 2 + joint_.latency,
                   std::min({here.bandwidth, there.bandwidth, joint_.bandwidth})};
    route.links.insert(route.links.end(), {2 * (nodes_ + one), 2 * (nodes_ + other) + 1});
    return route;
}

// ---- torus: of each node along each axis, to the next one and from there

std::vector<double> Torus::links() const { return std::vector(2 * product(axes_) * axes_.size(), link_.bandwidth); }

Route Torus::route(int from, int to) const {
    Route route{network_link, link_, {}};
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
    route.speed.latency *= static_cast<double>(route.links.size());
    return route;
}

// ---- fat tree: of each level, and of each node or switch below it, to those above it and from there

FatTree::FatTree(std::vector<int> down, std::vector<int> up, LinkSpeed link)
    : down_(std::move(down)), up_(std::move(up)), first_{0}, link_(link) {
    for (int level = 0; level < std::ssize(down_); ++level)
        first_.push_back(first_.back() + 2 * below(level) * up_[level]);
}

// Returns the number of nodes or switches there.
int FatTree::below(int level) const {
    int count = 1;
    for (int l = 0; l < std::ssize(down_); ++l) count *= l < level ? up_[l] : down_[l];
    return count;
}

std::vector<double> FatTree::links() const { return std::vector<double>(first_.back(), link_.bandwidth); }

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
    Route route{network_link, link_, {}};
    const std::vector<int> first = digits(from, down_), last = digits(to, down_), ports = digits(to, up_);
    int top = static_cast<int>(down_.size());
    while (top > 1 && first[top - 1] == last[top - 1]) --top;
    for (int level = 0; level < top; ++level) route.links.push_back(link(level, from, ports));
    for (int level = top - 1; level >= 0; --level) route.links.push_back(link(level, to, ports) + 1);
    route.speed.latency *= top;  // half of one on each link
    return route;
}

// ---- all of them

Network::Network(const ForecastMachine& machine, int nodes)
    : between_(between(machine, nodes)),
      nodes_(nodes),
      within_(speed_of(machine, "node")),
      nodes_share_(machine.nodes_share) {
    first_within_ = std::visit([](const auto& one) { return static_cast<int>(one.links().size()); }, between_);
}

std::vector<double> Network::links() const {
    std::vector<double> shared = std::visit([](const auto& one) { return one.links(); }, between_);
    shared.insert(shared.end(), nodes_, within_.bandwidth);
    return shared;
}

Route Network::route(int from, int to) const {
    if (from != to) return std::visit([&](const auto& one) { return one.route(from, to); }, between_);
    Route within{node_link, within_, {}};
    if (nodes_share_) within.links.push_back(first_within_ + from);
    return within;
}

}  // namespace lapwing::predict
