// An error of one rank is an error of all.
#include "lapwing/mpi/agreement.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/domain.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

// how messages name a rank
std::string named(int rank) { return "rank " + std::to_string(rank) + ": "; }

bool last() { return world_rank() == world_size() - 1; }

}  // namespace

TEST_CASE("no error, no exception") { REQUIRE_NOTHROW(raise_together(MPI_COMM_WORLD, "")); }

TEST_CASE("all ranks throw the text of the lowest rank in error") {
    const std::string mine = "trouble of rank " + std::to_string(world_rank());
    REQUIRE_THROWS_WITH(raise_together(MPI_COMM_WORLD, mine), named(0) + "trouble of rank 0");
    const int n = world_size() - 1;
    REQUIRE_THROWS_WITH(raise_together(MPI_COMM_WORLD, last() ? mine : ""),
                        named(n) + "trouble of rank " + std::to_string(n));
    REQUIRE_THROWS_AS(raise_together(MPI_COMM_WORLD, mine), UserError);
}

TEST_CASE("what one rank throws in common work, all throw") {
    const auto work = [] {
        if (last()) throw std::runtime_error("it broke");
    };
    REQUIRE_THROWS_WITH(together(MPI_COMM_WORLD, work), named(world_size() - 1) + "it broke");
    REQUIRE_NOTHROW(together(MPI_COMM_WORLD, [] {}));
}

TEST_CASE("the kind of a problem arrives with its text on all ranks") {
    const std::string culprit = "rank " + std::to_string(world_size() - 1) + ": ";
    const auto throwing = [](auto problem) {
        return [problem] {
            if (last()) throw problem;
        };
    };
    const auto ends = [](auto work) { together(MPI_COMM_WORLD, work); };
    REQUIRE_THROWS_AS(ends(throwing(UserError("wrong"))), UserError);
    REQUIRE_THROWS_WITH(ends(throwing(UserError("wrong"))), culprit + "wrong");
    REQUIRE_THROWS_AS(ends(throwing(OutsideError("no disk"))), OutsideError);
    REQUIRE_THROWS_WITH(ends(throwing(OutsideError("no disk"))), culprit + "no disk");
    REQUIRE_THROWS_AS(ends(throwing(std::bad_alloc())), OutsideError);
    REQUIRE_THROWS_WITH(ends(throwing(std::bad_alloc())), culprit + "out of memory");
    REQUIRE_THROWS_AS(ends(throwing(std::runtime_error("it broke"))), OutsideError);
    REQUIRE_THROWS_AS(ends(throwing(7)), OutsideError);
    // an error without text is an error
    REQUIRE_THROWS_AS(ends(throwing(UserError(""))), UserError);
    REQUIRE_THROWS_AS(ends(throwing(std::runtime_error(""))), OutsideError);
}

TEST_CASE("values that differ are named with the rank") {
    REQUIRE_NOTHROW(require_same(MPI_COMM_WORLD, "width", "2"));
    REQUIRE_NOTHROW(require_same(MPI_COMM_WORLD, "width", ""));
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    REQUIRE_THROWS_WITH(require_same(MPI_COMM_WORLD, "width", last() ? "3 cells" : "2"),
                        "width: got 3 cells on rank " + std::to_string(world_size() - 1) +
                            "; expected 2, as on rank 0; pass the same on all ranks");
    // a prefix is another value, and nothing is one too
    REQUIRE_THROWS_AS(require_same(MPI_COMM_WORLD, "width", last() ? "22" : "2"), UserError);
    REQUIRE_THROWS_AS(require_same(MPI_COMM_WORLD, "width", last() ? "" : "2"), UserError);
}

TEST_CASE("an MPI error code becomes an exception with call and rank") {
    REQUIRE_NOTHROW(check_mpi(MPI_SUCCESS, "MPI_Send"));
    REQUIRE_THROWS_WITH(check_mpi(MPI_ERR_RANK, "MPI_Send"),
                        Contains("MPI_Send on rank " + std::to_string(world_rank())));
    REQUIRE_THROWS_AS(check_mpi(MPI_ERR_RANK, "MPI_Send"), OutsideError);
}

TEST_CASE("a domain needs one partition with as many ranks as there are") {
    const Grid grid{{60, 60, 1}, {}};
    REQUIRE_THROWS_WITH(Domain(block_partition(grid, {world_size() + 1, 1, 1}), MPI_COMM_WORLD),
                        Contains("ranks of the partition: got " + std::to_string(world_size() + 1)));
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    // the same sizes, another place of one cut
    std::vector<Subdomain> boxes = block_partition(grid, {world_size(), 1, 1}).subdomains();
    if (last()) {
        --boxes[0].box.hi[0];
        --boxes[1].box.lo[0];
    }
    REQUIRE_THROWS_WITH(Domain(Partition(grid, world_size(), boxes), MPI_COMM_WORLD),
                        Contains("partition: got") && Contains("on rank " + std::to_string(world_size() - 1)));
    // the same boxes, dealt to other ranks
    boxes = block_partition(grid, {world_size(), 1, 1}).subdomains();
    if (last()) std::swap(boxes[0].rank, boxes[1].rank);
    REQUIRE_THROWS_WITH(Domain(Partition(grid, world_size(), boxes), MPI_COMM_WORLD),
                        Contains("partition: got") && Contains("on rank " + std::to_string(world_size() - 1)));
    const Grid periodic{{60, 60, 1}, {true, false, false}};
    REQUIRE_THROWS_WITH(Domain(block_partition(last() ? periodic : grid, {world_size(), 1, 1}), MPI_COMM_WORLD),
                        Contains("(periodic)"));
}

TEST_CASE("of values of several lines the first line that differs is told") {
    if (world_size() == 1) return;
    const std::string culprit = std::to_string(world_size() - 1);
    const auto refuses = [&](const std::string& mine, const std::string& got, const std::string& expected) {
        REQUIRE_THROWS_WITH(require_same(MPI_COMM_WORLD, "boxes", last() ? mine : "one\ntwo\nthree"),
                            "boxes: got " + got + " on rank " + culprit + "; expected " + expected +
                                ", as on rank 0; pass the same on all ranks");
    };
    refuses("one\ntwice\nthree", "twice", "two");
    refuses("one", "no more", "two");
    refuses("one\ntwo\nthree\nfour", "four", "no more");
}
