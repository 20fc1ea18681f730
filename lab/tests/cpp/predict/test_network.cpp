// Routes from node to node, against those that SimGrid's rules give by hand.
#include "predict/network.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::predict;

namespace {

using Links = std::vector<int>;

const Links axes{4, 4, 2};

// With links of 1 s and 8 bytes/s.
ForecastMachine machine(const NetworkShape& shape) {
    return {.links = {{"network", {.latency = 1, .bandwidth = 8}}, {"node", {.bandwidth = 16}}}, .shape = shape};
}

Network torus() { return {machine({.torus = axes}), 32}; }

// Four switches of four nodes each, below two.
Network tree() { return {machine({.tree_down = {4, 4}, .tree_up = {1, 2}}), 16}; }

std::vector<int> place(int node) { return {node % 4, node / 4 % 4, node / 16}; }

// The node behind a link of the torus that leads from this one, along any axis.
int beyond(int node, int link) {
    const int owner = link / 2 / 3, axis = link / 2 % 3;
    std::vector<int> next = place(owner);
    next[axis] = (next[axis] + 1) % axes[axis];
    const int neighbour = next[0] + 4 * (next[1] + 4 * next[2]);
    REQUIRE(node == (link % 2 == 0 ? owner : neighbour));
    return link % 2 == 0 ? neighbour : owner;
}

}  // namespace

TEST_CASE("a torus has a link each way between neighbours, and goes the shorter way around") {
    const Network network = torus();
    const auto links = [&](int from, int to) { return network.route(from, to).links; };
    CHECK(network.links().size() == 2 * 3 * 32 + 32);
    CHECK(links(0, 1) == Links{0});
    CHECK(links(1, 0) == Links{1});
    CHECK(links(0, 3) == Links{2 * 3 * 3 + 1});  // around, by the link of node 3
    CHECK(links(3, 0) == Links{2 * 3 * 3});
    CHECK(links(0, 16) == Links{2 * 2});  // an axis of two nodes has one link
    CHECK(links(16, 0) == Links{2 * 2 + 1});
    CHECK(network.route(0, 1).speed.latency == 1);
    CHECK(network.route(0, 1).kind == network_link);
}

TEST_CASE("of two routes as long it takes the one upward, except to the first node of a ring") {
    const Network network = torus();
    CHECK(network.route(0, 2).links == Links{0, 6});
    CHECK(network.route(1, 3).links == Links{6, 12});
    CHECK(network.route(2, 0).links == Links{7, 1});
    CHECK(network.route(3, 1).links == Links{18, 0});
}

TEST_CASE("a torus goes along one axis after the other") {
    const Network network = torus();
    const Route there = network.route(0, 1 + 4 + 16), back = network.route(1 + 4 + 16, 0);
    CHECK(there.links == Links{0, 2 * (1 * 3 + 1), 2 * (5 * 3 + 2)});
    CHECK(there.speed.latency == 3);
    CHECK(back.links == Links{2 * 20 * 3 + 1, 2 * (16 * 3 + 1) + 1, 2 * 2 + 1});
}

TEST_CASE("every route through a torus leads there, and none is longer than it must be") {
    const Network network = torus();
    for (int from = 0; from < 32; ++from) {
        for (int to = 0; to < 32; ++to) {
            if (from == to) continue;
            const Route route = network.route(from, to);
            int here = from, least = 0;
            for (const int link : route.links) here = beyond(here, link);
            CHECK(here == to);
            for (int axis = 0; axis < 3; ++axis) {
                const int apart = std::abs(place(from)[axis] - place(to)[axis]);
                least += std::min(apart, axes[axis] - apart);
            }
            CHECK(route.speed.latency == least);
        }
    }
}

TEST_CASE("a fat tree climbs as far as it must, by the switches that the destination chooses") {
    const Network network = tree();
    CHECK(network.links().size() == 2 * (16 + 4 * 2) + 16);
    CHECK(network.route(0, 1).links == Links{0, 3});  // up from node 0, down to node 1
    CHECK(network.route(0, 1).speed.latency == 1);
    const int second = 2 * 16;  // the first link above the switches of nodes
    CHECK(network.route(0, 4).links == Links{0, second, second + 2 * 2 + 1, 9});
    CHECK(network.route(0, 5).links == Links{0, second + 2, second + 2 * 3 + 1, 11});
    CHECK(network.route(5, 0).links == Links{10, second + 2 * 2, second + 1, 1});
    CHECK(network.route(0, 5).speed.latency == 2);
}

TEST_CASE("switches have a link up and one down of each node, and of each group") {
    ForecastMachine grouped = machine({.groups = {0, 0, 1}, .group_links = {{1, 8}, {3, 4}}});
    grouped.links["joint"] = {.latency = 10, .bandwidth = 2};
    grouped.nodes_share = true;
    const Network network(grouped, 3);
    CHECK(network.links() == std::vector<double>{8, 8, 8, 8, 4, 4, 2, 2, 2, 2, 16, 16, 16});
    CHECK(network.route(0, 1).links == Links{0, 3});
    CHECK(network.route(0, 1).speed.latency == 1);
    CHECK(network.route(0, 2).links == Links{0, 5, 6, 9});
    CHECK(network.route(0, 2).kind == joint_link);
    CHECK(network.route(0, 2).speed.latency == 12);  // half of each node's, and what joins them
    CHECK(network.route(0, 2).speed.bandwidth == 2);
    CHECK(network.route(2, 2).links == Links{12});
    CHECK(network.route(2, 2).kind == node_link);
    CHECK(torus().route(2, 2).links.empty());  // whose nodes share nothing
}

TEST_CASE("a network with too few nodes is refused") {
    CHECK_THROWS_AS(Network(machine({.torus = axes}), 33), UserError);
    CHECK_THROWS_AS(Network(machine({.torus = {4, 0}}), 0), UserError);
    CHECK_THROWS_AS(Network(machine({.tree_down = {4}, .tree_up = {1}}), 5), UserError);
    CHECK_THROWS_AS(Network(machine({.tree_down = {4, 2}, .tree_up = {1}}), 8), UserError);
}
