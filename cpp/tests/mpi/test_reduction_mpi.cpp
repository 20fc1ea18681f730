// Reductions of numbers and fields: what they find, NaN, and sums that are exact in any order.
#include "lapwing/mpi/reduction.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/field.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), lost = std::numeric_limits<double>::quiet_NaN();

// A row of as many cells for every rank.
struct Row {
    static constexpr Index cells = 8;
    Domain domain{block_partition({{cells * world_size(), 1, 1}, {}}, {world_size(), 1, 1}), MPI_COMM_WORLD};
    ~Row() { domain.close(); }

    // The sum of numbers, dealt out to the ranks from the last one on.
    double sum_of(const std::vector<double>& numbers) {
        Field<double> field(domain, "a");
        field.allocate();
        field.fill([&](Index i, Index) {
            const std::size_t number = static_cast<std::size_t>(cells * world_size() - 1 - i);
            return number < numbers.size() ? numbers[number] : 0.0;
        });
        return total(domain, Total::sum, field.memory());
    }
};

}  // namespace

TEST_CASE("numbers of all ranks: the least, the largest, the sum") {
    Row row;
    const double mine = world_rank() + 1.0, ranks = world_size();
    REQUIRE(total(row.domain, Total::minimum, mine) == 1.0);
    REQUIRE(total(row.domain, Total::maximum, mine) == ranks);
    REQUIRE(total(row.domain, Total::sum, mine) == ranks * (ranks + 1) / 2);
    REQUIRE(minimum(row.domain, -mine) == -ranks);
    REQUIRE(maximum(row.domain, -mine) == -1.0);
    REQUIRE(maximum(row.domain, world_rank()) == world_size() - 1);
}

TEST_CASE("what is not a number on one rank is none on all") {
    Row row;
    const double mine = world_rank() == world_size() - 1 ? lost : 1.0;
    for (const Total kind : {Total::minimum, Total::maximum, Total::sum})
        REQUIRE(std::isnan(total(row.domain, kind, mine)));
    Field<float> field(row.domain, "a");
    field.allocate();
    field.fill([&](Index i, Index) { return i == 3 ? std::numeric_limits<float>::quiet_NaN() : 1.0F; });
    for (const Total kind : {Total::minimum, Total::maximum, Total::sum})
        REQUIRE(std::isnan(total(row.domain, kind, field.memory())));
}

TEST_CASE("a sum is the exact one, rounded once") {
    Row row;
    const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
    REQUIRE(row.sum_of({}) == 0.0);
    REQUIRE(row.sum_of({1e300, 1.0, -1e300}) == 1.0);
    REQUIRE(row.sum_of({1.0, 1e100, 1.0, -1e100}) == 2.0);
    REQUIRE(row.sum_of({-1e300, -1.0, 1e300}) == -1.0);
    REQUIRE(row.sum_of({tiny, tiny, tiny, -1.0, 1.0}) == 3 * tiny);
    REQUIRE(row.sum_of({huge, huge, -huge}) == huge);
    REQUIRE(row.sum_of({huge, huge}) == infinity);
    REQUIRE(row.sum_of({-huge, -huge}) == -infinity);
    REQUIRE(row.sum_of({0.1, 0.2, 0.3, -0.6}) == 0x1p-55);  // of the numbers as they are stored
    // half a unit in the last place goes to the even neighbour, what is more goes up
    REQUIRE(row.sum_of({1.0, 0x1p-53}) == 1.0);
    REQUIRE(row.sum_of({1.0, 0x1p-52, 0x1p-53}) == 1.0 + 0x1p-51);
    REQUIRE(row.sum_of({1.0, 0x1p-53, tiny}) == 1.0 + 0x1p-52);
    REQUIRE(row.sum_of({1.0, 0x1p-53, -tiny}) == 1.0);
    REQUIRE(row.sum_of({infinity, 1.0, -huge}) == infinity);
    REQUIRE(row.sum_of({-infinity, huge}) == -infinity);
    REQUIRE(std::isnan(row.sum_of({infinity, -infinity})));
}

TEST_CASE("fields of any type, with levels and components") {
    Row row;
    const double ranks = world_size(), values = 6 * Row::cells * ranks;
    Field<std::int32_t> counts(row.domain, "counts", FieldOptions{.levels = 3, .components = 2});
    REQUIRE_THROWS_WITH(total(row.domain, Total::sum, counts.memory()), Contains("counts"));
    counts.allocate();
    counts.fill(2);
    REQUIRE(total(row.domain, Total::sum, counts.memory()) == 2 * values / 2);  // fill sets the first component
    REQUIRE(total(row.domain, Total::minimum, counts.memory()) == 0.0);
    REQUIRE(total(row.domain, Total::maximum, counts.memory()) == 2.0);
    Field<std::int64_t> large(row.domain, "large");
    large.allocate();
    large.fill([](Index i, Index) { return i == 0 ? -7 : 3; });
    REQUIRE(total(row.domain, Total::minimum, large.memory()) == -7.0);
}

TEST_CASE("many numbers do not overflow what they are summed in") {
    Row row;
    Field<float> field(row.domain, "a", FieldOptions{.levels = 50000});
    field.allocate();
    field.fill(0.1F);
    const double count = 50000.0 * Row::cells * world_size();
    REQUIRE(total(row.domain, Total::sum, field.memory()) == count * static_cast<double>(0.1F));
}
