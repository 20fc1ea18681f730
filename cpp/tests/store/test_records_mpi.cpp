// Records in stores: the same bytes and values on any ranks and in any partition, and errors that all ranks raise.
#include "lapwing/store/records.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store_world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Some fields of all kinds on the domain of a test, whose cells know their record.
struct Model {
    Domain& domain;
    Field<double> level{domain, "sea_level"};
    Field<float> speed{domain, "u", {.location = Location::xface, .levels = 3}};
    Field<double> corner{domain, "vorticity", Location::corner};
    Field<std::int32_t> count{domain, "count", {.levels = 2}};
    Field<double> depth{domain, "depth"};

    explicit Model(Domain& on) : domain(on) {
        for (const auto& field : all()) field->allocate(Extent::cross(1));
        set(0);
    }
    [[nodiscard]] std::vector<RecordField> fields() const {
        return {{level, "m", "height of the sea surface"}, {speed, "m s-1"}, corner, count};
    }
    [[nodiscard]] RecordField fixed() const { return {depth, "m", "", "sea_floor_depth_below_geoid"}; }
    [[nodiscard]] std::vector<std::shared_ptr<AnyField>> all() const { return {level, speed, corner, count, depth}; }

    void set(int record) {
        const auto value = [record](Index i, Index j, Index k) {
            return static_cast<double>(1000000 * record + 10000 * k + 100 * j + i);
        };
        level.fill([&](Index i, Index j) { return 0.1 + value(i, j, 0); });
        speed.fill([&](Index i, Index j, Index k) { return static_cast<float>(0.5 + value(i, j, k)); });
        corner.fill([&](Index i, Index j) { return -value(i, j, 0); });
        count.fill([&](Index i, Index j, Index k) { return static_cast<std::int32_t>(value(i, j, k)); });
        depth.fill([&](Index i, Index j) { return 10.0 * value(i, j, 0); });
    }
};

void write_records(Domain& domain, const fs::path& path, int records) {
    Model model(domain);
    Records file(domain, path, model.fields(), {.fixed = {model.fixed()}, .title = "a trial"});
    for (int record = 0; record < records; ++record) {
        model.set(record);
        file.write(60.0 * record, 10 * record);
    }
    file.close();
}

const Grid grid{{17, 11, 1}, {true, false, false}};

}  // namespace

TEST_CASE("the bytes of records do not depend on ranks and partition") {
    const Scratch folder("records");
    World blocked(blocks(grid)), spread(scattered(grid));
    write_records(blocked.domain, folder / "blocks.zarr", 2);
    write_records(spread.domain, folder / "scattered.zarr", 2);
    const Files one = files_in(folder / "blocks.zarr");
    REQUIRE(one.size() == 29);
    REQUIRE((one == files_in(folder / "scattered.zarr")));
    std::optional<Domain> alone(std::in_place, block_partition(grid, {1, 1, 1}), MPI_COMM_SELF);
    const fs::path own = folder / ("alone" + std::to_string(blocked.rank()) + ".zarr");
    write_records(*alone, own, 2);
    alone->close();
    REQUIRE((one == files_in(own)));
}

TEST_CASE("records are read into the fields, on another partition and behind a kept store") {
    const Scratch folder("read");
    World blocked(blocks(grid)), spread(scattered(grid));
    const fs::path path = folder / "output.zarr";
    write_records(blocked.domain, path, 3);

    Model model(spread.domain), expected(spread.domain);
    Records file(spread.domain, path, model.fields(),
                 {.fixed = {model.fixed()}, .title = "a trial", .keep_until = 60.0});
    REQUIRE(file.count() == 2);
    REQUIRE(file.read(60.0) == 10);
    expected.set(1);
    expected.corner.fill([](Index i, Index j) {  // beyond the last row of corners there is nothing to store
        return -static_cast<double>((j < 10 ? 1000000 : 0) + 100 * j + i);
    });
    expected.depth.fill([](Index i, Index j) { return 10.0 * static_cast<double>(100 * j + i); });
    for (std::size_t f = 0; f < model.all().size(); ++f) {
        CAPTURE(model.all()[f]->spec().name);
        REQUIRE((owned_bytes(*model.all()[f]) == owned_bytes(*expected.all()[f])));
    }
    model.set(2);
    file.write(120.0, 20);
    file.close();
    write_records(blocked.domain, folder / "unbroken.zarr", 3);
    REQUIRE((files_in(path) == files_in(folder / "unbroken.zarr")));
}

TEST_CASE("maps of several chunks travel slab by slab") {
    struct Size {
        Grid grid;
        int levels;
        std::size_t chunks;
    };
    // two chunks in each slab of a level; three slabs of 8, 8 and 4 levels; a grid that is cut along z too
    for (const Size& size : {Size{{{900, 700, 1}}, 2, 4}, Size{{{300, 200, 1}}, 20, 3}, Size{{{300, 200, 20}}, 0, 3}}) {
        const Scratch folder("slabs");
        World blocked(blocks(size.grid)), spread(scattered(size.grid));
        const FieldOptions deep{.levels = size.levels};
        const Field<double> here(blocked.domain, "t", deep), there(spread.domain, "t", deep);
        here.allocate();
        there.allocate();
        fill_with_codes(here.memory(), size.grid, 1);
        fill_with_codes(there.memory(), size.grid, 1);
        Records first(blocked.domain, folder / "first.zarr", {here}),
            second(spread.domain, folder / "second.zarr", {there});
        first.write(0.0);
        second.write(0.0);
        const Files files = files_in(folder / "first.zarr");
        const auto in_map = [](const auto& file) { return file.first.starts_with("t/c/"); };
        REQUIRE(std::ranges::count_if(files, in_map) == static_cast<Index>(size.chunks));
        REQUIRE((files == files_in(folder / "second.zarr")));
        const auto before = owned_bytes(there.memory());
        fill_with_codes(there.memory(), size.grid, 2);
        second.read(0.0);
        REQUIRE((owned_bytes(there.memory()) == before));
    }
}

TEST_CASE("the yfaces of a north fold are stored") {
    const Scratch folder("fold");
    World world(blocks(Grid{{8, 6, 1}, {true, false, false}, NorthFold::f_point}));
    const Field<double> flow(world.domain, "flow", Location::yface);
    flow.allocate();
    fill_with_codes(flow.memory(), world.grid(), 1);
    Records file(world.domain, folder / "output.zarr", {flow});
    file.write(0.0);
    const auto before = owned_bytes(flow.memory());
    fill_with_codes(flow.memory(), world.grid(), 2);
    file.read(0.0);
    REQUIRE((owned_bytes(flow.memory()) == before));
    file.close();
}

TEST_CASE("a field keeps its own values on land, where a record has none") {
    const Scratch folder("land");
    World world(blocks(grid));
    std::vector<std::uint8_t> wet(17 * 11, 1);
    for (int i = 0; i < 5; ++i) wet[3 * 17 + i] = 0;
    const auto mask = std::make_shared<const Mask>(17, 11, wet);
    Model model(world.domain);
    Records file(world.domain, folder / "output.zarr", {model.level}, {.wet = mask});
    file.write(0.0);
    model.level.fill(-7.0);
    REQUIRE(file.read(0.0) == 0);
    bool kept = true;
    model.level.each([&](double value, Index i, Index j, Index) {
        const double expected = j == 3 && i < 5 ? -7.0 : 0.1 + static_cast<double>(100 * j + i);
        kept = kept && value == expected;
    });
    REQUIRE(kept);
    file.close();
}

TEST_CASE("the bits of every value are stored") {
    const Scratch folder("bits");
    World world(blocks(grid));
    Model model(world.domain);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto odd = [&](Index i, Index j) { return i % 3 == 0 ? nan : i % 3 == 1 ? -0.0 : 0x1p-1074 * double(j + 1); };
    model.level.fill(odd);
    Records file(world.domain, folder / "output.zarr", {model.level});
    file.write(0.0);
    const std::vector<std::byte> before = owned_bytes(model.level.memory());
    model.level.fill(1.0);
    file.read(0.0);
    REQUIRE((owned_bytes(model.level.memory()) == before));
    file.close();
}

TEST_CASE("truth values are stored as numbers") {
    const Scratch folder("bool");
    World world(blocks(grid));
    Field<bool> ice(world.domain, "ice");
    ice.allocate();
    ice.fill([](Index i, Index j) { return (i + j) % 3 == 0; });
    Records file(world.domain, folder / "output.zarr", {ice});
    file.write(0.0);
    const auto before = owned_bytes(ice.memory());
    ice.fill(false);
    file.read(0.0);
    REQUIRE((owned_bytes(ice.memory()) == before));
    file.close();
}

TEST_CASE("a store that was there before stays until the next one is closed") {
    const Scratch folder("former");
    World world(blocks(grid));
    const fs::path path = folder / "output.zarr", former = folder / "output.zarr.former";
    write_records(world.domain, path, 1);
    const Files before = files_in(path);
    Model model(world.domain);
    Records file(world.domain, path, model.fields());
    REQUIRE((files_in(former) == before));
    REQUIRE_THROWS_WITH(Records(world.domain, path, model.fields()), Catch::Contains("another job writes to (host "));
    file.write(0.0);
    file.close();
    MPI_Barrier(MPI_COMM_WORLD);
    REQUIRE_FALSE(fs::exists(former));
    REQUIRE_FALSE(fs::exists(folder / ".output.zarr.lock"));
}

TEST_CASE("what is wrong with records is said on all ranks") {
    const Scratch folder("wrong");
    World world(blocks(grid)), other(blocks(Grid{{12, 11, 1}}));
    Model model(world.domain), elsewhere(other.domain);
    const auto fails = [&](const fs::path& path, std::vector<RecordField> fields, RecordOptions options,
                           const char* text) {
        CAPTURE(text);
        REQUIRE_THROWS_WITH(Records(world.domain, path, std::move(fields), std::move(options)), Catch::Contains(text));
    };
    const fs::path path = folder / "output.zarr";
    fails(folder / "output.nc", model.fields(), {}, "got the ending '.nc'; expected a name that ends in .zarr");
    fails(folder / "no" / "output.zarr", model.fields(), {}, "No such file or directory");
    fails(path, {}, {}, "got none; expected one at least");
    fails(path, {model.level, model.level}, {}, "two of the name sea_level");
    fails(path, {elsewhere.level}, {}, "sea_level on other boxes");
    fails(path, model.fields(), {.start = "yesterday"}, "got 'yesterday'; expected a date");
    fails(path, model.fields(), {.x = AxisLabels{{1.0, 2.0}}}, "values of axis x of records: got 2; expected 17");
    const Field<double> wet(world.domain, "wet"), vector(world.domain, "v", {.components = 2});
    fails(path, {wet}, {}, "field of records: got the name wet");
    fails(path, {vector}, {}, "got 2 components; expected one");
    REQUIRE_FALSE(fs::exists(path));

    write_records(world.domain, path, 1);
    fails(path, model.fields(), {.title = "a trial", .keep_until = 9.0},
          "depth: float64 (y=11, x=17) in m, chunks of 11 x 17");
    Records file(world.domain, path, model.fields());
    file.write(0.0);
    REQUIRE_THROWS_WITH(file.read(5.0), Catch::Contains("got 5.0 s; expected one of 0.0 ..."));
}

TEST_CASE("a chunk that is torn, damaged or lost is an error on all ranks") {
    const Scratch folder("torn");
    World world(blocks(grid));
    Model model(world.domain);
    Records file(world.domain, folder / "output.zarr", model.fields());
    file.write(0.0);
    const fs::path chunk = folder / "output.zarr" / "u" / "c" / "0" / "0" / "0" / "0";
    at_root([&] { damage(chunk); });
    REQUIRE_THROWS_WITH(file.read(0.0),
                        Catch::Contains("u/c/0/0/0/0: got another checksum (corrupted); expected a chunk of"));
    at_root([&] { fs::resize_file(chunk, 100); });
    REQUIRE_THROWS_WITH(file.read(0.0), Catch::Contains("got 100 bytes (torn)"));
    at_root([&] { fs::remove(chunk); });
    REQUIRE_THROWS_WITH(file.read(0.0), Catch::Contains("got No such file or directory"));
    file.write(1.0);
    REQUIRE(file.read(1.0) == 1);
}

TEST_CASE("a record that cannot be written is an error on all ranks, and the records before stay") {
    const Scratch folder("full");
    World world(blocks(grid));
    Model model(world.domain);
    const fs::path path = folder / "output.zarr";
    Records file(world.domain, path, model.fields());
    file.write(0.0);
    Files before;
    at_root([&] {
        fs::create_directories(path / "u" / "c" / "1" / "0" / "0" / "0");  // a folder where a chunk should be
        before = files_in(path);
    });
    REQUIRE_THROWS_WITH(file.write(1.0), Catch::Contains("Is a directory") && Catch::Contains("MiB free"));
    REQUIRE(file.count() == 1);
    at_root([&] {
        REQUIRE(text_in(path / "zarr.json") == before["zarr.json"]);
        fs::remove_all(path / "u" / "c" / "1");
    });
    file.write(1.0);
    REQUIRE(file.read(1.0) == 1);
}
