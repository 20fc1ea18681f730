// Banded sums against counting cell by cell.
#include "lapwing/grid/banded_sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

Index counted(Index nx, const std::vector<std::uint8_t>& wet, Index i0, Index i1, Index j0, Index j1) {
    Index count = 0;
    for (Index j = j0; j < j1; ++j) {
        for (Index i = i0; i < i1; ++i) count += wet[j * nx + i] != 0 ? 1 : 0;
    }
    return count;
}

}  // namespace

TEST_CASE("banded sums count what a loop over cells does") {
    Random random(1);
    for (int n = 0; n < 400; ++n) {
        const Index nx = random.between(1, 200), ny = random.between(1, 70);
        const int one_in = random.between(1, 20);
        std::vector<std::uint8_t> wet(nx * ny);
        for (auto& cell : wet) cell = random.between(1, one_in) == 1 ? 255 : 0;  // any nonzero is wet
        const BandedSums sums(nx, ny, wet);
        REQUIRE(!sums.empty());
        for (int box = 0; box < 25; ++box) {
            const Index i0 = random.between(0, static_cast<int>(nx)),
                        i1 = random.between(static_cast<int>(i0), static_cast<int>(nx));
            const Index j0 = random.between(0, static_cast<int>(ny)),
                        j1 = random.between(static_cast<int>(j0), static_cast<int>(ny));
            CAPTURE(nx, ny, i0, i1, j0, j1);
            REQUIRE(sums.count(i0, i1, j0, j1) == counted(nx, wet, i0, i1, j0, j1));
        }
    }
}

TEST_CASE("banded sums have each cell, at the edges of words and bands too") {
    for (const Index nx : {1, 63, 64, 65, 128}) {
        for (const Index ny : {1, 15, 16, 17, 32, 50}) {
            std::vector<std::uint8_t> wet(nx * ny);
            for (Index at = 0; at < nx * ny; ++at) wet[at] = at % 5 == 0 || at % 7 == 3 ? 1 : 0;
            const BandedSums sums(nx, ny, wet);
            for (Index at = 0; at < nx * ny; ++at) {
                const Index i = at % nx, j = at / nx;
                REQUIRE(sums.count(i, i + 1, j, j + 1) == wet[at]);
            }
        }
    }
}

TEST_CASE("fingerprints of banded sums differ where dry rows are added") {
    std::vector<std::uint8_t> wet(100 * 17, 1);
    const std::uint64_t before = BandedSums(100, 17, wet).fingerprint();
    wet.resize(100 * 20, 0);  // the last band has the same bits
    REQUIRE(BandedSums(100, 20, wet).fingerprint() != before);
}

TEST_CASE("fingerprints of banded sums differ where a cell does") {
    std::vector<std::uint8_t> wet(70 * 50, 1);
    const std::uint64_t before = BandedSums(70, 50, wet).fingerprint();
    REQUIRE(BandedSums(70, 50, wet).fingerprint() == before);
    REQUIRE(BandedSums(50, 70, wet).fingerprint() != before);
    wet[49 * 70 + 66] = 0;  // above the last row of the table
    REQUIRE(BandedSums(70, 50, wet).fingerprint() != before);
}

TEST_CASE("banded sums of no columns are empty") { REQUIRE(BandedSums().empty()); }
