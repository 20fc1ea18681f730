// Masks against counting cell by cell.
#include "lapwing/grid/mask.hpp"

#include <algorithm>
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

TEST_CASE("bands of any height count what a table of all rows does") {
    Random random(3);
    for (int n = 0; n < 300; ++n) {
        const Index nx = random.between(1, 200), ny = random.between(1, 150);
        const int one_in = random.between(1, 40);
        std::vector<std::uint8_t> wet(nx * ny);
        for (auto& cell : wet) cell = random.between(1, one_in) == 1 ? 255 : 0;
        wet[random.between(0, static_cast<int>(nx * ny) - 1)] = 1;
        const Mask all(nx, ny, wet, 1), banded(nx, ny, wet, Index{1} << random.between(1, 7));
        for (int boxes = 0; boxes < 60; ++boxes) {
            Box box{{random.between(-70, 210), random.between(-40, 160), 3}, {0, 0, 8}};
            box.hi[0] = box.lo[0] + random.between(0, 280);
            box.hi[1] = box.lo[1] + random.between(0, 200);
            CAPTURE(nx, ny, to_string(box));
            REQUIRE(banded.count(box) == all.count(box));
            REQUIRE(banded.wet_bounds(box) == all.wet_bounds(box));
        }
        const auto all_wet = std::ranges::count_if(wet, [](int cell) { return cell != 0; });
        REQUIRE(banded.count({{0, 0, 0}, {nx, ny, 1}}) == all_wet);
    }
}

TEST_CASE("every cell of a banded mask is wet as given") {
    for (const Index nx : {63, 64, 65, 128}) {
        for (const Index band : {2, 32}) {
            const Index ny = 67;
            std::vector<std::uint8_t> wet(nx * ny);
            for (Index at = 0; at < nx * ny; ++at) wet[at] = at % 5 == 0 || at % 7 == 3;
            const Mask mask(nx, ny, wet, band);
            for (Index at = 0; at < nx * ny; ++at) REQUIRE(mask.wet(at % nx, at / nx) == (wet[at] != 0));
        }
    }
}

TEST_CASE("fingerprints: a cell changes that of a banded mask") {
    std::vector<std::uint8_t> wet(70 * 50, 1);
    const std::uint64_t before = Mask(70, 50, wet, 32).fingerprint();
    REQUIRE(Mask(70, 50, wet, 32).fingerprint() == before);
    wet[49 * 70 + 66] = 0;  // above the last row of the table
    REQUIRE(Mask(70, 50, wet, 32).fingerprint() != before);
}

TEST_CASE("bands that are no power of two are an error") {
    const std::vector<std::uint8_t> wet(6, 1);
    for (const Index band : {-1, 3, 256}) {
        REQUIRE_THROWS_WITH(Mask(3, 2, wet, band), Catch::StartsWith("band of a mask: got " + std::to_string(band)));
    }
}

TEST_CASE("what lies outside the grid is dry") {
    const std::vector<std::uint8_t> wet{1, 1, 1, 1};
    for (const Index band : {1, 32}) {
        const Mask mask(2, 2, wet, band);
        REQUIRE(!mask.wet(-1, 0));
        REQUIRE(!mask.wet(0, 2));
        REQUIRE(mask.count({{-5, -5, 0}, {9, 9, 1}}) == 4);
    }
}

TEST_CASE("a mask of the wrong size, or all land, is an error") {
    const std::vector<std::uint8_t> dry(6, 0);
    REQUIRE_THROWS_WITH(Mask(3, 2, dry), Catch::StartsWith("mask: got no wet cell; expected at least one"));
    REQUIRE_THROWS_WITH(Mask(3, 3, dry), Catch::StartsWith("mask: got 6 values; expected 3 x 3 values"));
    REQUIRE_THROWS_AS(Mask(0, 6, std::vector<std::uint8_t>{}), UserError);
}
