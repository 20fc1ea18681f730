#include "lapwing/memory/bound_plan.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "lapwing/base/error.hpp"

using namespace lapwing;

namespace {

const Grid grid{{6, 5, 1}, {false, false, false}};
// columns (1, 0), (0, 1), (2, 2) and (1, 3) of a box of 3 x 4
const std::vector<Index> columns{1, 3, 8, 10};

FieldSpec spec_of(const std::array<int, 4>& order) {
    FieldSpec spec;
    spec.name = "f";
    spec.levels = 2;
    spec.components = 3;
    spec.order = order;
    return spec;
}

// Components 1 and 2 of the listed columns of one box, copied to another.
MessagePlan listed_copy(const FieldSpec& spec) {
    const Box from{{1, 0, 0}, {4, 4, 2}}, to{{3, 1, 0}, {6, 5, 2}};
    Phase phase;
    phase.copies.push_back({0, 0, 0, from, to, 1, 3, columns});
    return {0, {spec}, {phase}};
}

double code(Index i, Index j, Index k, Index c) { return static_cast<double>(i + 10 * (j + 10 * (k + 10 * c))); }

void fill(const AnyField& field) {
    const auto view = field.view<double>();
    for (Index c = 0; c < 3; ++c) {
        for (Index k = 0; k < 2; ++k) {
            for (Index j = 0; j < 5; ++j) {
                for (Index i = 0; i < 6; ++i) view(i, j, k, c) = code(i, j, k, c);
            }
        }
    }
}

// The values in the order of the message, from the definition of the order.
std::vector<double> expected(const FieldSpec& spec) {
    std::array<Index, 4> count{};
    const int list =
        static_cast<int>(std::ranges::find_if(spec.order, [](int a) { return a < 2; }) - spec.order.begin());
    for (int n = 0; n < 4; ++n) count[n] = n == list ? 4 : spec.order[n] > 1 ? 2 : 1;
    std::vector<double> values;
    std::array<Index, 4> at{};
    for (at[3] = 0; at[3] < count[3]; ++at[3]) {
        for (at[2] = 0; at[2] < count[2]; ++at[2]) {
            for (at[1] = 0; at[1] < count[1]; ++at[1]) {
                for (at[0] = 0; at[0] < count[0]; ++at[0]) {
                    const Index column = columns[at[list]];
                    Index k = 0, c = 0;
                    for (int n = 0; n < 4; ++n) {
                        if (spec.order[n] == 2) k = at[n];
                        if (spec.order[n] == 3) c = at[n];
                    }
                    values.push_back(code(1 + column % 3, column / 3, k, c + 1));
                }
            }
        }
    }
    return values;
}

}  // namespace

TEST_CASE("an index list takes the place of x and y, in every order of the axes") {
    std::array<int, 4> order{0, 1, 2, 3};
    do {
        const FieldSpec spec = spec_of(order);
        const AnyField field(block_partition(grid, {1, 1, 1}), 0, spec);
        const AnyField* const fields[] = {&field};
        fill(field);
        const MessagePlan plan = listed_copy(spec);
        const BoundPlan bound = bind(plan, fields, fields);
        const auto& [from, to, integer] = bound.phases[0].copies[0];
        CAPTURE(order[0], order[1], order[2], order[3]);
        REQUIRE(from.bytes() == bytes(plan, plan.phases[0].copies[0]));
        REQUIRE(from.count == to.count);
        REQUIRE(from.count[from.list] == 4);

        std::vector<double> buffer(16);
        pack(from, reinterpret_cast<std::byte*>(buffer.data()));
        REQUIRE(buffer == expected(spec));
        pack(merged(from), reinterpret_cast<std::byte*>(buffer.data()));
        REQUIRE(buffer == expected(spec));

        unpack(to, reinterpret_cast<const std::byte*>(buffer.data()));
        const auto view = field.view<double>();
        const auto landed = [&](Index i, Index j, Index c) {
            const Index column = (i - 3) + 3 * (j - 1);
            return i >= 3 && j >= 1 && c > 0 && std::ranges::find(columns, column) != columns.end();
        };
        for (Index c = 0; c < 3; ++c) {
            for (Index j = 0; j < 5; ++j) {
                for (Index i = 0; i < 6; ++i) {
                    const double want = landed(i, j, c) ? code(i - 2, j - 1, 1, c) : code(i, j, 1, c);
                    REQUIRE(view(i, j, 1, c) == want);
                }
            }
        }
        unpack_add(to, reinterpret_cast<const std::byte*>(buffer.data()), false);
        REQUIRE(view(4, 1, 1, 1) == 2 * code(2, 0, 1, 1));
        REQUIRE(view(3, 1, 1, 1) == code(3, 1, 1, 1));

        fill(field);
        copy(from, to);
        REQUIRE(view(4, 1, 0, 2) == code(2, 0, 0, 2));
        REQUIRE(view(4, 1, 0, 0) == code(4, 1, 0, 0));
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("an index list of a box that the memory does not hold") {
    const FieldSpec spec = spec_of({0, 1, 2, 3});
    const AnyField field(block_partition(grid, {1, 1, 1}), 0, spec);
    const AnyField* const fields[] = {&field};
    MessagePlan plan = listed_copy(spec);
    plan.phases[0].copies[0].target_box = {{4, 1, 0}, {7, 5, 2}};
    REQUIRE_THROWS_WITH(bind(plan, fields, fields), Catch::Contains("memory of field f"));
}

TEST_CASE("the memory of a plan is what its blocks span, once where they lie between each other") {
    const Partition partition = block_partition(grid, {1, 1, 1});
    std::vector<double> memory(200, 0.0), apart(40, 0.0);
    const auto bytes = [](double* at) { return reinterpret_cast<std::byte*>(at); };
    const auto field = [&](const char* name, double* first, Index step) {
        FieldSpec spec;
        spec.name = name;
        const Box box{{0, 0, 0}, {6, 5, 1}};
        Block block{0, box, box, bytes(first), {8 * step, 48 * step, 8, 8}};
        return AnyField(partition, 0, spec, {block}, nullptr);
    };
    const AnyField u = field("u", memory.data(), 2), v = field("v", memory.data() + 1, 2);
    const AnyField backwards = field("w", apart.data() + 29, -1);
    const MessagePlan plan{0, {u.spec(), v.spec(), backwards.spec()}, {}};
    const AnyField* const fields[] = {&u, &v, &backwards};
    const BoundPlan bound = bind(plan, fields, fields);
    const auto holds = [&](double* first, std::size_t values) {
        return std::ranges::count_if(bound.memory, [&](const auto& range) {
            return range.data() == bytes(first) && range.size() == 8 * values;
        });
    };
    REQUIRE(bound.memory.size() == 2);
    REQUIRE(holds(memory.data(), 60) == 1);
    REQUIRE(holds(apart.data(), 30) == 1);
}
