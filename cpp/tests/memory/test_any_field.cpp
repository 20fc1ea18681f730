// Fields: where values lie, whose memory it is, and what is refused.
#include "lapwing/memory/any_field.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/plan/message_plan.hpp"

using namespace lapwing;
using Catch::Contains;

namespace {

FieldSpec spec_of(std::array<int, 4> order) {
    FieldSpec spec;
    spec.name = "h";
    spec.components = 2;
    spec.extents = {Extent{{1, 2, 0}, {3, 0, 0}}};
    spec.order = order;
    return spec;
}

Partition two_boxes_on_rank_1() {
    return {
        {{8, 5, 1}, {}}, 3, {{1, {{0, 0, 0}, {3, 5, 1}}}, {0, {{3, 0, 0}, {5, 5, 1}}}, {1, {{5, 0, 0}, {8, 5, 1}}}}};
}

}  // namespace

TEST_CASE("memory is laid out in the order of the spec, aligned, zeroed and without gaps") {
    const Partition partition = two_boxes_on_rank_1();
    std::array<int, 4> order{0, 1, 2, 3};
    do {
        const AnyField field(partition, 1, spec_of(order));
        REQUIRE(field.blocks().size() == 2);
        for (const Block& block : field.blocks()) {
            REQUIRE(block.owned == partition.subdomain(block.subdomain).box);
            REQUIRE(block.allocated == grow(block.owned, {{1, 2, 0}, {3, 0, 0}}));
            REQUIRE(reinterpret_cast<std::uintptr_t>(block.data) % 64 == 0);
            Index stride = 8;
            for (int axis : order) {
                REQUIRE(block.strides[axis] == stride);
                stride *= axis == 3 ? 2 : block.allocated.size(axis);
            }
            const auto* values = reinterpret_cast<const double*>(block.data);
            REQUIRE(std::all_of(values, values + stride / 8, [](double v) { return v == 0; }));
        }
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("every cell and component of a view is a value of its own, inside the block's memory") {
    const AnyField field(two_boxes_on_rank_1(), 1, spec_of({1, 3, 0, 2}));
    for (int b = 0; b < 2; ++b) {
        const Block& block = field.blocks()[b];
        const auto view = field.view<double>(b);
        std::vector<const double*> places;
        for (Index j = block.allocated.lo[1]; j < block.allocated.hi[1]; ++j) {
            for (Index i = block.allocated.lo[0]; i < block.allocated.hi[0]; ++i) {
                for (int c = 0; c < 2; ++c) {
                    places.push_back(&view(i, j, 0, c));
                    REQUIRE(reinterpret_cast<const std::byte*>(places.back()) == block.at({i, j, 0}, c));
                }
            }
        }
        std::ranges::sort(places);
        const auto* first = reinterpret_cast<const double*>(block.data);
        for (std::size_t n = 0; n < places.size(); ++n) REQUIRE(places[n] == first + n);
    }
}

TEST_CASE("a row pointer is indexed by the global x") {
    const AnyField field(two_boxes_on_rank_1(), 1, spec_of({0, 1, 2, 3}));
    const auto view = field.view<double>(1);
    REQUIRE(view.unit_rows());
    REQUIRE(view.row(2, 0, 1) + 6 == &view(6, 2, 0, 1));
    REQUIRE(!AnyField(two_boxes_on_rank_1(), 1, spec_of({1, 0, 2, 3})).view<double>(1).unit_rows());
}

TEST_CASE("the halo is at least what is asked for") {
    const AnyField field(two_boxes_on_rank_1(), 0, spec_of({0, 1, 2, 3}), Extent::horizontal(2));
    REQUIRE(field.blocks()[0].allocated == Box{{3 - 2, -2, 0}, {5 + 3, 5 + 2, 1}});
}

TEST_CASE("levels replace the z axis of the grid") {
    FieldSpec spec;
    spec.levels = 7;
    const AnyField field(two_boxes_on_rank_1(), 0, spec);
    REQUIRE(field.blocks()[0].allocated == Box{{3, 0, 0}, {5, 5, 7}});
}

TEST_CASE("a rank without boxes has a field without blocks") {
    REQUIRE(AnyField(two_boxes_on_rank_1(), 2, FieldSpec{}).blocks().empty());
}

TEST_CASE("a rank outside the partition is an error") {
    REQUIRE_THROWS_WITH(AnyField(two_boxes_on_rank_1(), 3, FieldSpec{}),
                        Contains("rank: got 3; expected 0 <= rank < 3"));
    REQUIRE_THROWS_AS(AnyField(two_boxes_on_rank_1(), -1, FieldSpec{}), UserError);
}

TEST_CASE("a size that overflows is refused, and memory that is not there named") {
    const auto square = [](Index n, int components) {
        FieldSpec spec;
        spec.name = "h";
        spec.components = components;
        return AnyField(block_partition({{n, n, 1}, {}}, {1, 1, 1}), 0, spec);
    };
    const Index n = Index{1} << 30;
    // 2^67 bytes: what is left of them in 64 bits is little enough to allocate
    REQUIRE_THROWS_AS(square(n, 16), UserError);
    REQUIRE_THROWS_WITH(square(n, 16), Contains("size of field h: got boxes like") && Contains("16 components"));
    REQUIRE_THROWS_AS(square(n, 1), UserError);
    REQUIRE_THROWS_AS(square(n / 16, 1), OutsideError);  // 2^55 bytes: no address space
    REQUIRE_THROWS_WITH(square(n / 16, 1), Contains("memory of field h: got none; expected 36028797018963968 bytes"));
    FieldSpec spec;
    spec.name = "h";
    spec.components = 16;
    REQUIRE_THROWS_AS(AnyField::whole({{n, n, 1}, {}}, spec, true), UserError);
    REQUIRE_NOTHROW(AnyField::whole({{n, n, 1}, {}}, spec, false));
}

TEST_CASE("a grid of more cells than indices can count with their halos is refused") {
    const Index n = Index{1} << 21;
    REQUIRE_NOTHROW(check(Grid{{n, n, n / 8}, {}}));
    REQUIRE_THROWS_AS(check(Grid{{n, n, n / 4}, {}}), UserError);
    REQUIRE_THROWS_WITH(check(Grid{{n, n, n}, {}}), Contains("2097152 x 2097152") && Contains("at most 2^60 cells"));
}

TEST_CASE("a view has the type of its field") {
    FieldSpec spec;
    spec.name = "h";
    spec.type = ElementType::int32;
    const AnyField field(two_boxes_on_rank_1(), 0, spec);
    REQUIRE_NOTHROW(field.view<std::int32_t>());
    REQUIRE_THROWS_WITH(field.view<float>(),
                        "view of field h: got float32; expected int32; ask for the type that the field has");
}

TEST_CASE("a whole grid lies on one rank only") {
    const Grid grid{{8, 5, 1}, {}};
    const AnyField here = AnyField::whole(grid, spec_of({0, 1, 2, 3}), true);
    REQUIRE(here.blocks().size() == 1);
    REQUIRE(here.blocks()[0].allocated == grid.box());
    REQUIRE(here.blocks()[0].subdomain == whole_grid);
    REQUIRE(AnyField::whole(grid, spec_of({0, 1, 2, 3}), false).blocks().empty());
}

TEST_CASE("memory outlives the field as long as somebody holds it") {
    std::shared_ptr<void> memory;
    {
        const AnyField field(two_boxes_on_rank_1(), 0, FieldSpec{});
        memory = field.keep();
    }
    REQUIRE(memory.use_count() == 1);
}

TEST_CASE("wrapped memory is used in place, whatever its strides") {
    // [y, x] with x backwards and a gap after every row
    const Partition partition({{4, 3, 1}, {}}, 1, {{0, {{0, 0, 0}, {4, 3, 1}}}});
    std::vector<float> memory(60, -1.0F);
    FieldSpec spec;
    spec.type = ElementType::float32;
    spec.extents = {Extent::horizontal(1)};
    Block block{0, {{0, 0, 0}, {4, 3, 1}}, {{-1, -1, 0}, {5, 4, 1}}, nullptr, {-4, 40, 4, 4}};
    block.data = reinterpret_cast<std::byte*>(memory.data() + 5);
    const AnyField field(partition, 0, spec, {block}, nullptr);
    const auto view = field.view<float>();
    view(-1, -1) = 1;
    view(4, 3) = 2;
    view(0, 0) = 3;
    REQUIRE(memory[5] == 1);
    REQUIRE(memory[40] == 2);
    REQUIRE(memory[14] == 3);
    REQUIRE(std::ranges::count(memory, -1.0F) == 57);
}

TEST_CASE("an array that has moved since it was wrapped is found") {
    const Partition partition({{4, 3, 1}, {}}, 1, {{0, {{0, 0, 0}, {4, 3, 1}}}});
    std::vector<double> level(12);
    FieldSpec spec;
    spec.name = "level";
    const Box all{{0, 0, 0}, {4, 3, 1}};
    const Block block{0, all, all, reinterpret_cast<std::byte*>(level.data()), {8, 32, 96, 8}};
    const AnyField field(partition, 0, spec, {block}, nullptr);
    REQUIRE_NOTHROW(field.require_unmoved(level.data()));
    const std::vector<double> before = std::exchange(level, std::vector<double>(24));
    REQUIRE_THROWS_WITH(field.require_unmoved(level.data()),
                        Contains("array of field level: got one that was freed or moved") &&
                            Contains("wrap it again, and make its exchanges and steps again"));
}

TEST_CASE("wrapped memory that does not fit is refused") {
    const Partition partition = two_boxes_on_rank_1();
    FieldSpec spec;
    spec.name = "h";
    spec.extents = {Extent::cross(1)};
    std::vector<double> memory(200);
    const Box owned{{3, 0, 0}, {5, 5, 1}};
    const Block good{0, owned, {{2, -1, 0}, {6, 6, 1}}, reinterpret_cast<std::byte*>(memory.data()), {8, 32, 8, 8}};
    const auto wrap = [&](std::vector<Block> blocks) {
        return AnyField(partition, 0, spec, std::move(blocks), nullptr);
    };
    REQUIRE_NOTHROW(wrap({good}));
    REQUIRE_THROWS_WITH(wrap({}), Contains("arrays of field h: got 0; expected 1, one per box of this rank"));
    for (std::size_t a = 0; a < 2; ++a) {
        Block block = good;
        --block.allocated.hi[a];
        REQUIRE_THROWS_WITH(wrap({block}), Contains("memory of field h: got") && Contains("at least [2:6, -1:6, 0:1]"));
        block = good;
        ++block.allocated.lo[a];
        REQUIRE_THROWS_AS(wrap({block}), UserError);
    }
    Block block = good;
    block.owned.lo[0] = 4;
    REQUIRE_THROWS_AS(wrap({block}), UserError);
    block = good;
    block.strides[1] = 36;
    REQUIRE_THROWS_WITH(wrap({block}), Contains("strides of field h: got 36 bytes; expected multiples of 8 bytes"));
}

TEST_CASE("modified counts versions") {
    AnyField field(two_boxes_on_rank_1(), 0, FieldSpec{});
    const auto before = field.version();
    field.modified();
    REQUIRE(field.version() == before + 1);
}

TEST_CASE("element types and locations have names") {
    for (const char* name : {"float32", "float64", "int32", "int64"}) {
        REQUIRE(to_string(element_type_from(name)) == name);
    }
    REQUIRE(size_of(ElementType::float32) == 4);
    REQUIRE(size_of(ElementType::int64) == 8);
    REQUIRE_THROWS_WITH(element_type_from("float16"), Contains("element type: got float16; expected float32, float64"));
    REQUIRE(to_string(location_from("yface")) == "yface");
    REQUIRE_THROWS_WITH(location_from("edge"), Contains("location: got edge; expected center, xface, yface or corner"));
}

TEST_CASE("components in own pages fall on different lines of the nearest cache") {
    FieldSpec spec;
    spec.name = "streams";
    spec.components = 19;
    const Partition partition = block_partition(Grid{{14, 16, 16}, {}}, {1, 1, 1});  // 16^3 with halo: 32 KiB
    const AnyField field = AnyField::with_own_pages(partition, 0, spec, Extent::uniform(1)),
                   same = AnyField::like(field);
    for (const AnyField* one : {&field, &same}) {
        const Block& block = one->blocks()[0];
        std::vector<std::uintptr_t> lines;
        for (int c = 0; c < spec.components; ++c)
            lines.push_back(reinterpret_cast<std::uintptr_t>(block.at(block.owned.lo, c)) / 64 % 64);
        std::ranges::sort(lines);
        CHECK(std::ranges::adjacent_find(lines) == lines.end());
        const Index bytes = block.allocated.volume() * 8;  // rows are two lines
        CHECK(block.strides[3] >= bytes);
        CHECK(block.strides[3] < bytes + 4096);
        // none overlaps another
        const View<double> view = one->view<double>();
        const Index3 first = block.allocated.lo,
                     last{block.allocated.hi[0] - 1, block.allocated.hi[1] - 1, block.allocated.hi[2] - 1};
        for (int c = 0; c < spec.components; ++c) {
            CHECK(view(first[0], first[1], first[2], c) == 0.0);
            view(last[0], last[1], last[2], c) = 1.0 + c;
        }
    }
}

TEST_CASE("rows of components have no lines to begin on") {
    FieldSpec spec;
    spec.name = "pairs";
    spec.components = 2;
    spec.order = {3, 0, 1, 2};
    const Partition partition{{{9, 5, 4}, {}}, 1, {{0, {{0, 0, 0}, {9, 5, 4}}}}};
    REQUIRE_THROWS_WITH(AnyField::with_own_pages(partition, 0, spec, {}, RowLayout::on_lines),
                        Catch::Contains("components fastest, on lines"));
    REQUIRE_NOTHROW(AnyField::with_own_pages(partition, 0, spec));
}

TEMPLATE_TEST_CASE("rows begin on lines where this is asked for", "", float, double) {
    FieldSpec spec;
    spec.name = "rows";
    spec.type = element_type<TestType>();
    spec.components = 3;
    const Index cells = GENERATE(18, 31, 32, 33, 48), cut = cells / 2;
    const Partition partition{
        {{cells, 5, 4}, {}}, 1, {{0, {{0, 0, 0}, {cut, 5, 4}}}, {0, {{cut, 0, 0}, {cells, 5, 4}}}}};
    const Extent halo = GENERATE(Extent::uniform(1), Extent::uniform(3));
    const AnyField field = AnyField::with_own_pages(partition, 0, spec, halo, RowLayout::on_lines);
    REQUIRE(field.blocks().size() == 2);
    for (const Block& block : field.blocks()) {
        const auto& [lo, hi] = block.owned;
        for (Index k = lo[2]; k < hi[2]; ++k)
            for (Index j = lo[1]; j < hi[1]; ++j)
                for (int c = 0; c < spec.components; ++c)
                    CHECK(reinterpret_cast<std::uintptr_t>(block.at({lo[0], j, k}, c)) % 64 == 0);
    }
    const Block& second = field.blocks()[1];  // which ends the memory
    const std::byte* end = second.at(second.allocated.lo, 2) + second.strides[3];
    const std::byte* begin = static_cast<const std::byte*>(field.keep().get());
    const Index bytes = AnyField::declared(partition, 0, spec, {}, true, RowLayout::on_lines).bytes_with(halo);
    CHECK(bytes >= end - begin);
    CHECK(bytes < end - begin + 64);
    // every value has its own place
    TestType number = 0;
    const auto all = [&](auto visit) {
        for (int b = 0; b < 2; ++b)
            for (int c = 0; c < spec.components; ++c) {
                const View<TestType> view = field.view<TestType>(b);
                const auto& [lo, hi] = field.blocks()[b].allocated;
                for (Index k = lo[2]; k < hi[2]; ++k)
                    for (Index j = lo[1]; j < hi[1]; ++j)
                        for (Index i = lo[0]; i < hi[0]; ++i) visit(view(i, j, k, c));
            }
    };
    all([&](TestType& value) { value = ++number; });
    number = 0;
    bool kept = true;
    all([&](TestType& value) { kept = kept && value == ++number; });
    CHECK(kept);
}

TEST_CASE("a view of values that may be written is one of values to read, and not the reverse") {
    static_assert(!std::is_convertible_v<View<const double>, View<double>>);
    static_assert(!std::is_convertible_v<View<float>, View<const double>>);
    const AnyField field(two_boxes_on_rank_1(), 1, spec_of({1, 0, 2, 3}));
    const View<double> view = field.view<double>(1);
    const View<const double> read = view;
    REQUIRE(&read(6, 2, 0, 1) == &view(6, 2, 0, 1));
}

TEST_CASE("a declared field gets the halo that it was declared with, and more where more is asked for") {
    FieldSpec spec = spec_of({0, 1, 2, 3});
    spec.extents.assign(spec.components, Extent{});  // so that the halo is of the memory alone
    AnyField field = AnyField::declared(two_boxes_on_rank_1(), 1, spec, Extent{{1, 0, 0}, {1, 0, 0}});
    CHECK_FALSE(field.has_memory());
    const Extent asked{{0, 2, 0}, {0, 0, 0}};
    const Index bytes = field.bytes_with(asked);
    field.allocate(asked);
    CHECK(field.has_memory());
    Index values = 0;
    for (const Block& block : field.blocks()) {
        CHECK(block.allocated == grow(block.owned, Extent{{1, 2, 0}, {1, 0, 0}}));
        values += block.allocated.volume() * spec.components;
    }
    CHECK(bytes >= values * static_cast<Index>(size_of(spec.type)));
    CHECK(field.spec() == spec);
}
