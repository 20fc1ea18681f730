// Plans without land, in one message or many, between real ranks.
#include "lapwing/plan/wet_plan.hpp"

#include <catch2/catch.hpp>

#include "lapwing/plan/chunks.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Land in a pattern that leaves single wet columns, rows and rectangles.
Mask some_land(const Grid& grid) {
    std::vector<std::uint8_t> wet;
    for (Index j = 0; j < grid.size[1]; ++j) {
        for (Index i = 0; i < grid.size[0]; ++i) wet.push_back(i * i + 3 * j * i % 7 + j * j % 5 < 2 * i + 9 ? 1 : 0);
    }
    return {grid.size[0], grid.size[1], wet};
}

std::vector<FieldSpec> two_fields() {
    FieldSpec levels = spec_of("levels", Extent::horizontal(2)), flat = spec_of("flat", Extent::cross(1));
    levels.levels = 3;
    levels.order = {2, 0, 1, 3};
    flat.type = ElementType::float32;
    return {levels, flat};
}

// Wet cells of the halo and everything owned hold their codes.
void check_wet(const AnyField& field, const Partition& partition, const Mask& mask, int number) {
    const Grid& grid = partition.grid();
    const auto wrapped = [&](Index v, int a) { return (v % grid.size[a] + grid.size[a]) % grid.size[a]; };
    with_type(field.spec().type, [&]<class T>(T) {
        const auto view = field.view<T>();
        const Block& block = field.blocks()[0];
        for_cells(block.allocated, [&](const Index3& cell) {
            const bool owned = block.owned.contains(cell);
            if (!owned && !needed(partition, field.spec(), block, cell, 0)) return;
            if (!owned && !mask.wet(wrapped(cell[0], 0), wrapped(cell[1], 1))) return;
            CAPTURE(field.spec().name, cell[0], cell[1], cell[2]);
            REQUIRE(view(cell[0], cell[1], cell[2]) == static_cast<T>(code(grid, cell, 0, number)));
        });
    });
}

}  // namespace

TEST_CASE("wet values arrive through lists, patches and chunks") {
    const Grid grid{{12, 10, 1}, {true, true, false}};
    const Mask mask = some_land(grid);
    const std::vector<FieldSpec> specs = two_fields();
    World world(blocks(grid), specs);
    const std::vector<const AnyField*> both = pointers(world.fields);
    const WetCost costs[] = {{}, {1, 0, 99}, {1, 1e9, 0}, {1, 1e9, 1e9}};
    for (const WetCost& cost : costs) {
        for (const Corners corners : {Corners::direct, Corners::ordered}) {
            for (const Index chunk : {1000000, 40}) {
                const MessagePlan plan = halo_plan(world.partition(), world.rank(), specs, corners);
                Exchange exchange(world.domain, {in_chunks(wet_only(plan, mask, cost), chunk)}, both, both);
                REQUIRE(bytes_sent(exchange.plan()) <= bytes_sent(plan));
                world.fill();
                for (int again = 0; again < 2; ++again) exchange.run();
                for (std::size_t f = 0; f < 2; ++f)
                    check_wet(world.fields[f], world.partition(), mask, static_cast<int>(f));
            }
        }
    }
}
