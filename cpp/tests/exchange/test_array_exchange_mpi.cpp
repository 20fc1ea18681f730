// Exchanges that get their arrays with each call: other memory, other strides, other cells than in the call before.
#include <catch2/catch.hpp>

#include <array>

#include "count_allocations.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/exchange/array_exchange.hpp"
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

// The blocks of fields, as arrays of a call.
std::vector<Block> arrays_of(const std::vector<AnyField>& fields) {
    std::vector<Block> arrays;
    for (const AnyField& field : fields) {
        arrays.insert(arrays.end(), field.blocks().begin(), field.blocks().end());
    }
    return arrays;
}

std::vector<AnyField> allocated(const World& world, std::vector<FieldSpec> specs) {
    std::vector<AnyField> fields;
    for (const FieldSpec& spec : specs) fields.push_back(world.field(spec, static_cast<int>(fields.size())));
    return fields;
}

void exchange_and_check(const World& world, const std::vector<AnyField>& fields, ArrayExchange& exchange) {
    world.fill(fields);
    exchange.run(arrays_of(fields));
    world.check(fields);
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

TEST_CASE("each call moves the arrays that it gets, by every transport that packs") {
    World world(ring());
    for (const char* name : {"p2p", "persistent", "neighbor", "onesided", "shared", "alltoallv", "auto"}) {
        for (Corners corners : {Corners::direct, Corners::ordered}) {
            std::optional<ArrayExchange> exchange;
            try {
                exchange.emplace(world.domain, mixed(), ExchangeOptions{.transport = name, .corners = corners});
            } catch (const UserError&) {  // of all ranks: this MPI or machine lacks it
                continue;
            }
            REQUIRE(exchange->arrays() == 2);
            std::vector<std::vector<AnyField>> several;
            for (int n = 0; n < 3; ++n) several.push_back(allocated(world, mixed()));
            for (int n = 0; n < 7; ++n) exchange_and_check(world, several[n % 3], *exchange);
        }
    }
}

TEST_CASE("strides and cells may be others in each call") {
    World world(ring());
    ArrayExchange exchange(world.domain, mixed(), ExchangeOptions{.transport = "p2p"});
    const std::array<int, 4> orders[] = {{0, 1, 2, 3}, {2, 0, 1, 3}, {3, 1, 0, 2}};
    for (int n = 0; n < 6; ++n) {
        std::vector<FieldSpec> specs = mixed();
        for (FieldSpec& spec : specs) spec.order = orders[n % 3];
        std::vector<AnyField> fields;
        const Extent wider = n > 2 ? Extent::horizontal(3) : Extent{};
        for (const FieldSpec& spec : specs) {
            fields.emplace_back(world.partition(), world.rank(), spec, wider);
            fill_with_codes(fields.back(), world.grid(), static_cast<int>(fields.size()) - 1);
        }
        exchange_and_check(world, fields, exchange);
    }
}

TEST_CASE("arrays of several boxes per rank, and of none") {
    const Grid grid{{12, 8, 1}, {true, true, false}};
    std::vector<Subdomain> cut;
    const Partition six = block_partition(grid, {3, 2, 1});
    for (const Subdomain& s : six.subdomains()) {
        cut.push_back({s.rank % std::max(1, world_size() - 1), s.box});  // the last rank of several has none
    }
    World world(Partition(grid, world_size(), cut));
    const std::vector<FieldSpec> specs{spec_of("a", Extent::horizontal(1)), spec_of("b", Extent::cross(2))};
    ArrayExchange exchange(world.domain, specs, ExchangeOptions{.transport = "shared"});
    REQUIRE(exchange.arrays() == 2 * std::ssize(world.partition().subdomains_of(world.rank())));
    for (int n = 0; n < 3; ++n) exchange_and_check(world, allocated(world, specs), exchange);
}

TEST_CASE("halos go home from arrays that come and go") {
    World world(ring());
    const std::vector<FieldSpec> specs{spec_of("a", Extent::horizontal(1))};
    const ExchangeOptions options{.transport = "p2p", .direction = Direction::add_back};
    ArrayExchange of_calls(world.domain, specs, options);
    for (int n = 0; n < 3; ++n) {
        std::vector<AnyField> fields = allocated(world, specs), bound = allocated(world, specs);
        Exchange of_fields(world.domain, pointers(bound), options);
        of_fields.run();
        of_calls.run(arrays_of(fields));
        for_cells(fields[0].blocks()[0].owned, [&](const Index3& c) {
            REQUIRE(fields[0].view<double>()(c[0], c[1]) == bound[0].view<double>()(c[0], c[1]));
        });
    }
}

TEST_CASE("start and wait with arrays of the same layout allocate nothing") {
    World world(ring());
    ArrayExchange exchange(world.domain, mixed(), ExchangeOptions{.transport = "p2p"});
    const std::vector<AnyField> one = allocated(world, mixed()), two = allocated(world, mixed());
    const std::vector<Block> first = arrays_of(one), second = arrays_of(two);
    exchange.run(first);
    const long before = allocations();
    for (int n = 0; n < 20; ++n) exchange.run(n % 2 == 0 ? second : first);
    const long made = allocations() - before;
    REQUIRE(made == 0);
}

TEST_CASE("what an exchange of arrays cannot take is told before any message") {
    World world(ring());
    ArrayExchange exchange(world.domain, mixed(), ExchangeOptions{.transport = "p2p"});
    const std::vector<AnyField> fields = allocated(world, mixed());
    const std::vector<Block> arrays = arrays_of(fields);
    REQUIRE_THAT(message_of([&] { static_cast<void>(exchange.start()); }), Contains("none for field a"));
    exchange.take(0, arrays[0]);
    REQUIRE_THAT(message_of([&] { static_cast<void>(exchange.start()); }), Contains("none for field b"));
    REQUIRE_THAT(message_of([&] { exchange.take(2, arrays[0]); }), Contains("got 2; expected 0 to below 2"));
    REQUIRE_THAT(message_of([&] { exchange.run({arrays.data(), 1}); }), Contains("got 1; expected 2"));
    Block wrong = arrays[0];
    wrong.data = nullptr;
    REQUIRE_THAT(message_of([&] { exchange.take(0, wrong); }), Contains("array of field a: got none"));
    wrong = arrays[0];
    wrong.allocated.lo[0] += 1;
    REQUIRE_THAT(message_of([&] { exchange.take(0, wrong); }), Contains("memory of field a"));
    wrong = arrays[0];
    wrong.strides[1] += 4;
    REQUIRE_THAT(message_of([&] { exchange.take(0, wrong); }), Contains("strides of field a"));
    exchange_and_check(world, fields, exchange);  // as good as before
    {
        exchange.take(0, arrays[0]);
        Pending pending = exchange.start();
        if (exchange.active()) {
            REQUIRE_THAT(message_of([&] { exchange.take(0, arrays[0]); }), Contains("unfinished"));
        }
        pending.wait();
    }
}

TEST_CASE("transports that know their memory beforehand are refused on all ranks") {
    World world(ring());
    for (const char* name : {"datatype", "direct", "pull", "alltoallw"}) {
        const std::string message =
            message_of([&] { const ArrayExchange exchange(world.domain, mixed(), {.transport = name}); });
        REQUIRE_THAT(message, Contains(concat("transport: got ", name)) && Contains("onesided, shared"));
    }
}
