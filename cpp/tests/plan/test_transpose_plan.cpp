// Distributions and the plans between them, for many ranks inside one process.
#include "lapwing/partition/distribution.hpp"
#include "lapwing/plan/transpose_plan.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/partition/node_order.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

FieldSpec named(const std::string& name, int components = 1) {
    FieldSpec spec;
    spec.name = name;
    spec.components = components;
    return spec;
}

// One of the distributions that transposes go between.
using Make = Partition (*)(const Partition&, const std::optional<Box>&);
Partition itself(const Partition& twod, const std::optional<Box>& /*active*/) { return twod; }
constexpr Make makes[] = {itself, fft_partition, tri_partition, level_slab_partition};

// The cells that `rank` gets: how often each cell of its boxes arrives, in x, y, z order of each box.
struct Arrivals {
    const Partition& from;
    const Partition& to;
    std::map<int, std::vector<int>> times{};  // by subdomain

    Arrivals(const Partition& source, const Partition& target, int rank) : from(source), to(target) {
        for (int s : to.subdomains_of(rank)) times[s].resize(to.subdomain(s).box.volume());
    }
    // False unless the piece comes from the owner `peer`, and goes to a box here.
    bool take(const Piece& piece, int peer) {
        const Subdomain& source = from.subdomain(piece.source);
        if (source.rank != peer || !source.box.contains(piece.source_box)) return false;
        if (piece.source_box != piece.target_box || !times.contains(piece.target)) return false;
        const Box& box = to.subdomain(piece.target).box;
        if (!box.contains(piece.target_box)) return false;
        for (Index k = piece.target_box.lo[2]; k < piece.target_box.hi[2]; ++k) {
            for (Index j = piece.target_box.lo[1]; j < piece.target_box.hi[1]; ++j) {
                for (Index i = piece.target_box.lo[0]; i < piece.target_box.hi[0]; ++i) {
                    const Index at = i - box.lo[0] + box.size(0) * (j - box.lo[1] + box.size(1) * (k - box.lo[2]));
                    ++times[piece.target][at];
                }
            }
        }
        return true;
    }
    void take(const MessagePlan& plan) {
        for (const Message& message : plan.phases[0].receives) {
            for (const Piece& piece : message.pieces) REQUIRE(take(piece, message.peer));
        }
        for (const Piece& piece : plan.phases[0].copies) REQUIRE(take(piece, plan.rank));
    }
    // True if each cell that is in `active`, and has an owner on the other side, came once, and no other.
    [[nodiscard]] bool complete(const Box& active) const {
        for (const auto& [s, of_box] : times) {
            const Box& box = to.subdomain(s).box;
            std::size_t n = 0;
            for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
                for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i, ++n) {
                        const bool owned = !from.overlapping({{i, j, k}, {i + 1, j + 1, k + 1}}).empty();
                        if (of_box[n] != (owned && active.contains(Index3{i, j, k}) ? 1 : 0)) return false;
                    }
                }
            }
        }
        return true;
    }
};

// True if the receives of `plan` are the sends of their peers.
void check_peers(const Partition& from, const Partition& to, const MessagePlan& plan, const TransposeShare& share) {
    for (const Message& message : plan.phases[0].receives) {
        const MessagePlan theirs = transpose_plan(from, to, message.peer, plan.fields, share);
        const auto& sends = theirs.phases[0].sends;
        const auto mine = std::ranges::find(sends, plan.rank, &Message::peer);
        REQUIRE(mine != sends.end());
        REQUIRE(mine->pieces == message.pieces);
    }
}

struct Case {
    Partition twod;
    std::optional<Box> active{};
};

// px x py blocks of a grid that has room for them, now and then with other numbers of ranks and an active box.
Case random_case(Random& random, int px, int py) {
    const auto at_least = [&](int n, int more) { return Index{n + random.between(0, more)}; };
    const Grid grid{{at_least(std::max(px, py) + 2, 9), at_least(py, 20), at_least(px + 1, 5)}, {}};
    Partition twod = twod_partition(grid, px, py);
    if (random.coin()) twod = node_ordered(twod, random.between(1, 4));
    if (random.coin()) return {std::move(twod)};
    Box active = grid.box();
    active.lo[0] += 1;
    active.hi[0] -= 1;
    if (random.coin() && grid.size[1] > 2) active.hi[1] = random.between(1, static_cast<int>(grid.size[1]) - 1);
    if (random.coin()) active.lo[2] = 1;
    return {std::move(twod), active};
}

Index total_messages(const Partition& from, const Partition& to) {
    const FieldSpec fields[] = {named("f")};
    Index sum = 0;
    for (int rank = 0; rank < from.ranks(); ++rank) sum += messages_sent(transpose_plan(from, to, rank, fields));
    return sum;
}

}  // namespace

TEST_CASE("distributions are the boxes of their definition") {
    const Grid grid{{12, 9, 7}, {}};
    const Partition twod = twod_partition(grid, 3, 2);
    const Partition fft = fft_partition(twod), tri = tri_partition(twod);
    for (int jp = 0; jp < 2; ++jp) {
        for (int ip = 0; ip < 3; ++ip) {
            const int rank = ip + 3 * jp;
            const Index levels[] = {0, 3, 5, 7}, rows[] = {0, 5, 9}, longitudes[] = {0, 6, 12};
            REQUIRE(twod.subdomain(rank) == Subdomain{rank, {{4 * ip, rows[jp], 0}, {4 * ip + 4, rows[jp + 1], 7}}});
            REQUIRE(fft.subdomain(rank) ==
                    Subdomain{rank, {{0, rows[jp], levels[ip]}, {12, rows[jp + 1], levels[ip + 1]}}});
            REQUIRE(tri.subdomain(rank) ==
                    Subdomain{rank, {{longitudes[jp], 0, levels[ip]}, {longitudes[jp + 1], 9, levels[ip + 1]}}});
        }
    }
    // 14 slabs of a level and the rows of one jp, on 6 ranks: 3, 3, 2, 2, 2, 2
    const Partition slabs = level_slab_partition(twod);
    REQUIRE(slabs.subdomains_of(0).size() == 2);
    REQUIRE(slabs.subdomain(0) == Subdomain{0, {{0, 0, 0}, {12, 9, 1}}});
    REQUIRE(slabs.subdomain(1) == Subdomain{0, {{0, 0, 1}, {12, 5, 2}}});
    REQUIRE(slabs.subdomain(2) == Subdomain{1, {{0, 5, 1}, {12, 9, 2}}});
    REQUIRE(slabs.subdomain(3) == Subdomain{1, {{0, 0, 2}, {12, 9, 3}}});
}

TEST_CASE("a 2D partition with levels keeps its boxes and numbers") {
    const Partition columns = block_partition({{8, 6, 1}, {true, false, false}}, {2, 2, 1});
    const Partition twod = twod_partition(columns, 5);
    REQUIRE(twod.grid() == Grid{{8, 6, 5}, {true, false, false}});
    for (int s = 0; s < 4; ++s) {
        REQUIRE(twod.subdomain(s).box.size(0) == columns.subdomain(s).box.size(0));
        REQUIRE(twod.subdomain(s).box.hi[2] == 5);
    }
    REQUIRE_THROWS_AS(twod_partition(twod, 5), UserError);
    REQUIRE_THROWS_AS(twod_partition(columns, 0), UserError);
}

TEST_CASE("every cell of a target arrives once, from its owner, in any groups, for up to 1000 ranks") {
    Random random(1);
    const FieldSpec fields[] = {named("u"), named("v", 2)};
    for (int n = 0; n < 60; ++n) {
        const bool many = n >= 54;
        const int px = random.between(1, many ? 25 : 5), py = random.between(1, many ? 40 : 6);
        const Case one = random_case(random, px, py);
        const Box active = one.active.value_or(one.twod.grid().box());
        const Partition from = makes[random.between(0, 3)](one.twod, one.active);
        const Partition to = makes[random.between(0, 3)](one.twod, one.active);
        const int groups = random.between(1, 4);
        for (int sample = 0; sample < 3; ++sample) {
            const int rank = random.between(0, one.twod.ranks() - 1);
            Arrivals arrivals(from, to, rank);
            for (int group = 0; group < groups; ++group) {
                const TransposeShare share{one.active, groups, group};
                const MessagePlan plan = transpose_plan(from, to, rank, {fields, 1}, share);
                arrivals.take(plan);
                if (!many) check_peers(from, to, transpose_plan(from, to, rank, fields, share), share);
            }
            REQUIRE(arrivals.complete(active));
        }
    }
}

TEST_CASE("messages stay in the row or the column of processes; level slabs go to all") {
    const FieldSpec fields[] = {named("f")};
    const Grid grid{{24, 20, 16}, {}};
    const int px = 4, py = 3;
    const Partition twod = twod_partition(grid, px, py);
    const Partition fft = fft_partition(twod), tri = tri_partition(twod);
    for (int rank = 0; rank < px * py; ++rank) {
        const MessagePlan along_x = transpose_plan(twod, fft, rank, fields);
        REQUIRE(messages_sent(along_x) == px - 1);
        for (const Message& m : along_x.phases[0].sends) REQUIRE(m.peer / px == rank / px);
        const MessagePlan along_y = transpose_plan(fft, tri, rank, fields);
        REQUIRE(messages_sent(along_y) == py - 1);
        for (const Message& m : along_y.phases[0].sends) REQUIRE(m.peer % px == rank % px);
    }
    // with a level for each rank at least: every rank with every other one
    for (int n : {2, 4, 8}) {
        const Partition square = twod_partition({{24, 24, 64}, {}}, n, n);
        const Index ranks = n * n;
        REQUIRE(total_messages(square, level_slab_partition(square)) == ranks * (ranks - 1));
        REQUIRE(total_messages(square, fft_partition(square)) == ranks * (n - 1));
        REQUIRE(total_messages(fft_partition(square), tri_partition(square)) == ranks * (n - 1));
    }
}

TEST_CASE("ten thousand ranks: a plan costs the rank's own partners") {
    const Partition twod = twod_partition({{400, 400, 120}, {}}, 100, 100);
    const Partition fft = fft_partition(twod), tri = tri_partition(twod);
    const FieldSpec fields[] = {named("f")};
    for (int rank : {0, 4711, 9999}) {
        const TransposeCensus census = census_of(transpose_plan(twod, fft, rank, fields));
        const Index levels = fft.subdomain(rank).box.size(2);
        REQUIRE(census.messages == 99);
        REQUIRE(census.bytes == 8 * 4 * 4 * (120 - levels));
        REQUIRE(census.copied == 8 * 4 * 4 * levels);
        REQUIRE(messages_sent(transpose_plan(fft, tri, rank, fields)) == 99);
    }
}

TEST_CASE("a census is what the plan says") {
    const Partition twod = twod_partition({{10, 6, 5}, {}}, 2, 1);
    const FieldSpec fields[] = {named("f")};
    const MessagePlan plan = transpose_plan(twod, fft_partition(twod), 0, fields);
    // sends 5 x 6 columns of 2 levels, gets 3 levels, in lines of 64 bytes
    REQUIRE(census_of(plan) == TransposeCensus{1, 480, 720, 512 + 768});
    TransposeCensus twice = census_of(plan);
    twice += twice;
    REQUIRE(twice.messages == 2);
}

TEST_CASE("groups are parts of the side whose levels are spread") {
    const Partition twod = twod_partition({{8, 8, 8}, {}}, 2, 2);
    const Partition fft = fft_partition(twod);
    REQUIRE(levels_spread_in_target(twod, fft));
    REQUIRE(!levels_spread_in_target(fft, twod));
    const FieldSpec fields[] = {named("f")};
    for (int group = 0; group < 2; ++group) {
        const MessagePlan there = transpose_plan(twod, fft, 0, fields, {{}, 2, group});
        REQUIRE(there.phases[0].receives[0].pieces[0].target_box == Box{{4, 0, 2 * group}, {8, 4, 2 * group + 2}});
        const MessagePlan back = transpose_plan(fft, twod, 0, fields, {{}, 2, group});
        REQUIRE(back.phases[0].sends[0].pieces[0].source_box == Box{{4, 0, 2 * group}, {8, 4, 2 * group + 2}});
    }
}

TEST_CASE("what cannot be spread or planned is refused with a remedy") {
    using Catch::Matchers::Contains;
    const Grid grid{{8, 8, 3}, {}};
    const Partition twod = twod_partition(grid, 4, 1);
    REQUIRE_THROWS_WITH(fft_partition(twod), Contains("levels to be spread: got 3; expected at least 4") &&
                                                 Contains("use fewer blocks along x"));
    REQUIRE_THROWS_AS(tri_partition(twod), UserError);
    const Partition tall = twod_partition({{2, 8, 3}, {}}, 1, 4);
    REQUIRE_THROWS_WITH(tri_partition(tall), Contains("longitudes to be spread: got 2; expected at least 4"));
    REQUIRE_THROWS_WITH(fft_partition(block_partition(grid, {2, 1, 3})),
                        Contains("partition to make a distribution of") && Contains("use twod_partition"));
    const Partition two = twod_partition(grid, 2, 1);
    REQUIRE_THROWS_WITH(fft_partition(two, Box{{0, 0, 0}, {9, 8, 3}}), Contains("active box"));
    REQUIRE_THROWS_WITH(fft_partition(two, Box{{1, 0, 0}, {1, 8, 3}}), Contains("active box"));
    const FieldSpec fields[] = {named("f")};
    REQUIRE_THROWS_WITH(transpose_plan(two, twod_partition({{8, 8, 4}, {}}, 2, 1), 0, fields), Contains("one grid"));
    REQUIRE_THROWS_WITH(transpose_plan(two, twod_partition(grid, 1, 1), 0, fields), Contains("ranks of a transpose"));
    REQUIRE_THROWS_AS(transpose_plan(two, fft_partition(two), 2, fields), UserError);
    REQUIRE_THROWS_WITH(transpose_plan(two, fft_partition(two), 0, fields, {{}, 2, 2}), Contains("group"));
    REQUIRE_THROWS_WITH(transpose_plan(two, fft_partition(two), 0, fields, {Box{{0, 0, 0}, {0, 1, 1}}}),
                        Contains("active box of a transpose"));
}
