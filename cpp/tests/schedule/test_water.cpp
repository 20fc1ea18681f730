// Boxes that follow a coast hold all water once, and the land that stages compute is what must be computed.
#include "schedule/land/water.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "coasts.hpp"
#include "lapwing/plan/wet_plan.hpp"
#include "schedule/land/wet_parts.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Every wet column of `box` lies in one of the boxes, and none in two.
template <class Wet>
void require_all_water_once(const Box& box, const std::vector<Box>& boxes, const Wet& wet) {
    for (const Box& one : boxes) REQUIRE(box.contains(one));
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const auto holding =
                std::ranges::count_if(boxes, [&](const Box& one) { return one.contains(Index3{i, j, box.lo[2]}); });
            REQUIRE(holding <= 1);
            if (wet(i, j)) REQUIRE(holding == 1);
        }
    }
}

// They hold no land, and so many cells.
void require_exact(const std::vector<Box>& parts, Index cells) {
    for (const Box& part : parts) cells -= part.volume();
    REQUIRE(cells == 0);
}

StageSpec writing(std::vector<int> fields) {
    StageSpec stage;
    stage.writes = std::move(fields);
    return stage;
}

}  // namespace

TEST_CASE("stretches of water hold all of it once, in the order of memory, and no longer stretch of land") {
    for (const Coast& coast : coasts()) {
        INFO(coast.name);
        const Box box = coast.grid.box();
        const auto wet = [&](Index i, Index j) { return coast.mask.wet(i, j); };
        for (const Index gap : {0, 1, 3, 1000}) {
            const std::vector<Box> parts = wet_rows(box, wet, gap);
            require_all_water_once(box, parts, wet);
            for (std::size_t n = 0; n < parts.size(); ++n) {
                REQUIRE((wet(parts[n].lo[0], parts[n].lo[1]) && wet(parts[n].hi[0] - 1, parts[n].lo[1])));
                if (n == 0) continue;
                const bool same_row = parts[n].lo[1] == parts[n - 1].lo[1];
                REQUIRE((same_row || parts[n].lo[1] >= parts[n - 1].hi[1]));
                if (same_row) REQUIRE(parts[n].lo[0] - parts[n - 1].hi[0] > gap);
            }
        }
        require_exact(wet_rows(box, wet, 0), coast.wet());
    }
}

TEST_CASE("halves of boxes hold all water once, and cost no more than one box") {
    for (const Coast& coast : coasts()) {
        INFO(coast.name);
        const Box box = coast.grid.box();
        const auto wet = [&](Index i, Index j) { return coast.mask.wet(i, j); };
        for (const auto& [call, row] : std::vector<BoxCost>{{0, 0}, {1, 0}, {5, 0}, {5, 3}, {30, 90}, {10000, 0}}) {
            const auto price = [&](const Box& part) {
                return call + part.volume() + (part.size(0) < box.size(0) ? row * part.size(1) : 0);
            };
            const std::vector<Box> parts = wet_halves(box, wet, {call, row});
            require_all_water_once(box, parts, wet);
            Index cost = 0;
            for (const Box& part : parts) cost += price(part);
            REQUIRE(cost <= std::min(price(box), price(coast.mask.wet_bounds(box))));
            for (const Box& part : parts) REQUIRE(coast.mask.wet_bounds(part).size(1) == part.size(1));
            for (const Box& part : parts) REQUIRE((row > 0 || coast.mask.wet_bounds(part) == part));
        }
        require_exact(wet_halves(box, wet, {}), coast.wet());
    }
}

TEST_CASE("rows between the same coasts are one stretch, and a strait is none of its own") {
    const auto sea = coast("ring", 60, 40, [](Index i, Index j) {
        const bool island = i >= 10 && i < 50 && j >= 10 && j < 12, strait = j == 30 && i >= 20 && i < 23;
        return !island && !strait && j < 38;
    });
    const auto wet = [&](Index i, Index j) { return sea.mask.wet(i, j); };
    const Box box{{0, 0, 2}, {60, 40, 5}};  // with its layers
    REQUIRE(wet_rows(box, wet, 10) == std::vector<Box>{{{0, 0, 2}, {60, 10, 5}},
                                                       {{0, 10, 2}, {10, 11, 5}},
                                                       {{50, 10, 2}, {60, 11, 5}},
                                                       {{0, 11, 2}, {10, 12, 5}},
                                                       {{50, 11, 2}, {60, 12, 5}},
                                                       {{0, 12, 2}, {60, 38, 5}}});
    REQUIRE(wet_rows({{10, 10, 0}, {50, 12, 1}}, wet, 10).empty());
    REQUIRE(wet_halves({{10, 10, 0}, {50, 12, 1}}, wet, {10, 0}).empty());
    REQUIRE(wet_halves(box, wet, {10000, 0}) == std::vector<Box>{{{0, 0, 2}, {60, 38, 5}}});
}

TEST_CASE("stages leave out the land that is dry at the places of all fields that they write") {
    Random random(3);
    const Coast coast = random_coast(random, 18, 14, 9);
    const auto mask = std::make_shared<const Mask>(coast.mask);
    const std::vector<Location> all{Location::center, Location::xface, Location::yface, Location::corner};
    std::vector<std::optional<Location>> places(all.begin(), all.end());
    places.emplace_back();  // a field whose land changes
    const Water water(mask, places);
    const Box box{{-3, -2, 0}, {21, 15, 1}};  // a rim beyond both sides of the grid
    for (const std::vector<int>& fields : std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {0, 1}, {2, 1}, {3, 0}}) {
        const auto wet = [&](Index i, Index j) {
            return std::ranges::any_of(fields, [&](int f) { return touches_water(coast.mask, i, j, all[f]); });
        };
        const auto& parts = water.parts(writing(fields), box, {});
        require_all_water_once(box, parts, wet);
        Index expected = 0;
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) expected += wet(i, j) ? 1 : 0;
        require_exact(parts, expected);
    }
}

TEST_CASE("stages compute land where a field may change, and where their end may look at it") {
    const auto mask =
        std::make_shared<const Mask>(coast("a corner", 8, 8, [](Index i, Index j) { return i + j < 3; }).mask);
    const Water water(mask, {Location::center, std::nullopt});
    const Box box{{0, 0, 0}, {8, 8, 1}};
    const std::vector<Box> whole{box};
    REQUIRE(water.parts(writing({0}), box, {}) != whole);
    REQUIRE(water.parts(writing({0, 1}), box, {}) == whole);
    REQUIRE(water.parts(writing({1}), box, {}) == whole);
    REQUIRE(water.parts(writing({}), box, {}) == whole);
    StageSpec reducing = writing({0});
    reducing.reduces = true;
    REQUIRE(water.parts(reducing, box, {}) == whole);
    REQUIRE(water.parts(writing({0}), {{4, 4, 0}, {8, 8, 1}}, {}).empty());
}
