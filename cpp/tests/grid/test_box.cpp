// Boxes against sets of cells.
#include "lapwing/grid/box.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

std::set<Index3> cells(const Box& box) {
    std::set<Index3> all;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) all.insert({i, j, k});
        }
    }
    return all;
}

Box random_box(Random& random) {
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] = random.between(-3, 1);
        box.hi[a] = box.lo[a] + (random.between(0, 19) == 0 ? random.between(-1, 0) : random.between(1, 5));
    }
    return box;
}

}  // namespace

TEST_CASE("volume, intersection and containment are those of the sets of cells") {
    Random random(1);
    for (int n = 0; n < 300; ++n) {
        const Box a = random_box(random), b = random_box(random);
        const auto in_a = cells(a), in_b = cells(b);
        CAPTURE(to_string(a), to_string(b));
        REQUIRE(a.volume() == static_cast<Index>(in_a.size()));
        REQUIRE(a.empty() == in_a.empty());
        std::set<Index3> both;
        for (const Index3& cell : in_a) {
            REQUIRE(a.contains(cell));
            REQUIRE(b.contains(cell) == (in_b.count(cell) == 1));
            if (in_b.count(cell) == 1) both.insert(cell);
        }
        REQUIRE(cells(intersect(a, b)) == both);
        REQUIRE(a.contains(b) == (both.size() == in_b.size()));
    }
}

TEST_CASE("an empty intersection is the default box") {
    REQUIRE(intersect({{0, 0, 0}, {2, 2, 1}}, {{2, 0, 0}, {4, 2, 1}}) == Box{});
}

TEST_CASE("subtraction leaves disjoint boxes that hold just the other cells") {
    Random random(2);
    int cut = 0;
    for (int n = 0; n < 300; ++n) {
        const Box from = random_box(random), what = random_box(random);
        CAPTURE(to_string(from), to_string(what));
        const auto rest = subtract(from, what);
        REQUIRE(rest.size() <= 6);
        cut += rest.size() > 1;
        auto expected = cells(from);
        for (const Index3& cell : cells(what)) expected.erase(cell);
        std::set<Index3> found;
        for (const Box& box : rest) {
            REQUIRE(!box.empty());
            for (const Index3& cell : cells(box)) REQUIRE(found.insert(cell).second);
        }
        REQUIRE(found == expected);
    }
    REQUIRE(cut > 30);  // not only boxes that are empty or far from each other
}

TEST_CASE("hull is the smallest box around both, and an empty one adds nothing") {
    const Box a{{0, 1, 2}, {3, 4, 5}}, b{{-1, 2, 2}, {1, 9, 3}};
    REQUIRE(hull(a, b) == Box{{-1, 1, 2}, {3, 9, 5}});
    REQUIRE(hull(a, Box{}) == a);
    REQUIRE(hull(Box{}, b) == b);
}

TEST_CASE("shift moves both ends") { REQUIRE(shift({{0, 1, 2}, {3, 4, 5}}, {1, -2, 0}) == Box{{1, -1, 2}, {4, 2, 5}}); }

TEST_CASE("text of a box") { REQUIRE(to_string(Box{{-1, 0, 0}, {60, 2, 1}}) == "[-1:60, 0:2, 0:1]"); }
