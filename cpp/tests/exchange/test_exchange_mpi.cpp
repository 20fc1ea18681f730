// Exchanges between real ranks: every cell holds its own global coordinates.
#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "lapwing/base/error.hpp"
#include "lapwing/plan/gather_plan.hpp"
#include "random_numbers.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Many boxes, dealt to the ranks in turn; every seventh is left out.
Partition dealt(const Grid& grid, int ranks) {
    const Partition many =
        block_partition(grid, {std::min<Index>(4, grid.size[0]), std::min<Index>(3, grid.size[1]), 1});
    std::vector<Subdomain> kept;
    for (const Subdomain& s : many.subdomains()) {
        if (s.rank % 7 != 5) kept.push_back({s.rank % ranks, s.box});
    }
    return {grid, world_size(), kept};
}

}  // namespace

TEST_CASE("mixed 2D and 3D fields of all types arrive together, direct and ordered") {
    const Extent uneven{{1, 2, 0}, {2, 0, 0}};
    const std::array<int, 4> orders[] = {{0, 1, 2, 3}, {2, 0, 1, 3}, {3, 0, 1, 2}};
    for (int periodic = 0; periodic < 4; ++periodic) {
        const Grid grid{{9, 7, 1}, {(periodic & 1) != 0, (periodic & 2) != 0, false}};
        World world(blocks(grid));
        for (const auto& order : orders) {
            std::vector<AnyField> fields;
            const ElementType types[] = {ElementType::float32, ElementType::float64, ElementType::int32,
                                         ElementType::int64};
            for (ElementType type : types) {
                FieldSpec spec = spec_of("f" + std::to_string(fields.size()), uneven);
                spec.type = type;
                spec.order = order;
                spec.levels = fields.size() % 2 == 0 ? 3 : 0;
                spec.components = fields.size() < 2 ? 2 : 1;
                if (fields.size() == 1) spec.extents.push_back(Extent::cross(1));
                fields.push_back(world.field(spec));
            }
            for (Corners corners : {Corners::direct, Corners::ordered}) {
                Exchange exchange(world.domain, pointers(fields), {.transport = transport(), .corners = corners});
                for (int again = 0; again < 2; ++again) run_and_check(world, fields, exchange);
                if (corners == Corners::direct && transport() != "auto") {  // which may send fields one by one
                    for (const auto& phase : exchange.plan().phases) {
                        REQUIRE(std::ssize(phase.sends) < world_size());
                    }
                }
            }
        }
    }
}

TEST_CASE("a 3D grid cut along all axes, each periodic or not") {
    for (int periodic = 0; periodic < 8; ++periodic) {
        const Grid grid{{7, 8, 9}, {(periodic & 1) != 0, (periodic & 2) != 0, (periodic & 4) != 0}};
        for (int axis = 0; axis < 3; ++axis) {
            Index3 shape{1, 1, 1};
            shape[axis] = std::min(world_size(), 7);
            if (world_size() > 7 && axis > 0) continue;
            if (world_size() > 7) shape = best_blocks(grid, world_size());
            World world(block_partition(grid, shape));
            std::vector<AnyField> fields;
            fields.push_back(world.field(spec_of("all", Extent::uniform(1))));
            fields.push_back(world.field(spec_of("cross", Extent{{1, 1, 1}, {1, 1, 1}, false})));
            for (Corners corners : {Corners::direct, Corners::ordered}) {
                Exchange exchange(world.domain, pointers(fields), {.transport = transport(), .corners = corners});
                run_and_check(world, fields, exchange);
            }
        }
    }
}

TEST_CASE("halos thicker than a neighbour reach further, around the grid and back to oneself") {
    const Grid grid{{9, 2, 1}, {true, true, false}};
    World world(block_partition(grid, {world_size(), 1, 1}));
    std::vector<AnyField> fields;
    fields.push_back(world.field(spec_of("thick", Extent{{9, 2, 0}, {5, 2, 0}})));
    for (Corners corners : {Corners::direct, Corners::ordered}) {
        Exchange exchange(world.domain, pointers(fields), {.transport = transport(), .corners = corners});
        run_and_check(world, fields, exchange);
    }
}

TEST_CASE("the neighbour on both sides gets one message") {
    if (skipped_unless(world_size() <= 4, "at most 4 ranks")) return;  // else blocks of one cell, and width 2
    const Grid grid{{8, 4, 1}, {true, true, false}};
    World world(block_partition(grid, {world_size(), 1, 1}));
    std::vector<AnyField> fields;
    fields.push_back(world.field(spec_of("u", Extent::horizontal(1))));
    fields.push_back(world.field(spec_of("v", Extent::horizontal(2))));
    Exchange exchange(world.domain, pointers(fields), {.transport = transport()});
    REQUIRE(messages_sent(exchange.plan()) == std::min(world_size() - 1, 2));
    REQUIRE(bytes_copied(exchange.plan()) > 0);  // the y axis wraps onto oneself
    run_and_check(world, fields, exchange);
}

TEST_CASE("several boxes per rank, dry boxes, and ranks that own nothing") {
    for (int ranks = 1; ranks <= world_size(); ++ranks) {
        if (ranks > 4 && ranks < world_size()) continue;
        for (bool periodic : {false, true}) {
            World world(dealt({{11, 8, 1}, {periodic, periodic, false}}, ranks));
            std::vector<AnyField> fields;
            FieldSpec levels = spec_of("levels", Extent{{2, 1, 0}, {3, 2, 0}});
            levels.levels = 2;
            fields.push_back(world.field(levels));
            fields.push_back(world.field(spec_of("cross", Extent::cross(2))));
            Exchange exchange(world.domain, pointers(fields), {.transport = transport()});
            run_and_check(world, fields, exchange);
        }
    }
}

TEST_CASE("ranks without neighbours exchange nothing") {
    // single boxes far from each other
    std::vector<Subdomain> islands;
    for (int rank = 0; rank < world_size(); ++rank) islands.push_back({rank, {{3 * rank, 0, 0}, {3 * rank + 1, 2, 1}}});
    const Grid grid{{3 * world_size(), 2, 1}, {}};
    World world(Partition{grid, world_size(), islands});
    const AnyField field(world.partition(), world.rank(), spec_of("f", Extent::horizontal(2)));
    const AnyField* const one[] = {&field};
    Exchange exchange(world.domain, one, {.transport = transport()});
    REQUIRE(messages_sent(exchange.plan()) == 0);
    Pending pending = exchange.start();
    REQUIRE(pending.test());
    REQUIRE(!exchange.active());
}

TEST_CASE("wrapped memory of any strides is exchanged in place") {
    const Grid grid{{9, 8, 1}, {true, false, false}};
    World world(blocks(grid));
    Random random(7);
    for (int n = 0; n < 12; ++n) {
        FieldSpec spec = spec_of("wrapped", Extent::horizontal(2));
        spec.levels = 2;
        spec.components = 2;
        if (n % 2 == 0) spec.order = {2, 3, 0, 1};
        const Box owned = spec.with_levels(world.partition().subdomain(world.rank()).box);
        const Box allocated = grow(owned, Extent::horizontal(2));
        // gaps between rows, and one axis backwards; ranks lay out their memory in different orders
        std::array<std::size_t, 4> loops{0, 1, 2, 3};
        std::rotate(loops.begin(), loops.begin() + (n + world.rank()) % 4, loops.end());
        Block block{0, owned, allocated, nullptr, {}};
        Index stride = 2, first = 0;
        for (std::size_t loop : loops) {
            const Index count = loop == 3 ? 2 : allocated.size(static_cast<int>(loop));
            const bool backwards = static_cast<std::size_t>(n) % 4 == loop;
            block.strides[loop] = (backwards ? -8 : 8) * stride;
            if (backwards) first += stride * (count - 1);
            stride *= count + 1;
        }
        auto memory = std::make_shared<std::vector<double>>(stride, 0.5);
        block.data = reinterpret_cast<std::byte*>(memory->data() + first);
        std::vector<AnyField> fields;
        fields.emplace_back(world.partition(), world.rank(), spec, std::vector<Block>{block}, memory);
        Exchange exchange(world.domain, pointers(fields), {.transport = transport()});
        run_and_check(world, fields, exchange);
        const Index values = allocated.volume() * 2;
        REQUIRE(std::ranges::count(*memory, 0.5) == static_cast<Index>(memory->size()) - values);
    }
}

TEST_CASE("fields that lie between each other are exchanged together and apart") {
    World world(blocks({{9, 8, 1}, {true, true, false}}));
    const Box owned = world.partition().subdomain(world.rank()).box;
    const Box allocated = grow(owned, Extent::horizontal(1));
    auto memory = std::make_shared<std::vector<double>>(2 * allocated.volume());
    std::vector<AnyField> fields;
    for (int f = 0; f < 2; ++f) {
        Block block{0, owned, allocated, reinterpret_cast<std::byte*>(memory->data() + f), {}};
        block.strides = {16, 16 * allocated.size(0), 16 * allocated.volume(), 8 * allocated.volume()};
        const FieldSpec spec = spec_of(f == 0 ? "u" : "v", Extent::horizontal(1));
        fields.emplace_back(world.partition(), world.rank(), spec, std::vector<Block>{block}, memory);
    }
    const AnyField* const one[] = {&fields[1]};
    Exchange both(world.domain, pointers(fields), {.transport = transport()});
    Exchange second(world.domain, one, {.transport = transport()});
    run_and_check(world, fields, both);
    fill_with_codes(fields[1], world.grid(), 5);
    second.run();
    REQUIRE(misplaced(fields[1], world.partition(), 5) == Texts{});
    REQUIRE(misplaced(fields[0], world.partition()) == Texts{});
}

TEST_CASE("exchanges in flight do not meet, whatever the order of starting and waiting") {
    World world(blocks({{9, 8, 1}, {true, true, false}}));
    std::vector<AnyField> fields;
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (int n = 0; n < 5; ++n) {
        fields.push_back(world.field(spec_of("f" + std::to_string(n), Extent::horizontal(1 + n % 2)), n));
    }
    for (const AnyField& field : fields) {
        const AnyField* const one[] = {&field};
        const Corners corners = exchanges.size() % 2 == 0 ? Corners::direct : Corners::ordered;
        exchanges.push_back(std::make_unique<Exchange>(world.domain, one,
                                                       ExchangeOptions{.transport = transport(), .corners = corners}));
    }
    Random random(static_cast<unsigned>(world.rank()));  // another order on every rank
    for (int round = 0; round < 10; ++round) {
        std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
        const auto shuffle = [&] {
            for (std::size_t n = 4; n > 0; --n) {
                std::swap(order[n], order[random.between(0, static_cast<int>(n))]);
            }
        };
        shuffle();
        std::vector<std::optional<Pending>> pending(5);
        for (std::size_t n : order) {
            fill_with_codes(fields[n], world.grid(), static_cast<int>(n));
            pending[n] = exchanges[n]->start();
        }
        // Ordered phases advance only during tests, so all are tested one after another.
        std::size_t done = 0;
        std::array<bool, 5> complete{};
        while (done < 5) {
            shuffle();
            for (std::size_t n : order) {
                if (!complete[n] && pending[n]->test()) complete[n] = true, ++done;
            }
        }
        for (std::size_t n : order) {
            pending[n]->wait();  // of a complete exchange: returns at once
            REQUIRE(!exchanges[n]->active());
            REQUIRE(misplaced(fields[n], world.partition(), static_cast<int>(n)) == Texts{});
        }
    }
}

TEST_CASE("waiting in another order than neighbours do is no deadlock") {
    // Ordered corners are the hard case: the second phase of the exchange that a rank does not wait for
    // must be sent all the same. Rows of ranks differ: their neighbours in y wait the other way round.
    for (const Corners corners : {Corners::direct, Corners::ordered}) {
        World world(blocks({{9, 8, 1}, {true, true, false}}));
        const AnyField a = world.field(spec_of("a", Extent::horizontal(1))),
                       b = world.field(spec_of("b", Extent::horizontal(1)), 1);
        const AnyField *const one[] = {&a}, *const other[] = {&b};
        const ExchangeOptions options{.transport = transport(), .corners = corners};
        Exchange first(world.domain, one, options), second(world.domain, other, options);
        Pending of_first = first.start(), of_second = second.start();
        const bool other_way = world.rank() / 2 % 2 == 1;
        (other_way ? of_second : of_first).wait();
        (other_way ? of_first : of_second).wait();
        REQUIRE(misplaced(a, world.partition()) == Texts{});
        REQUIRE(misplaced(b, world.partition(), 1) == Texts{});
    }
}

TEST_CASE("a closed domain starts no exchange, and does not close over one in flight") {
    Domain domain(blocks({{9, 8, 1}, {true, true, false}}), MPI_COMM_WORLD);
    const AnyField a(domain.partition(), domain.rank(), spec_of("a", Extent::horizontal(1)));
    const AnyField* const one[] = {&a};
    Exchange exchange(domain, one, {.transport = transport()});
    Pending pending = exchange.start();
    REQUIRE_THROWS_WITH(domain.close(), Catch::Contains("1 exchanges in flight"));
    pending.wait();
    domain.close();
    REQUIRE_THROWS_WITH(exchange.start(), Catch::Contains("got closed"));
    REQUIRE_FALSE(exchange.active());
}

TEST_CASE("a second start is an error, and does not disturb the first") {
    World world(blocks({{9, 8, 1}, {true, true, false}}));
    const AnyField field = world.field(spec_of("depth", Extent::horizontal(1)));
    const AnyField* const one[] = {&field};
    Exchange exchange(world.domain, one, {.transport = transport()});
    Pending pending = exchange.start();
    REQUIRE(exchange.active());
    REQUIRE_THROWS_WITH(exchange.start(), Catch::Contains("exchange of depth") &&
                                              Catch::Contains("start while a former start is unfinished"));
    pending.wait();
    REQUIRE(!exchange.active());
    REQUIRE(misplaced(field, world.partition()) == Texts{});
    REQUIRE(exchange.count().exchanges == 1);
}

// Without packing a neighbour that has dropped the exchange is missed for ever: its memory moves when it says so.
void run_or_drop(Exchange& exchange) {
    if (transport() != "direct" && transport() != "pull") return exchange.run();
    Pending pending = exchange.start();
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    while (!pending.test() && std::chrono::steady_clock::now() < end) {
    }
}

TEST_CASE("an exchange that is dropped in flight writes to no memory of others") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world(block_partition({{16 * world_size(), 16, 1}, {true, false, false}}, {world_size(), 1, 1}));
    auto field = std::make_unique<AnyField>(world.partition(), world.rank(), spec_of("dropped", Extent::horizontal(8)));
    const AnyField* const one[] = {field.get()};
    auto exchange = std::make_unique<Exchange>(world.domain, one, ExchangeOptions{.transport = transport()});
    const std::size_t bytes = std::max<Index>(exchange->buffer_bytes(), 32 * 32 * 8);
    std::vector<std::vector<std::byte>> others;
    if (world.rank() == 0) {
        (void)exchange->start();
        exchange.reset();
        field.reset();
        for (int n = 0; n < 4; ++n) others.emplace_back(bytes, std::byte{0x55});  // where buffers or the field were
    }
    MPI_Barrier(MPI_COMM_WORLD);  // only now the neighbours send
    if (world.rank() != 0) run_or_drop(*exchange);
    exchange.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    for (const auto& memory : others) {
        REQUIRE(std::ranges::count(memory, std::byte{0x55}) == static_cast<std::ptrdiff_t>(bytes));
    }
}

TEST_CASE("time in test and wait is counted") {
    World world(blocks({{9, 8, 1}, {true, true, false}}));
    const AnyField field = world.field(spec_of("depth", Extent::horizontal(1)));
    const AnyField* const one[] = {&field};
    Exchange exchange(world.domain, one, {.transport = transport()});
    Pending pending = exchange.start();
    REQUIRE(exchange.count().start_seconds() > 0);
    while (!pending.test()) {
    }
    REQUIRE(exchange.count().wait_seconds() > 0);
}

TEST_CASE("the reverse adds every halo value to its owner") {
    for (Corners corners : {Corners::direct, Corners::ordered}) {
        World world(blocks({{9, 7, 1}, {true, false, false}}));
        std::vector<AnyField> fields;
        // an odd number of float32 before float64: values of a message need not be aligned
        fields.push_back(world.field(spec_of("narrow", Extent{{1, 0, 0}, {0, 0, 0}})));
        fields.push_back(world.field(spec_of("wide", Extent::horizontal(2))));
        FieldSpec narrow = fields[0].spec();
        narrow.type = ElementType::float32;
        fields[0] = world.field(narrow);
        Exchange exchange(world.domain, pointers(fields),
                          {.transport = transport(), .corners = corners, .direction = Direction::add_back});
        for (const AnyField& field : fields) {
            with_type(field.spec().type, [&]<class T>(T) {
                const Block& block = field.blocks()[0];
                for_cells(block.allocated, [&](const Index3& cell) {
                    field.view<T>()(cell[0], cell[1]) = block.owned.contains(cell) ? T(1000) : T(1);
                });
            });
        }
        exchange.run();
        // each owner has gained one for every halo that holds a copy of the cell
        for (const AnyField& field : fields) {
            AnyField copies(world.partition(), world.rank(), field.spec());
            for (int s = 0; s < world.domain.ranks(); ++s) {
                const AnyField theirs(world.partition(), s, field.spec());
                const Block& halo = theirs.blocks()[0];
                for_cells(halo.allocated, [&](const Index3& cell) {
                    if (!needed(world.partition(), field.spec(), halo, cell, 0)) return;
                    const Index3 home{(cell[0] + 9) % 9, cell[1], 0};
                    const Box& mine = field.blocks()[0].owned;
                    if (!mine.contains(home)) return;
                    with_type(field.spec().type, [&]<class T>(T) { copies.view<T>()(home[0], home[1]) += T(1); });
                });
            }
            with_type(field.spec().type, [&]<class T>(T) {
                const auto got = field.view<T>(), want = copies.view<T>();
                for_cells(field.blocks()[0].owned, [&](const Index3& cell) {
                    CAPTURE(field.spec().name, cell[0], cell[1]);
                    REQUIRE(got(cell[0], cell[1]) == T(1000) + want(cell[0], cell[1]));
                });
            });
        }
    }
}

TEST_CASE("the reverse copy takes the last in plan order where several halos hold a cell") {
    // every rank's halo is the whole line; own copies first, then messages by ascending peer
    const Index n = 2 * world_size();
    World world(block_partition({{n, 1, 1}, {}}, {world_size(), 1, 1}));
    const int reach = static_cast<int>(n);
    const AnyField field = world.field(spec_of("f", Extent{{reach, 0, 0}, {reach, 0, 0}}));
    const AnyField* const one[] = {&field};
    Exchange exchange(world.domain, one, {.transport = transport(), .direction = Direction::copy_back});
    const auto view = field.view<double>();
    for_cells(field.blocks()[0].allocated, [&](const Index3& cell) { view(cell[0], 0) = 100 + world.rank(); });
    for (int again = 0; again < 5; ++again) {
        exchange.run();
        const int last = world.rank() == world_size() - 1 ? world_size() - 2 : world_size() - 1;
        const double want = 100 + (world_size() == 1 ? 0 : last);
        for_cells(field.blocks()[0].owned, [&](const Index3& cell) { REQUIRE(view(cell[0], 0) == want); });
    }
}

TEST_CASE("gather and scatter carry every owned cell to any root and back") {
    World world(dealt({{11, 8, 1}, {}}, world_size()));
    FieldSpec spec = spec_of("f", Extent::horizontal(1));
    spec.levels = 3;
    spec.order = {2, 0, 1, 3};
    const FieldSpec one[] = {spec};
    for (int root = 0; root < world_size(); ++root) {
        const AnyField field = world.field(spec), whole = AnyField::whole(world.grid(), spec, world.rank() == root);
        const AnyField *const parts[] = {&field}, *const wholes[] = {&whole};
        const MessagePlan plan = gather_plan(world.partition(), world.rank(), one, root);
        Exchange gather(world.domain, {plan, transport()}, parts, wholes);
        Exchange scatter(world.domain, {reversed(plan, Arrival::replace), transport()}, wholes, parts);
        gather.run();
        if (world.rank() == root) {
            const auto view = whole.view<double>();
            for_cells(whole.blocks()[0].owned, [&](const Index3& cell) {
                const auto owners =
                    world.partition().overlapping({{cell[0], cell[1], 0}, {cell[0] + 1, cell[1] + 1, 1}});
                const double want = owners.empty() ? 0.0 : static_cast<double>(code(world.grid(), cell, 0));
                REQUIRE(view(cell[0], cell[1], cell[2]) == want);
            });
        }
        for (std::size_t b = 0; b < field.blocks().size(); ++b) {
            const auto view = field.view<double>(static_cast<int>(b));
            for_cells(field.blocks()[b].allocated, [&](const Index3& c) { view(c[0], c[1], c[2]) = untouched; });
        }
        scatter.run();
        for (std::size_t b = 0; b < field.blocks().size(); ++b) {
            const auto view = field.view<double>(static_cast<int>(b));
            for_cells(field.blocks()[b].allocated, [&](const Index3& c) {
                const bool owned = field.blocks()[b].owned.contains(c);
                REQUIRE(view(c[0], c[1], c[2]) == (owned ? static_cast<double>(code(world.grid(), c, 0)) : untouched));
            });
        }
    }
}

TEST_CASE("ranks that disagree raise together, with the culprit named") {
    World world(blocks({{9, 8, 1}, {true, false, false}}));
    const bool odd_one = world.rank() == world_size() - 1;
    const std::string culprit = "rank " + std::to_string(world_size() - 1);
    const auto make = [&](const FieldSpec& spec, const ExchangeOptions& options) {
        const AnyField field = world.field(spec);
        const AnyField* const one[] = {&field};
        Exchange exchange(world.domain, one, options);
    };
    const FieldSpec good = spec_of("depth", Extent::horizontal(1));
    if (world_size() > 1) {
        FieldSpec other = good;
        other.name = "height";
        REQUIRE_THROWS_WITH(make(odd_one ? other : good, {.transport = transport()}),
                            Catch::Contains("fields of the exchange") && Catch::Contains(culprit));
        other = good;
        other.type = ElementType::float32;
        REQUIRE_THROWS_WITH(make(odd_one ? other : good, {.transport = transport()}),
                            Catch::Contains("float32") && Catch::Contains(culprit));
        other = good;
        other.extents = {Extent::cross(1)};
        REQUIRE_THROWS_WITH(make(odd_one ? other : good, {.transport = transport()}),
                            Catch::Contains("halo cross(1)") && Catch::Contains(culprit));
        // the way corners travel, the direction, and what happens on arrival must match too
        const ExchangeOptions others[] = {{.transport = transport(), .corners = Corners::ordered},
                                          {.transport = transport(), .direction = Direction::copy_back},
                                          {.transport = transport(), .direction = Direction::add_back}};
        for (const ExchangeOptions& options : others) {
            REQUIRE_THROWS_WITH(make(good, odd_one ? options : ExchangeOptions{.transport = transport()}),
                                Catch::Contains(culprit));
        }
        REQUIRE_THROWS_WITH(make(good, odd_one ? others[2] : others[1]), Catch::Contains(culprit));
    }
    // a mistake of one rank alone
    REQUIRE_THROWS_WITH(make(good, {.transport = odd_one ? "pigeon" : transport()}), Catch::Contains("pigeon"));
    REQUIRE_THROWS_WITH(Exchange(world.domain, pointers({}), {.transport = "pigeon"}),
                        Catch::Contains("transport: got pigeon; expected one of: p2p"));
    // memory too small for the plan on one rank
    const AnyField small =
        world.field(odd_one ? spec_of("depth", Extent::horizontal(1)) : spec_of("depth", Extent::horizontal(2)));
    FieldSpec two = spec_of("depth", Extent::horizontal(2));
    const FieldSpec specs[] = {two};
    const AnyField* const one[] = {&small};
    REQUIRE_THROWS_WITH(
        Exchange(world.domain, {halo_plan(world.partition(), world.rank(), specs), transport()}, one, one),
        Catch::Contains(culprit + ": memory of field depth"));
    // and the domain still works
    make(good, {.transport = transport()});
}

TEST_CASE("what is left of a domain that nobody closed is left alone") {
    auto domain = std::make_unique<Domain>(blocks({{9, 8, 1}, {}}), MPI_COMM_WORLD);
    const AnyField field(domain->partition(), domain->rank(), spec_of("depth", Extent::horizontal(1)));
    const AnyField* const one[] = {&field};
    auto exchange = std::make_unique<Exchange>(*domain, one, ExchangeOptions{.transport = transport()});
    exchange->run();
    domain.reset();
    REQUIRE_NOTHROW(exchange.reset());
}

TEST_CASE("a closed domain says so") {
    Domain domain(blocks({{9, 8, 1}, {}}), MPI_COMM_WORLD);
    domain.close();
    REQUIRE(domain.closed());
    domain.close();  // again does nothing
    REQUIRE_THROWS_WITH(Exchange(domain, pointers({})), Catch::Contains("domain: got closed; expected an open domain"));
}
