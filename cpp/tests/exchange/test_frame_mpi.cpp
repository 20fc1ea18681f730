// Fields with a frame: ghost cells beyond closed sides are given to halos that reach there.
#include <catch2/catch.hpp>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/exchange/array_exchange.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

// A number of its own for each cell of the grid and of a frame of at most four cells around it; truth values repeat.
template <class T>
T number_of(const Grid& grid, const Index3& cell) {
    const Index columns = grid.size[0] + 8, rows = grid.size[1] + 8;
    const Index number = 1 + cell[0] + 4 + columns * (cell[1] + 4 + rows * (cell[2] + 4));
    if constexpr (std::is_same_v<T, bool>) return number % 3 == 0 || number % 7 == 0;
    return static_cast<T>(number);
}

// The value of a cell in the index space around the grid: the number of the cell that it is an image of.
template <class T>
T expected(const Grid& grid, const FieldSpec& spec, const Index3& cell) {
    const Box one{cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
    return number_of<T>(grid, images(grid, spec.location, grid.box(), one).front().in_grid(one).lo);
}

// Each box and the frame next to it hold their numbers, all other cells what no cell holds.
template <class T>
void fill(const Grid& grid, const AnyField& field) {
    for (int b = 0; b < std::ssize(field.blocks()); ++b) {
        const Block& block = field.blocks()[static_cast<std::size_t>(b)];
        const Box given = field.spec().with_frame(block.owned, grid, field.spec().extents[0]);
        const View<T> view = field.view<T>(b);
        for_cells(block.allocated, [&](const Index3& c) {
            const T right = expected<T>(grid, field.spec(), c);
            const bool holds = given.contains(c);
            view(c[0], c[1], c[2]) = holds ? right : std::is_same_v<T, bool> ? static_cast<T>(right == T{}) : T{};
        });
    }
}

template <class T>
Texts wrong_cells(const Grid& grid, const AnyField& field) {
    Texts wrong;
    for (int b = 0; b < std::ssize(field.blocks()); ++b) {
        const Block& block = field.blocks()[static_cast<std::size_t>(b)];
        const View<T> view = field.view<T>(b);
        for_cells(block.allocated, [&](const Index3& c) {
            const T want = expected<T>(grid, field.spec(), c), got = view(c[0], c[1], c[2]);
            if (got != want) wrong.push_back(concat(block.owned, " cell ", Box{c, c}, ": ", got, " instead of ", want));
        });
    }
    return wrong;
}

FieldSpec framed(std::string name, const Extent& extent, ElementType type = ElementType::float64) {
    FieldSpec spec = spec_of(std::move(name), extent);
    spec.type = type;
    spec.frame = true;
    return spec;
}

// Cuts of a grid for all ranks: the best blocks, rows, columns, and boxes of which a rank owns several or none.
std::vector<Partition> cuts_of(const Grid& grid) {
    const Index ranks = world_size();
    std::vector<Partition> cuts{blocks(grid), block_partition(grid, {ranks, 1, 1}),
                                block_partition(grid, {1, ranks, 1})};
    std::vector<Subdomain> dealt;
    const Partition six = block_partition(grid, {3, 2, 1});
    for (const Subdomain& s : six.subdomains())
        dealt.push_back({s.rank % std::max(1, static_cast<int>(ranks) - 1), s.box});
    cuts.emplace_back(grid, static_cast<int>(ranks), dealt);
    // staggered: the cuts of the two halves differ
    cuts.emplace_back(
        grid, static_cast<int>(ranks),
        std::vector<Subdomain>{{0, {{0, 0, 0}, {5, 3, grid.size[2]}}},
                               {static_cast<int>(1 % ranks), {{5, 0, 0}, {grid.size[0], 3, grid.size[2]}}},
                               {static_cast<int>(2 % ranks), {{0, 3, 0}, {8, grid.size[1], grid.size[2]}}},
                               {static_cast<int>(3 % ranks), {{8, 3, 0}, grid.size}}});
    return cuts;
}

void exchange_and_check(const Grid& grid, const Extent& extent) {
    for (const Partition& cut : cuts_of(grid)) {
        const std::vector<FieldSpec> specs{framed("a", extent), framed("m", extent, ElementType::boolean)};
        World world(cut);
        std::vector<AnyField> fields;
        for (const FieldSpec& spec : specs) fields.emplace_back(cut, world.rank(), spec);
        for (const Corners corners : {Corners::direct, Corners::ordered}) {
            if (corners == Corners::ordered && (!cut.aligned() || grid.north_fold != NorthFold::none)) continue;
            Exchange exchange(world.domain, pointers(fields), {.transport = transport(), .corners = corners});
            fill<double>(grid, fields[0]);
            fill<bool>(grid, fields[1]);
            exchange.run();
            REQUIRE(wrong_cells<double>(grid, fields[0]) == Texts{});
            REQUIRE(wrong_cells<bool>(grid, fields[1]) == Texts{});
        }
    }
}

}  // namespace

TEST_CASE("a frame of ghost cells fills halos beyond closed sides, whatever the cut") {
    const std::array<std::array<bool, 3>, 4> periodic{
        {{}, {true, false, false}, {false, true, false}, {true, true, false}}};
    for (const auto& ends : periodic) {
        exchange_and_check({{12, 8, 1}, ends}, Extent::horizontal(2));
        exchange_and_check({{12, 8, 1}, ends}, Extent{{2, 0, 0}, {1, 3, 0}});
    }
    exchange_and_check({{12, 8, 3}, {true, false, false}}, Extent::uniform(1));
}

TEST_CASE("a frame reaches around the open sides of a grid with a north fold") {
    const Grid tripolar{{12, 8, 2}, periodic_x, NorthFold::f_point};
    exchange_and_check(tripolar, Extent::uniform(2));
}

TEST_CASE("without a frame, ghost cells beyond closed sides are left alone") {
    World world(blocks({{12, 8, 1}, {}}));
    FieldSpec spec = spec_of("a", Extent::horizontal(2));
    const std::vector<AnyField> fields{world.field(spec)};
    Exchange exchange(world.domain, pointers(fields), {.transport = transport()});
    exchange.run();
    world.check(fields);  // expects cells without an owner untouched
}

TEST_CASE("truth values of a vector are refused") {
    FieldSpec spec = framed("m", Extent::horizontal(1), ElementType::boolean);
    spec.vector = true;
    REQUIRE_THROWS_WITH(check(spec, Grid{{12, 8, 1}, {}}), Contains("type of field m: got bool for a component"));
}
