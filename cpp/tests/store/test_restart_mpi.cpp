// Restart stores: a state goes on from any partition, bit for bit, and what cannot be read is an error of all ranks.
#include "lapwing/store/restart.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "lapwing/store/records.hpp"
#include "store_world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

const Grid flat{{17, 11, 1}}, deep{{9, 8, 7}};

// Fields of each type, with halos.
std::vector<std::shared_ptr<AnyField>> state_on(Domain& domain) {
    const bool has_z = domain.partition().grid().size[2] > 1;
    std::vector<std::shared_ptr<AnyField>> fields{Field<double>(domain, "h", {.halo = Extent::cross(1)}),
                                                  Field<float>(domain, "f", {.levels = has_z ? 0 : 5, .components = 2}),
                                                  Field<std::int32_t>(domain, "n", {.order = {1, 0, 2, 3}}),
                                                  Field<std::int64_t>(domain, "m", {.location = Location::corner}),
                                                  Field<bool>(domain, "b")};
    for (const auto& field : fields) field->allocate({});
    return fields;
}

void fill(const std::vector<std::shared_ptr<AnyField>>& fields, const Grid& grid, int number) {
    for (const auto& field : fields) fill_with_codes(*field, grid, number);
}

void require_equal(const std::vector<std::shared_ptr<AnyField>>& found,
                   const std::vector<std::shared_ptr<AnyField>>& expected) {
    for (std::size_t f = 0; f < found.size(); ++f) {
        CAPTURE(found[f]->spec().name);
        REQUIRE((owned_bytes(*found[f]) == owned_bytes(*expected[f])));
    }
}

}  // namespace

TEST_CASE("a state goes on from another partition bit for bit") {
    for (const Grid& grid : {flat, deep}) {
        const Scratch folder("restart");
        World blocked(blocks(grid)), spread(scattered(grid));
        const auto before = state_on(blocked.domain), after = state_on(spread.domain),
                   expected = state_on(spread.domain);
        fill(before, grid, 3);
        fill(expected, grid, 3);
        Restart(blocked.domain, folder / "restart.zarr", before).write(42);
        REQUIRE(Restart(spread.domain, folder / "restart.zarr", after).read() == 42);
        require_equal(after, expected);
        Restart(spread.domain, folder / "again.zarr", after).write(42);
        REQUIRE((files_in(folder / "again.zarr") == files_in(folder / "restart.zarr")));
    }
}

TEST_CASE("the state before stays until the next one is complete") {
    const Scratch folder("twice");
    World world(blocks(flat));
    const auto state = state_on(world.domain);
    Restart restart(world.domain, folder / "restart.zarr", state);
    fill(state, flat, 1);
    restart.write(1);
    const Files first = files_in(folder / "restart.zarr");
    restart.write(2);
    REQUIRE((files_in(folder / "restart.zarr.former") == first));
    REQUIRE(restart.read() == 2);
    REQUIRE_FALSE(fs::exists(folder / "restart.zarr.part"));
}

TEST_CASE("a state that does not fit is an error on all ranks") {
    const Scratch folder("misfit");
    World world(blocks(flat)), other(blocks(Grid{{12, 11, 1}}));
    const auto state = state_on(world.domain), elsewhere = state_on(other.domain);
    const fs::path path = folder / "restart.zarr";
    Restart restart(world.domain, path, state);
    REQUIRE_THROWS_WITH(restart.read(),
                        Catch::Contains("No such file or directory; expected a store that lapwing has"));
    restart.write(1);
    REQUIRE_THROWS_WITH(Restart(other.domain, path, elsewhere).read(),
                        Catch::Contains("a file of a case with grid = [17, 11, 1]"));
    REQUIRE_THROWS_WITH(Restart(world.domain, path, {state[0], state[1]}).read(),
                        Catch::Contains("n: int32 (component1=1, level1=1, y=11, x=17)"));
    const Field<double> more(world.domain, "more");
    more.allocate();
    REQUIRE_THROWS_WITH(Restart(world.domain, path, {state[0], state[1], state[2], state[3], state[4], more}).read(),
                        Catch::Contains("more: not there; expected float64 (component1=1, level1=1, y=11, x=17)"));
    Records(world.domain, folder / "records.zarr", {state[0]}).close();
    REQUIRE_THROWS_WITH(Restart(world.domain, folder / "records.zarr", state).read(),
                        Catch::Contains("a store of records"));
    at_root([&] { write_text(path / "zarr.json", "{\"attributes\": {"); });
    REQUIRE_THROWS_WITH(restart.read(), Catch::Contains("zarr.json with JSON at byte 16"));
}

TEST_CASE("a chunk of a state that is lost is an error on all ranks") {
    const Scratch folder("lost");
    World world(blocks(flat));
    const auto state = state_on(world.domain);
    Restart restart(world.domain, folder / "restart.zarr", state);
    restart.write(1);
    at_root([&] { fs::remove(folder / "restart.zarr" / "f" / "c" / "1" / "0" / "0" / "0"); });
    REQUIRE_THROWS_WITH(restart.read(),
                        Catch::Contains("f/c/1/0/0/0: got No such file or directory; expected a chunk of"));
}
