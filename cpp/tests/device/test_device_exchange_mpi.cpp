// Exchanges of arrays in memory of a device: the bits of the host, in the order of streams.
#include "lapwing/exchange/device_exchange.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "fake/device_fields.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

Partition ring() { return blocks({{13, 9, 1}, {true, false, false}}); }

std::vector<FieldSpec> mixed() {
    std::vector<FieldSpec> specs{spec_of("a", Extent::horizontal(2)), spec_of("b", Extent{{1, 0, 0}, {2, 1, 0}})};
    specs[1].type = ElementType::float32;
    specs[1].levels = 3;
    specs[1].components = 2;
    return specs;
}

std::vector<AnyField> allocated(const World& world, const std::vector<FieldSpec>& specs) {
    std::vector<AnyField> fields;
    for (const FieldSpec& spec : specs)
        fields.push_back(AnyField::with_own_pages(world.partition(), world.rank(), spec));
    return fields;
}

// Values that no other turn has.
void fill(const World& world, const std::vector<AnyField>& fields, int turn) {
    for (std::size_t f = 0; f < fields.size(); ++f)
        fill_with_codes(fields[f], world.grid(), turn * static_cast<int>(fields.size()) + static_cast<int>(f));
}

void check(const World& world, const std::vector<AnyField>& fields, int turn) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const int number = turn * static_cast<int>(fields.size()) + static_cast<int>(f);
        REQUIRE(misplaced(fields[f], world.partition(), number) == Texts{});
    }
}

// A domain, fields of the host and their arrays on a fake device, and an exchange of these.
struct Setup {
    World world;
    FakeLibrary library;
    std::vector<AnyField> fields;
    DeviceFields on_device;
    DeviceExchange exchange;
    DeviceStream stream;

    Setup(Partition partition, const std::vector<FieldSpec>& specs, int seed = 0, const ExchangeOptions& options = {})
        : world(std::move(partition)),
          library(static_cast<unsigned>(1000 * world.rank() + seed)),
          fields(allocated(world, specs)),
          on_device(library, fields),
          exchange(world.domain, library.device, specs, options),
          stream(library.device->make_stream(false)) {
        give(on_device);
    }
    void give(const DeviceFields& arrays) {
        for (int n = 0; n < exchange.arrays(); ++n) exchange.take(n, arrays.blocks()[n]);
    }
    // Exchanges on a stream, in which the host waits for nothing before all have been put there; returns what the
    // arrays held after each.
    std::vector<std::vector<AnyField>> turns_on_stream(int turns) {
        std::vector<std::vector<AnyField>> results;
        for (int turn = 0; turn < turns; ++turn) {
            fill(world, fields, turn);
            on_device.write(stream.get(), fields);
            // Ranks come late by turns: a message that is there first is received at once, and overwrites a buffer that
            // the turn before still unpacks.
            if ((turn + world.rank()) % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
            exchange.start(stream.get()).wait();
            results.push_back(allocated(world, specs_of(pointers(fields))));
            on_device.read(stream.get(), results.back());
            std::this_thread::sleep_for(std::chrono::microseconds(100));  // lets the device come so far
        }
        library.fake->synchronize(stream.get());
        return results;
    }
    void run_turns(int turns) {
        const auto results = turns_on_stream(turns);
        for (int turn = 0; turn < turns; ++turn) check(world, results[turn], turn);
    }
    // The same, with the host in the place of the stream.
    std::vector<std::vector<AnyField>> turns_on_host(int turns) {
        std::vector<std::vector<AnyField>> results;
        for (int turn = 0; turn < turns; ++turn) {
            fill(world, fields, turn);
            on_device.write(stream.get(), fields);
            library.fake->synchronize(stream.get());
            exchange.start().wait();
            const DeviceStream other = library.device->make_stream(false);
            results.push_back(allocated(world, specs_of(pointers(fields))));
            on_device.read(other.get(), results.back());
            library.fake->synchronize(other.get());
        }
        return results;
    }
};

// The runs of each mutant: 2, or LAPWING_TEST_MUTANTS.
int runs_of_mutants() {
    const char* text = std::getenv("LAPWING_TEST_MUTANTS");
    return text == nullptr ? 2 : std::atoi(text);
}

// True if a device that ignores a call gives other values on any rank.
bool is_found(Mutant mutant, bool on_host, int seed) {
    Setup setup(ring(), mixed(), seed, {.corners = Corners::direct});
    setup.run_turns(1);  // the device knows its tables
    setup.library.fake->ignore(mutant);
    const int turns = 80;  // a wait may be lucky in some of them
    const auto results = on_host ? setup.turns_on_host(turns) : setup.turns_on_stream(turns);
    int wrong = 0;
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t f = 0; f < results[turn].size(); ++f) {
            const int number = turn * 2 + static_cast<int>(f);
            wrong += misplaced(results[turn][f], setup.world.partition(), number).empty() ? 0 : 1;
        }
    }
    return reduced(MPI_COMM_WORLD, wrong, MPI_MAX, "what other ranks found") > 0;
}

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("arrays of a device get the halos of the host, for each type, width, order of axes and way of corners") {
    int seed = 0;
    for (const ElementType type :
         {ElementType::float32, ElementType::float64, ElementType::int32, ElementType::int64}) {
        for (const int width : {1, 3}) {
            for (const auto& order : {std::array{0, 1, 2, 3}, std::array{2, 0, 1, 3}, std::array{3, 1, 0, 2}}) {
                for (const Corners corners : {Corners::direct, Corners::ordered}) {
                    std::vector<FieldSpec> specs = mixed();
                    specs[0].type = type;
                    specs[0].extents = {Extent::horizontal(width)};
                    for (FieldSpec& spec : specs) spec.order = order;
                    Setup setup(ring(), specs, ++seed, {.corners = corners});
                    setup.run_turns(2);
                }
            }
        }
    }
}

TEST_CASE(
    "exchanges on a stream follow what is on it, and what is put there follows them, in random order of streams") {
    for (int seed = 0; seed < 10; ++seed) {
        Setup setup(ring(), mixed(), seed);
        setup.run_turns(12);
    }
}

TEST_CASE("without a stream arrays hold their values before, and their halos after it") {
    Setup setup(ring(), mixed());
    const auto results = setup.turns_on_host(12);
    for (int turn = 0; turn < 12; ++turn) check(setup.world, results[turn], turn);
}

// The events of an exchange of one phase, in the order in which it makes them, and what is left out of it.
TEST_CASE("a wait that is missing is found in at least 99 of 100 runs") {
    enum Event { begun, ended, finished, uploaded, packed, unloaded };
    using Call = Mutant::Call;
    struct Missing {
        Mutant mutant;
        bool on_host, needs_messages;
    };
    const Missing all[] = {{{Call::record, begun}, false, false},   {{Call::await, begun}, false, false},
                           {{Call::record, ended}, false, false},   {{Call::await, ended}, false, false},
                           {{Call::record, ended}, true, false},    {{Call::has_happened, ended}, true, false},
                           {{Call::record, packed}, false, true},   {{Call::has_happened, packed}, false, true},
                           {{Call::record, unloaded}, false, true}, {{Call::has_happened, unloaded}, false, true},
                           {{Call::copy_out, 0}, false, true},      {{Call::copy_in, 0}, false, true}};
    const int runs = runs_of_mutants();
    for (const Missing& missing : all) {
        if (missing.needs_messages && world_size() == 1) continue;
        int found = 0;
        for (int run = 0; run < runs; ++run) found += is_found(missing.mutant, missing.on_host, run) ? 1 : 0;
        CAPTURE(static_cast<int>(missing.mutant.call), missing.mutant.event, missing.on_host, found, runs);
        REQUIRE(100 * found >= 99 * runs);
    }
}

TEST_CASE("the caller's stream runs on while messages travel") {
    Setup setup(blocks({{8 * world_size(), 6, 1}, {true, true, false}}), {spec_of("u", Extent::horizontal(1))});
    fill(setup.world, setup.fields, 0);
    setup.on_device.write(setup.stream.get(), setup.fields);
    Pending pending = setup.exchange.start(setup.stream.get());
    bool ran = false;
    setup.library.fake->run(setup.stream.get(), [&] { ran = true; });
    setup.library.fake->synchronize(setup.stream.get());  // would never end if the stream waited for messages
    REQUIRE(ran);
    REQUIRE(setup.exchange.active());
    pending.wait();
    setup.on_device.read(setup.stream.get(), setup.fields);
    setup.library.fake->synchronize(setup.stream.get());
    check(setup.world, setup.fields, 0);
}

TEST_CASE("an exchange takes two launches, and a copy for each message and one for all that leave") {
    Setup setup(blocks({{8 * world_size(), 6, 1}, {true, true, false}}), {spec_of("u", Extent::horizontal(1))}, 0,
                {.corners = Corners::direct});
    setup.run_turns(1);
    const long launches = setup.library.fake->launches(), copies = setup.library.fake->copies();
    setup.run_turns(3);
    REQUIRE(setup.library.fake->launches() - launches == 3 * 2);
    int messages = 0;
    for (const Message& one : setup.exchange.plan().phases[0].receives) messages += one.peer != setup.world.rank();
    REQUIRE(setup.library.fake->copies() - copies == 3 * (messages + (messages > 0 ? 1 : 0)));
}

TEST_CASE("arrays of a device come and go, with other strides and cells") {
    Setup setup(ring(), mixed());
    const std::array<int, 4> orders[] = {{0, 1, 2, 3}, {2, 0, 1, 3}, {3, 1, 0, 2}};
    std::vector<DeviceFields> kept;
    for (int turn = 0; turn < 9; ++turn) {
        std::vector<AnyField> fields;
        for (FieldSpec spec : mixed()) {
            spec.order = orders[turn / 2 % 3];
            const Extent wider = turn > 5 ? Extent::horizontal(3) : Extent{};
            fields.push_back(AnyField::with_own_pages(setup.world.partition(), setup.world.rank(), spec, wider));
        }
        fill(setup.world, fields, turn);
        kept.emplace_back(setup.library, fields);
        kept.back().write(setup.stream.get(), fields);
        setup.exchange.run(kept.back().blocks(), setup.stream.get());
        kept.back().read(setup.stream.get(), fields);
        setup.library.fake->synchronize(setup.stream.get());
        check(setup.world, fields, turn);
    }
}

TEST_CASE("several boxes of a rank and none have arrays of a device") {
    const Grid grid{{12, 8, 1}, {true, true, false}};
    std::vector<Subdomain> cut;
    const Partition six = block_partition(grid, {3, 2, 1});
    for (const Subdomain& s : six.subdomains()) cut.push_back({s.rank % std::max(1, world_size() - 1), s.box});
    Setup setup(Partition(grid, world_size(), cut),
                {spec_of("a", Extent::horizontal(1)), spec_of("b", Extent::cross(2))});
    setup.run_turns(4);
}

TEST_CASE("components of vectors change their sign beyond a north fold, on a device as on the host") {
    const Grid grid{{12, 9, 1}, {true, false, false}, NorthFold::t_point};
    FieldSpec vector = spec_of("u", Extent::horizontal(2)), scalar = spec_of("s", Extent::horizontal(1));
    vector.vector = true;
    vector.location = Location::xface;
    Setup setup(blocks(grid), {vector, scalar});
    std::vector<AnyField> host = allocated(setup.world, {vector, scalar});
    fill(setup.world, host, 0);
    fill(setup.world, setup.fields, 0);
    Exchange(setup.world.domain, pointers(host), {.transport = "p2p"}).run();
    setup.on_device.write(setup.stream.get(), setup.fields);
    setup.exchange.start(setup.stream.get()).wait();
    setup.on_device.read(setup.stream.get(), setup.fields);
    setup.library.fake->synchronize(setup.stream.get());
    for (std::size_t f = 0; f < host.size(); ++f) {
        for_cells(host[f].blocks()[0].allocated, [&](const Index3& c) {
            REQUIRE(setup.fields[f].view<double>()(c[0], c[1]) == host[f].view<double>()(c[0], c[1]));
        });
    }
}

TEST_CASE("what an exchange of arrays of a device cannot take is told before any message") {
    Setup setup(ring(), mixed());
    DeviceExchange& exchange = setup.exchange;
    REQUIRE_THAT(message_of([&] { exchange.take(0, setup.fields[0].blocks()[0]); }),
                 Contains("array of field a: got memory of the host; expected memory of device 0"));
    const FakeLibrary other(7, 1);
    const DeviceFields elsewhere(other, setup.fields);
    REQUIRE_THAT(message_of([&] { exchange.take(0, elsewhere.blocks()[0]); }),
                 Contains("got memory of device 1; expected memory of device 0"));
    Block wrong = setup.on_device.blocks()[0];
    wrong.data += 4;
    REQUIRE_THAT(message_of([&] { exchange.take(0, wrong); }), Contains("an address between values"));
    wrong.data = nullptr;
    REQUIRE_THAT(message_of([&] { exchange.take(0, wrong); }), Contains("array of field a: got none"));
    REQUIRE_THAT(message_of([&] { exchange.take(2, wrong); }), Contains("got 2; expected 0 to below 2"));
    Pending pending = exchange.start();
    REQUIRE_THAT(message_of([&] { static_cast<void>(exchange.start()); }), Contains("unfinished"));
    pending.wait();
    setup.run_turns(2);
}

TEST_CASE("transports and directions of the other kind of memory are refused on all ranks") {
    World world(ring());
    const FakeLibrary library(1);
    const std::vector<FieldSpec> specs = mixed();
    const auto made = [&](const ExchangeOptions& options) {
        return message_of([&] { const DeviceExchange one(world.domain, library.device, specs, options); });
    };
    REQUIRE_THAT(made({.transport = "p2p"}),
                 Contains("transport: got p2p, which moves arrays of the host") && Contains("one of: staged"));
    REQUIRE_THAT(made({.direction = Direction::add_back}), Contains("got from halos to owners"));
    REQUIRE_THAT(
        message_of([&] { const ArrayExchange one(world.domain, specs, ExchangeOptions{.transport = "staged"}); }),
        Contains("transport: got staged, which moves arrays of a device"));
}
