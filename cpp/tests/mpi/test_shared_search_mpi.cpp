// The search by all ranks together: what one of them would find alone, on all of them.
#include "lapwing/mpi/shared_search.hpp"

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

bool last() { return world_rank() == world_size() - 1; }

Coast sea() {
    return coast("bays", 40, 30, [](Index i, Index j) { return i * i / 20 + (j * 7 + i * 3) % 11 < 60 && i + j > 8; });
}

// All ranks throw; the text names the search where their requests differ.
void require_refused(const Coast& coast, const CostModel& model, const SearchOptions& options = {}) {
    REQUIRE_THROWS_AS(find_partition(MPI_COMM_WORLD, coast.grid, coast.mask, model, options), UserError);
}

}  // namespace

TEST_CASE("all ranks find what one finds alone") {
    std::vector<Coast> all = coasts();
    all.push_back(sea());
    for (const Coast& coast : all) {
        if (coast.wet() < world_size()) continue;
        for (const int per_node : {1, 2}) {
            for (const bool nodes_first : {false, true}) {
                for (const int threads : {1, 3}) {
                    CAPTURE(coast.name, per_node, nodes_first, threads);
                    const CostModel model = on_nodes(per_node);
                    const SearchOptions options{.nodes_first = nodes_first, .threads = threads};
                    const FoundPartition found = find_partition(MPI_COMM_WORLD, coast.grid, coast.mask, model, options);
                    const FoundPartition alone = find_partition(coast.grid, coast.mask, world_size(), model, options);
                    REQUIRE(fault_of(coast, found.partition, world_size()) == "");
                    REQUIRE(found.partition == alone.partition);
                    REQUIRE(found.candidates == alone.candidates);
                    REQUIRE(found.searched == alone.searched);
                    REQUIRE_NOTHROW(require_same(MPI_COMM_WORLD, "partition", to_string(found.partition)));
                }
            }
        }
    }
}

TEST_CASE("requests that differ are refused on all ranks") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    const Coast here = sea();
    const Coast other = coast("another", 40, 30, [](Index i, Index) { return i > 3; });
    REQUIRE_THROWS_WITH(
        find_partition(MPI_COMM_WORLD, here.grid, last() ? other.mask : here.mask),
        Contains("search for a partition: got") && Contains("on rank " + std::to_string(world_size() - 1)));
    require_refused(here, with_width(last() ? 3 : 2));
    require_refused(here, on_nodes(last() ? 2 : 1));
    std::vector<double> speeds(world_size(), 1.0);
    require_refused(here, last() ? with_speeds(speeds) : CostModel{});
    CostModel slow;
    slow.coefficients.latency = last() ? 2e-9 : 1e-9;
    require_refused(here, slow);
    require_refused(here, {}, {.nodes_first = last()});
    require_refused(here, {}, {.wider = last()});
    require_refused(here, {}, {.refine = last()});
    Coast turned = here;
    turned.grid.periodic[0] = last();
    require_refused(turned, {});
}

TEST_CASE("what one rank gives wrongly, all refuse") {
    const Coast here = sea();
    require_refused(here, with_width(last() ? -1 : 2));
    require_refused(here, on_nodes(last() ? 0 : 1));
    for (const int threads : {0, -1}) require_refused(here, {}, {.threads = last() ? threads : 1});
    Coast taller = here;
    if (last()) taller.grid.size[1] += 1;
    require_refused(taller, {});
    const Coast puddle = coast("one point", 6, 4, [](Index i, Index j) { return i == 4 && j == 1; });
    if (world_size() > 1) require_refused(puddle, {});
    // and go on
    REQUIRE(find_partition(MPI_COMM_WORLD, here.grid, here.mask).partition.ranks() == world_size());
}

TEST_CASE("ranks may have their own numbers of threads") {
    const Coast here = sea();
    const FoundPartition found =
        find_partition(MPI_COMM_WORLD, here.grid, here.mask, {}, {.threads = 1 + world_rank() % 3});
    REQUIRE(found.partition == find_partition(here.grid, here.mask, world_size()).partition);
}

TEST_CASE("the ranks of this machine share a node") {
    REQUIRE(lapwing::ranks_per_node(MPI_COMM_WORLD) == world_size());
    REQUIRE(lapwing::ranks_per_node(MPI_COMM_SELF) == 1);
}
