// Masks against counting cell by cell.
#include "lapwing/grid/mask.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

TEST_CASE("counts and wet bounds are those of a loop over cells") {
    Random random(1);
    for (int n = 0; n < 200; ++n) {
        const Index nx = random.between(1, 9), ny = random.between(1, 9);
        const int one_in = random.between(1, 12);
        std::vector<std::uint8_t> wet(nx * ny);
        for (auto& cell : wet) cell = random.between(1, one_in) == 1 ? 7 : 0;  // any nonzero is wet
        wet[random.between(0, static_cast<int>(nx * ny) - 1)] = 1;
        const Mask mask(nx, ny, wet);
        Box box{{random.between(-2, 6), random.between(-2, 6), 3}, {0, 0, 8}};
        box.hi[0] = box.lo[0] + random.between(0, 12);
        box.hi[1] = box.lo[1] + random.between(0, 12);
        Index count = 0;
        Box bounds;
        for (Index j = 0; j < ny; ++j) {
            for (Index i = 0; i < nx; ++i) {
                const bool is_wet = wet[j * nx + i] != 0;
                REQUIRE(mask.wet(i, j) == is_wet);
                const Box column{{i, j, 3}, {i + 1, j + 1, 8}};
                if (!is_wet || !box.contains(column)) continue;
                ++count;
                bounds = hull(bounds, column);
            }
        }
        CAPTURE(nx, ny, to_string(box));
        REQUIRE(mask.count(box) == count);
        REQUIRE(mask.wet_bounds(box) == bounds);
    }
}

TEST_CASE("wet bounds of few wet columns far apart are found") {
    Random random(2);
    for (int n = 0; n < 400; ++n) {
        const Index nx = random.between(1, 70), ny = random.between(1, 70);
        std::vector<std::uint8_t> wet(nx * ny);
        Box box{{random.between(0, 30), random.between(0, 30), 0}, {random.between(31, 75), random.between(31, 75), 2}};
        Box bounds;
        for (int points = random.between(1, 5); points > 0; --points) {
            const Index i = random.between(0, static_cast<int>(nx) - 1),
                        j = random.between(0, static_cast<int>(ny) - 1);
            wet[j * nx + i] = 1;
            const Box column{{i, j, 0}, {i + 1, j + 1, 2}};
            if (box.contains(column)) bounds = hull(bounds, column);
        }
        CAPTURE(nx, ny, to_string(box));
        REQUIRE(Mask(nx, ny, wet).wet_bounds(box) == bounds);
    }
}

TEST_CASE("what lies outside the grid is dry") {
    const std::vector<std::uint8_t> wet{1, 1, 1, 1};
    const Mask mask(2, 2, wet);
    REQUIRE(!mask.wet(-1, 0));
    REQUIRE(!mask.wet(0, 2));
    REQUIRE(mask.count({{-5, -5, 0}, {9, 9, 1}}) == 4);
}

TEST_CASE("a mask of 34 million columns counts as a small one does") {
    const Index nx = 8200, ny = 4100;
    std::vector<std::uint8_t> wet(nx * ny, 0);
    const auto set = [&](const Box& box, std::uint8_t to) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) wet[j * nx + i] = to;
        }
    };
    const Box sea{{100, 50, 0}, {8150, 4077, 1}}, island{{1000, 1000, 0}, {3001, 2050, 1}};
    set(sea, 9);
    set(island, 0);
    const Mask mask(nx, ny, wet);
    REQUIRE(mask.wet_bounds({{-3, -3, 0}, {nx + 3, ny + 3, 1}}) == sea);
    REQUIRE(mask.count(sea) == Index{8050} * 4027 - Index{2001} * 1050);
    REQUIRE(mask.count({{0, 1037, 0}, {2050, 5000, 1}}) == Index{1950} * 3040 - Index{1050} * 1013);
    const std::uint64_t before = mask.fingerprint();
    set({{8149, 4076, 0}, {8150, 4077, 1}}, 0);
    REQUIRE(Mask(nx, ny, wet).fingerprint() != before);
}

TEST_CASE("a mask of the wrong size, or all land, is an error") {
    const std::vector<std::uint8_t> dry(6, 0);
    REQUIRE_THROWS_WITH(Mask(3, 2, dry), Catch::StartsWith("mask: got no wet cell; expected at least one"));
    REQUIRE_THROWS_WITH(Mask(3, 3, dry), Catch::StartsWith("mask: got 6 values; expected 3 x 3 values"));
    REQUIRE_THROWS_AS(Mask(0, 6, std::vector<std::uint8_t>{}), UserError);
}
