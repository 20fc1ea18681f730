// Plans without land, in one message or many, between real ranks.
#include <lapwing/wet_plan.hpp>

#include <catch2/catch.hpp>

#include "global_cells.hpp"
#include "lapwing/exchange.hpp"
#include "lapwing/regroup.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// Land in a pattern that leaves single wet columns, rows and rectangles.
Mask some_land(const Grid& grid) {
    std::vector<std::uint8_t> wet;
    for (Index j = 0; j < grid.size[1]; ++j) {
        for (Index i = 0; i < grid.size[0]; ++i) wet.push_back(i * i + 3 * j * i % 7 + j * j % 5 < 2 * i + 9 ? 1 : 0);
    }
    return {grid.size[0], grid.size[1], wet};
}

std::vector<FieldSpec> two_fields() {
    std::vector<FieldSpec> specs(2);
    specs[0].name = "levels";
    specs[0].levels = 3;
    specs[0].order = {2, 0, 1, 3};
    specs[0].extents = {Extent::horizontal(2)};
    specs[1].name = "flat";
    specs[1].type = ElementType::float32;
    specs[1].extents = {Extent::cross(1)};
    return specs;
}

// Wet cells of the halo and everything owned hold their codes.
void check_wet(const Field& field, const Partition& partition, const Mask& mask, int number) {
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
    Domain domain(block_partition(grid, best_blocks(grid, world_size())), MPI_COMM_WORLD);
    const std::vector<FieldSpec> specs = two_fields();
    std::vector<Field> fields;
    for (const FieldSpec& spec : specs) fields.emplace_back(domain.partition(), domain.rank(), spec);
    const Field* const pointers[] = {&fields[0], &fields[1]};
    const WetCost costs[] = {{}, {1, 0, 99}, {1, 1e9, 0}, {1, 1e9, 1e9}};
    for (const WetCost& cost : costs) {
        for (const Corners corners : {Corners::direct, Corners::ordered}) {
            for (const Grouping& grouping : {Grouping{}, Grouping{true, 0}, Grouping{false, 40}}) {
                const MessagePlan plan = halo_plan(domain.partition(), domain.rank(), specs, corners);
                Exchange exchange(domain, regrouped(wet_only(plan, mask, cost), grouping), pointers, pointers);
                REQUIRE(bytes_sent(exchange.plan()) <= bytes_sent(plan));
                for (int number = 0; number < 2; ++number) fill_with_codes(fields[number], grid, number);
                for (int again = 0; again < 2; ++again) exchange.run();
                for (int number = 0; number < 2; ++number) check_wet(fields[number], domain.partition(), mask, number);
            }
        }
    }
    domain.close();
}
