// Chunk grids: every cell has one writer, and the chunks do not depend on the ranks.
#include "store/chunks/chunk_grid.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace lapwing;

TEST_CASE("every cell is in the chunk of one writer") {
    std::mt19937 random(1);
    const auto between = [&](Index lo, Index hi) { return std::uniform_int_distribution<Index>(lo, hi)(random); };
    for (int trial = 0; trial < 300; ++trial) {
        const Index3 size{between(1, 17), between(1, 17), between(1, 17)};
        const ChunkGrid grid{size, {between(1, 6), between(1, 6), between(1, 6)}};
        const int ranks = static_cast<int>(between(1, 7));
        const Partition parts = grid.partition(ranks, size[2]);
        Index cells = 0;  // a partition refuses boxes that overlap
        std::vector<Index> shares(static_cast<std::size_t>(ranks));
        for (const Subdomain& part : parts.subdomains()) {
            cells += part.box.volume();
            ++shares[static_cast<std::size_t>(part.rank)];
            for (int a = 0; a < 3; ++a) REQUIRE(grid.at(part.box)[a] * grid.chunk[a] == part.box.lo[a]);
        }
        REQUIRE(cells == size[0] * size[1] * size[2]);
        const auto [least, most] = std::ranges::minmax(shares);
        REQUIRE(most - least <= 1);
    }
}

TEST_CASE("few chunks are spread over all ranks") {
    const Partition parts = ChunkGrid{{4, 4, 1}, {4, 2, 1}}.partition(8, 1);
    REQUIRE(parts.subdomains().size() == 2);
    REQUIRE(parts.subdomains()[0].rank == 0);
    REQUIRE(parts.subdomains()[1].rank == 4);
}

TEST_CASE("chunks have about the bytes that they should have") {
    constexpr Index most = Index{1} << 22;
    REQUIRE((chunk_grid({100, 50, 20}, 8, most).chunk == Index3{100, 50, 20}));
    REQUIRE((chunk_grid({4000, 4000, 20}, 8, most).chunk == Index3{4000, 130, 1}));
    REQUIRE((chunk_grid({17280, 8640, 75}, 4, most).chunk == Index3{17280, 61, 1}));
    REQUIRE((chunk_grid({3'000'000, 5, 1}, 8, most).chunk == Index3{3'000'000, 1, 1}));
}
