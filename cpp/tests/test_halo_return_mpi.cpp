// Values that were written into halos arrive at their owners, but where the owner keeps its own.
#include <lapwing/halo_return.hpp>

#include <catch2/catch.hpp>

#include <vector>

#include "count_allocations.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

TEST_CASE("what is kept is as before, the rest as its writer left it") {
    World world(blocks(Grid{{12, 8, 1}, {true, true, false}}));
    FieldSpec spec = spec_of("pushed", Extent{});
    spec.extents[0].hi[0] = 1;  // every cell was written from the one before it along x
    Field field(world.partition(), world.rank(), spec);
    const View<double> view = field.view<double>();
    const Box owned = field.blocks()[0].owned;
    const auto written = [](Index i, Index j) { return static_cast<double>(100 * ((i + 12) % 12) + j); };
    std::vector<std::byte*> kept;
    for (Index j = owned.lo[1]; j < owned.hi[1]; j += 2) kept.push_back(field.blocks()[0].at({owned.lo[0], j, 0}, 0));
    HaloReturn back(world.domain, field, transport(), kept.size() * sizeof(double));

    for (const bool keeps : {false, true}) {
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j) {
            view(owned.lo[0], j) = -1.0;
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) view(i + 1, j) = written(i + 1, j);
        }
        const long before = allocations();
        keeps ? back.run(kept, sizeof(double)) : back.run();
        if (keeps) CHECK(allocations() == before);
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j) {
            const bool mine = keeps && (j - owned.lo[1]) % 2 == 0;
            CHECK(view(owned.lo[0], j) == (mine ? -1.0 : written(owned.lo[0], j)));
            for (Index i = owned.lo[0] + 1; i < owned.hi[0]; ++i) CHECK(view(i, j) == written(i, j));
        }
    }
}
