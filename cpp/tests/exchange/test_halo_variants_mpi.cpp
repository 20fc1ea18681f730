// Halo on demand between real ranks: what was asked for arrives, what lies beyond stays.
#include "lapwing/exchange/halo_variants.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

std::vector<FieldSpec> wide_and_slim() {
    FieldSpec slim = spec_of("slim", Extent{{1, 2, 0}, {2, 1, 0}, false});
    slim.type = ElementType::float32;
    slim.levels = 2;
    return {spec_of("wide", Extent::horizontal(3)), slim};
}

// Two fields of different widths.
struct HaloWorld : World {
    HaloWorld() : World(blocks({{12, 10, 1}, {true, true, false}}), wide_and_slim()) {}

    [[nodiscard]] HaloVariants variants(std::vector<Extent> extents, const ExchangeOptions& options = {}) {
        return {domain, pointers(fields), std::move(extents), options};
    }

    // Every halo cell within `extent` and within the halo of its field has arrived, and no other.
    void check(const Extent& extent) const {
        for (int n = 0; n < 2; ++n) {
            const AnyField& field = fields[n];
            FieldSpec narrow = field.spec();
            Extent& own = narrow.extents[0];
            for (std::size_t a = 0; a < 3; ++a) {
                own.lo[a] = std::min(own.lo[a], extent.lo[a]);
                own.hi[a] = std::min(own.hi[a], extent.hi[a]);
            }
            own.corners = own.corners && extent.corners;
            with_type(narrow.type, [&]<class T>(T) { check_cells<T>(field, narrow, n); });
        }
    }

  private:
    template <class T>
    void check_cells(const AnyField& field, const FieldSpec& narrow, int number) const {
        const Block& block = field.blocks()[0];
        const auto view = field.view<T>();
        for_cells(block.allocated, [&](const Index3& cell) {
            const bool filled = block.owned.contains(cell) || needed(partition(), narrow, block, cell, 0);
            const T want = static_cast<T>(filled ? code(grid(), cell, 0, number) : Index{untouched});
            CAPTURE(narrow.name, cell[0], cell[1], cell[2]);
            REQUIRE(view(cell[0], cell[1], cell[2]) == want);
        });
    }
};

const std::vector<Extent> planned{Extent::horizontal(3), Extent::horizontal(1), Extent{{2, 0, 0}, {0, 1, 0}, false},
                                  Extent::cross(2)};

}  // namespace

TEST_CASE("each planned extent arrives, and nothing beyond it") {
    HaloWorld world;
    for (const Corners corners : {Corners::direct, Corners::ordered}) {
        HaloVariants variants = world.variants(planned, {.corners = corners});
        REQUIRE(variants.extents().size() == planned.size());
        for (int again = 0; again < 2; ++again) {
            for (const Extent& extent : planned) {
                world.fill();
                variants.start(extent).wait();
                world.check(extent);
            }
        }
    }
}

TEST_CASE("an extent between the planned ones takes the narrowest that covers it") {
    HaloWorld world;
    HaloVariants variants = world.variants(planned);
    const std::pair<Extent, Extent> asked_taken[] = {
        {Extent{{1, 0, 0}, {}}, planned[2]},
        {Extent{{0, 0, 0}, {0, 1, 0}}, planned[2]},
        {Extent::cross(1), Extent::horizontal(1)},
        {Extent{{2, 0, 0}, {1, 0, 0}}, Extent::cross(2)},
        {Extent{{2, 1, 0}, {0, 0, 0}}, Extent::horizontal(3)},
        {Extent{}, planned[2]},
    };
    for (const auto& [asked, taken] : asked_taken) {
        world.fill();
        variants.start(asked).wait();
        world.check(taken);
        REQUIRE(&variants.variant(asked) == &variants.variant(taken));
    }
    REQUIRE(variants.buffer_bytes() >= variants.variant(planned[0]).buffer_bytes());
}

TEST_CASE("ranks that ask differently agree on what covers all") {
    HaloWorld world;
    HaloVariants variants = world.variants(planned);
    const bool last = world.rank() == world_size() - 1;
    world.fill();
    variants.start_agreed(last ? Extent::horizontal(1) : Extent{}).wait();
    world.check(Extent::horizontal(1));

    // x here and y there make a cross, not a halo with corners
    world.fill();
    const Extent along_x{{2, 0, 0}, {2, 0, 0}}, along_y{{0, 2, 0}, {0, 2, 0}};
    variants.start_agreed(world.rank() == 0 ? along_x : along_y).wait();
    world.check(Extent::cross(2));

    world.fill();
    variants.start_agreed(last ? Extent{{2, 0, 0}, {}} : Extent{{}, {0, 1, 0}}).wait();
    world.check(planned[2]);
}

TEST_CASE("halos go back to their owners in the width that is asked for") {
    HaloWorld world;
    HaloVariants variants = world.variants({Extent{{1, 0, 0}, {0, 0, 0}}, Extent{{3, 0, 0}, {3, 0, 0}}},
                                           {.reverse = true, .arrival = Arrival::add});
    const AnyField& field = world.fields[0];
    const auto view = field.view<double>();
    for_cells(field.blocks()[0].allocated, [&](const Index3& c) { view(c[0], c[1]) = 1; });
    variants.start({{1, 0, 0}, {0, 0, 0}}).wait();
    const Box& owned = field.blocks()[0].owned;
    for_cells(owned, [&](const Index3& c) { REQUIRE(view(c[0], c[1]) == (c[0] == owned.hi[0] - 1 ? 2 : 1)); });
}

TEST_CASE("what cannot be started says so, on all ranks where it is agreed") {
    HaloWorld world;
    HaloVariants variants = world.variants({Extent::cross(2), Extent::horizontal(1)});
    REQUIRE_THROWS_WITH(variants.start(Extent::horizontal(2)),
                        Catch::Contains("halo of wide, slim: got around(2); expected an extent within "
                                        "one of: around(1); cross(2)"));
    REQUIRE_THROWS_AS(variants.start(Extent{{3, 0, 0}, {}}), UserError);
    const bool last = world.rank() == world_size() - 1;
    REQUIRE_THROWS_WITH(variants.start_agreed(last ? Extent::horizontal(2) : Extent{}),
                        Catch::Contains("plan a variant that reaches as far"));

    Pending pending = variants.start(Extent::cross(1));
    REQUIRE_THROWS_WITH(variants.start(Extent::cross(2)), Catch::Contains("start while another is unfinished"));
    REQUIRE_THROWS_WITH(variants.start_agreed(Extent::cross(2)), Catch::Contains("start while another is unfinished"));
    pending.wait();
    variants.start_agreed(Extent::cross(2)).wait();
}

TEST_CASE("variants that cannot be planned raise together") {
    HaloWorld world;
    const bool last = world.rank() == world_size() - 1;
    REQUIRE_THROWS_WITH(world.variants({}), Catch::Contains("halo variants: got none; expected at least one extent"));
    REQUIRE_THROWS_WITH(
        world.variants({Extent::horizontal(1), Extent{{0, 4, 0}, {}}}),
        Catch::Contains("extent of a halo variant: got behind(y, 4); expected at most that of the fields: "
                        "around(3)"));
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    REQUIRE_THROWS_WITH(world.variants({Extent::horizontal(last ? 1 : 2)}), Catch::Contains("halo variants: got"));
    REQUIRE_THROWS_WITH(world.variants(planned, {.corners = last ? Corners::ordered : Corners::direct}),
                        Catch::Contains("ordered corners"));
}
