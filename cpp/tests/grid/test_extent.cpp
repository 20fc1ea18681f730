// Extents against the sets of cells that a stencil reads.
#include "lapwing/grid/extent.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <set>

#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

// Offsets of all cells that a stencil may read around the one that it computes.
std::set<Index3> stencil(const Extent& extent) {
    std::set<Index3> offsets;
    for (Index k = -extent.lo[2]; k <= extent.hi[2]; ++k) {
        for (Index j = -extent.lo[1]; j <= extent.hi[1]; ++j) {
            for (Index i = -extent.lo[0]; i <= extent.hi[0]; ++i) {
                const int axes = (i != 0) + (j != 0) + (k != 0);
                if (extent.corners || axes <= 1) offsets.insert({i, j, k});
            }
        }
    }
    return offsets;
}

bool holds(const std::set<Index3>& outer, const std::set<Index3>& inner) { return std::ranges::includes(outer, inner); }

}  // namespace

TEST_CASE("covers is inclusion of the stencils") {
    Random random(1);
    int covered = 0;
    for (int n = 0; n < 3000; ++n) {
        const Extent outer = random.extent(2), inner = random.extent(n % 2 + 1);
        CAPTURE(to_string(outer), outer.corners, to_string(inner), inner.corners);
        REQUIRE(covers(outer, inner) == holds(stencil(outer), stencil(inner)));
        covered += covers(outer, inner);
    }
    REQUIRE(covered > 100);
}

TEST_CASE("unite holds both, no wider than needed") {
    Random random(2);
    for (int n = 0; n < 500; ++n) {
        const Extent a = random.extent(3), b = random.extent(3), both = unite(a, b);
        REQUIRE(covers(both, a));
        REQUIRE(covers(both, b));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            REQUIRE(both.lo[axis] == std::max(a.lo[axis], b.lo[axis]));
            REQUIRE(both.hi[axis] == std::max(a.hi[axis], b.hi[axis]));
        }
    }
    REQUIRE(!unite(Extent::cross(1), Extent::cross(2)).corners);
    REQUIRE(unite(Extent{}, Extent::cross(2)) == Extent::cross(2));  // an empty one has no corners to add
    REQUIRE(unite(Extent::cross(2), Extent{}) == Extent::cross(2));
}

TEST_CASE("stencil boxes are the cells read from the box, overlapping in the box alone") {
    Random random(3);
    const Box box{{4, 5, 6}, {6, 8, 7}};
    for (int n = 0; n < 200; ++n) {
        const Extent extent = random.extent(2);
        std::multiset<Index3> found;
        for (const Box& part : stencil_boxes(box, extent)) {
            for (Index k = part.lo[2]; k < part.hi[2]; ++k) {
                for (Index j = part.lo[1]; j < part.hi[1]; ++j) {
                    for (Index i = part.lo[0]; i < part.hi[0]; ++i) {
                        if (!box.contains(Index3{i, j, k})) found.insert({i, j, k});
                    }
                }
            }
        }
        const Box around = grow(box, extent);
        for (Index k = around.lo[2]; k < around.hi[2]; ++k) {
            for (Index j = around.lo[1]; j < around.hi[1]; ++j) {
                for (Index i = around.lo[0]; i < around.hi[0]; ++i) {
                    const Index3 cell{i, j, k};
                    int axes = 0;
                    for (std::size_t a = 0; a < 3; ++a) axes += cell[a] < box.lo[a] || cell[a] >= box.hi[a];
                    const bool read = axes == 1 || (axes > 1 && extent.corners);
                    REQUIRE(found.count(cell) == (read ? 1 : 0));
                }
            }
        }
        REQUIRE(std::ranges::all_of(found, [&](const Index3& cell) { return around.contains(cell); }));
    }
}

TEST_CASE("a sum that no int holds is the widest of all") {
    constexpr int most = std::numeric_limits<int>::max();
    REQUIRE(sum(Extent::cross(most), Extent::cross(2)) == Extent::horizontal(most));
    REQUIRE(sum(Extent::cross(3), Extent::cross(2)) == Extent::horizontal(5));
}

TEST_CASE("mirrored exchanges the sides") {
    const Extent extent{{1, 0, 2}, {0, 3, 0}, false};
    REQUIRE(mirrored(extent) == Extent{{0, 3, 0}, {1, 0, 2}, false});
}

TEST_CASE("an extent is empty when it reaches nowhere, corners or not") {
    REQUIRE(Extent{}.empty());
    REQUIRE(Extent::cross(0).empty());
    REQUIRE(!Extent{{0, 0, 0}, {0, 0, 1}}.empty());
    REQUIRE(!Extent{{0, 1, 0}, {0, 0, 0}}.empty());
}

TEST_CASE("text of an extent") {
    REQUIRE(to_string(Extent{}) == "none");
    REQUIRE(to_string(Extent{{1, 0, 0}, {2, 1, 0}}) == "behind(x), ahead(x, 2), ahead(y)");
    REQUIRE(to_string(Extent::cross(1)) == "cross(1)");
    REQUIRE(to_string(Extent{{0, 0, 2}, {0, 0, 0}}) == "behind(z, 2)");
}
