// Values that kernels wrote into halos return to its owners: every value once, from the rank that wrote it.
#include "exchange/halo_return.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <tuple>

#include "lapwing/base/error.hpp"
#include "written_cells.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Written at these offsets, a component each.
const std::vector<Index3> offsets{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {1, 1, 0}, {-1, 1, 0}, {0, -1, -1}, {0, 1, -1}};

// Owned cell and component, and the rank that a value for it comes from.
using Arrivals = std::multimap<std::tuple<Index3, int>, int>;

Arrivals arrivals(const Partition& partition, int rank, const FieldSpec& spec) {
    Arrivals all;
    const auto note = [&](const Piece& piece, int from) {
        const Box& box = piece.target_box;
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    for (int c = piece.component_lo; c < piece.component_hi; ++c) all.insert({{{i, j, k}, c}, from});
    };
    const MessagePlan plan = return_plan(partition, rank, spec);
    REQUIRE(plan.phases.size() == 1);
    CHECK_FALSE(plan.in_order);
    for (const Message& message : plan.phases[0].receives)
        for (const Piece& piece : message.pieces) note(piece, message.peer);
    for (const Piece& piece : plan.phases[0].copies) note(piece, rank);
    return all;
}

}  // namespace

TEST_CASE("every value that was written beyond a box comes back once, from the rank that wrote it") {
    const FieldSpec spec = written_at(offsets);
    for (const bool periodic : {true, false}) {
        const Grid grid{{7, 5, 6}, {periodic, periodic, periodic}};
        const Partition partition = block_partition(grid, {2, 2, 2});
        for (int rank = 0; rank < partition.ranks(); ++rank) {
            const Box owned = partition.subdomain(rank).box;
            const Arrivals found = arrivals(partition, rank, spec);
            std::size_t expected = 0;
            for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
                for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                    for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                        for (std::size_t c = 0; c < offsets.size(); ++c) {
                            Index3 writer{i - offsets[c][0], j - offsets[c][1], k - offsets[c][2]};
                            if (owned.contains(writer)) continue;
                            for (std::size_t a = 0; a < 3 && periodic; ++a)
                                writer[a] = (writer[a] + grid.size[a]) % grid.size[a];
                            if (!grid.box().contains(writer)) continue;
                            ++expected;
                            const Box cell{writer, {writer[0] + 1, writer[1] + 1, writer[2] + 1}};
                            const int owner = partition.overlapping(cell).front();
                            const auto key = std::tuple{Index3{i, j, k}, static_cast<int>(c)};
                            REQUIRE(found.count(key) == 1);
                            REQUIRE(found.find(key)->second == owner);
                        }
            CHECK(found.size() == expected);
        }
    }
}

TEST_CASE("what is sent back is what others expect") {
    const Partition partition = block_partition({{9, 8, 5}, {true, false, true}}, {3, 2, 1});
    const FieldSpec spec = written_at(offsets);
    std::map<std::pair<int, int>, Index> sent, received;
    for (int rank = 0; rank < partition.ranks(); ++rank) {
        const MessagePlan plan = return_plan(partition, rank, spec);
        for (const Message& message : plan.phases[0].sends) sent[{rank, message.peer}] = bytes(plan, message);
        for (const Message& message : plan.phases[0].receives) received[{message.peer, rank}] = bytes(plan, message);
    }
    CHECK(sent == received);
    CHECK_FALSE(sent.empty());
}

TEST_CASE("a component that is written on both sides has no offset") {
    FieldSpec spec = written_at({{1, 0, 0}});
    spec.extents[0].lo[0] = 1;
    CHECK_THROWS_AS(return_plan(block_partition({{8, 8, 8}, {}}, {2, 1, 1}), 0, spec), UserError);
}
