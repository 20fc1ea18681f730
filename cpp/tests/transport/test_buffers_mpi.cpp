// The memory of an exchange is what its plan says: worked out here from the messages alone, for each transport.
#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "lapwing/plan/chunks.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

using Bytes = std::vector<Index>;

Index lines(Index bytes) { return (bytes + 63) / 64 * 64; }

Index sum_of(const Bytes& messages, Index (*held)(Index)) {
    return std::transform_reduce(messages.begin(), messages.end(), Index{0}, std::plus<>(), held);
}

// Messages of one phase of this rank, and true if fields can be read where they lie.
struct Traffic {
    Bytes sent, received;
    bool replaces = true, ordered = false, in_shared_memory = false;
    bool busy = false;  // on any rank
};

Index packed_both(const Traffic& t) { return sum_of(t.sent, lines) + sum_of(t.received, lines); }

// MPI reads and writes the fields; what is added, or may overlap, arrives in a buffer first.
Index packed_if_added(const Traffic& t) { return t.replaces && !t.ordered ? 0 : sum_of(t.received, lines); }

// A packed copy of what is put; a counter for each send, a counter and two slots for each receive, at least one line.
Index put(const Traffic& t) {
    if (!t.busy) return 0;
    const Index counters = 64 * static_cast<Index>(t.sent.size() + t.received.size());
    return sum_of(t.sent, lines) + std::max<Index>(64, counters + 2 * sum_of(t.received, lines));
}

// Two counters for each send and, unless the receiver reads the field, slots: four of small messages, two of others.
// One buffer where the largest of those from 2 KiB on is packed.
Index mapped(const Traffic& t) {
    Index memory = 0, largest = 0;
    for (const Index bytes : t.sent) {
        memory += 128;
        if (t.in_shared_memory && t.replaces && !t.ordered && bytes >= 8192) continue;
        memory += (bytes <= 4096 ? 4 : 2) * lines(bytes);
        if (bytes >= 4096) largest = std::max(largest, bytes);
    }
    return memory + largest;
}

Index held(const std::string& name, const Traffic& traffic) {
    const std::map<std::string, Index (*)(const Traffic&)> rules{
        {"p2p", packed_both},        {"persistent", packed_both},
        {"neighbor", packed_both},   {"onesided", put},
        {"shared", mapped},          {"datatype", packed_if_added},
        {"direct", packed_if_added}, {"pull", packed_if_added},
        {"alltoallv", packed_both},  {"alltoallw", packed_if_added}};
    return rules.at(name)(traffic);
}

// The largest of the rank's own copies where they add: those go by way of a buffer.
Index added_copies(const MessagePlan& plan, const Phase& phase) {
    Index largest = 0;
    if (plan.arrival != Arrival::add) return 0;
    for (const Piece& piece : phase.copies) largest = std::max(largest, bytes(plan, piece));
    return largest;
}

bool on_any_rank(bool mine) {
    int any = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

// Collective. Messages that `shared` leaves to p2p, between nodes, are counted as those.
Index expected(const MessagePlan& plan, const Domain& domain, bool in_shared_memory) {
    Index sum = 0;
    for (const Phase& phase : plan.phases) {
        Traffic inside{{}, {}, plan.arrival == Arrival::replace, plan.in_order, in_shared_memory}, between = inside;
        const auto way = [&](int peer) -> Traffic& {
            return transport() == "shared" && !domain.node().holds(peer) ? between : inside;
        };
        for (const Message& message : phase.sends) way(message.peer).sent.push_back(bytes(plan, message));
        for (const Message& message : phase.receives) way(message.peer).received.push_back(bytes(plan, message));
        inside.busy = on_any_rank(!phase.sends.empty() || !phase.receives.empty());
        sum += held(transport(), inside) + packed_both(between) + added_copies(plan, phase);
    }
    return sum;
}

// From messages of a few bytes to some of a hundred thousand; many boxes to a rank make copies.
Partition uneven() {
    const Grid grid{{36, 20, 1}, {true, true, false}};
    const Partition cut = block_partition(grid, {2 * world_size(), 2, 1});
    std::vector<Subdomain> mine;
    for (const Subdomain& s : cut.subdomains()) mine.push_back({s.rank % world_size(), s.box});
    return {grid, world_size(), mine};
}

std::vector<FieldSpec> small_and_large() {
    FieldSpec flat = spec_of("flat", Extent{{1, 1, 0}, {1, 0, 0}}), deep = spec_of("deep", Extent::horizontal(2));
    flat.type = ElementType::float32;
    deep.levels = 40;
    deep.components = 3;
    return {flat, deep};
}

// The same memory as if lapwing knew nothing of it: not to be read by others.
std::vector<AnyField> wrapped(const World& world) {
    std::vector<AnyField> all;
    for (const AnyField& field : world.fields) {
        all.emplace_back(world.partition(), world.rank(), field.spec(), field.blocks(), nullptr);
    }
    return all;
}

std::vector<ExchangeOptions> kinds() {
    std::vector<ExchangeOptions> all;
    for (const Direction direction : {Direction::fill, Direction::copy_back, Direction::add_back})
        all.push_back({.corners = Corners::direct, .direction = direction});
    return all;
}

MessagePlan plan_of(const World& world, const ExchangeOptions& options) {
    return exchange_plan(world.partition(), world.rank(), specs_of(pointers(world.fields)), options);
}

void check_memory(const World& world, const std::vector<AnyField>& fields, const MessagePlan& plan) {
    const std::vector<const AnyField*> these = pointers(fields);
    Domain fresh(world.partition(), MPI_COMM_WORLD, ranks_per_node());  // whose windows were not made larger
    auto exchange = std::make_unique<Exchange>(fresh, Route{plan, transport()}, these, these);
    const bool in_shared_memory = std::ranges::all_of(fields, [](const AnyField& f) { return f.shared() != nullptr; });
    CAPTURE(bytes_sent(plan), bytes_received(plan), plan.in_order);
    REQUIRE(exchange->buffer_bytes() == expected(plan, fresh, in_shared_memory));
    const bool packs = !std::set<std::string>{"datatype", "direct", "pull", "alltoallw"}.contains(transport());
    REQUIRE((exchange->buffer_bytes() > 0 || bytes_sent(plan) == 0 || !packs));
    exchange.reset();
    fresh.close();
}

}  // namespace

TEST_CASE("the buffers of an exchange are what its plan says") {
    World world(uneven(), small_and_large());
    for (const ExchangeOptions& options : kinds()) {
        const MessagePlan plan = plan_of(world, options);
        for (const MessagePlan& one : {plan, in_chunks(plan, 3000)}) {
            check_memory(world, world.fields, one);
            check_memory(world, wrapped(world), one);
        }
    }
}

TEST_CASE("two phases hold the buffers of both") {
    World world(blocks({{16, 15, 1}, {true, true, false}}), small_and_large());
    for (const Direction direction : {Direction::fill, Direction::copy_back})
        check_memory(world, world.fields, plan_of(world, {.corners = Corners::ordered, .direction = direction}));
}
