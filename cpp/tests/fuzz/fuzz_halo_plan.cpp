// Halo plans of all ranks: every cell of every halo comes from its owner, once; split and reversed plans.

#include "input/fuzz_plans.hpp"
#include "lapwing/plan/chunks.hpp"
#include "lapwing/plan/halo_plan.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

std::vector<MessagePlan> plans_of(const Partition& partition, const std::vector<FieldSpec>& fields, Corners corners) {
    std::vector<MessagePlan> plans;
    for (int rank = 0; rank < partition.ranks(); ++rank) plans.push_back(halo_plan(partition, rank, fields, corners));
    return plans;
}

void check_halos(const Partition& partition, const std::vector<FieldSpec>& fields, Stores& stores, bool direct) {
    OwnedCells cells(partition);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        for (std::size_t s = 0; s < stores[f].size(); ++s) {
            Store& store = stores[f][s];
            const Box owned = partition.subdomains()[s].box;
            Index expected = 0;
            for (int c = 0; c < fields[f].components; ++c)
                each_halo_cell(cells, fields[f], owned, fields[f].extent(c),
                               [&](const Index3& cell, const Index3& home) {
                                   ++expected;
                                   require(store.at(cell, c) == number_of(home, c), "a halo holds its owner's value");
                               });
            const auto filled = std::ranges::count_if(store.values, [](Index value) { return value != nothing; });
            const Index own = fields[f].with_levels(owned).volume() * fields[f].components;
            require(!direct || filled == own + expected, "nothing else arrives");
        }
    }
}

void check_split(Bytes& bytes, const std::vector<MessagePlan>& plans, Stores& stores, Stores before, bool direct) {
    const Index chunk_bytes = bytes.mostly(-8, 120);
    std::vector<MessagePlan> split;
    if (refused([&] {
            for (const MessagePlan& plan : plans) split.push_back(in_chunks(plan, chunk_bytes));
        }))
        return;
    for (std::size_t r = 0; r < plans.size(); ++r) {
        require(bytes_sent(split[r]) == bytes_sent(plans[r]), "as many bytes are sent in other messages");
        require(bytes_received(split[r]) == bytes_received(plans[r]), "as many bytes are received in other messages");
        for (const Phase& phase : split[r].phases)
            for (const Message& message : phase.sends)
                require(lapwing::bytes(split[r], message) <= chunk_bytes, "no message is longer than a chunk");
    }
    carry_out(split, before, before, direct);
    require(before.size() == stores.size(), "as many fields");
    for (std::size_t f = 0; f < stores.size(); ++f)
        for (std::size_t s = 0; s < stores[f].size(); ++s)
            require(before[f][s].values == stores[f][s].values, "other messages bring the same");
}

void check_reversed(const std::vector<MessagePlan>& plans) {
    std::vector<MessagePlan> back;
    for (const MessagePlan& plan : plans) {
        back.push_back(reversed(plan, Arrival::add));
        require(bytes_sent(back.back()) == bytes_received(plan), "what came goes back");
        require(bytes_copied(back.back()) == bytes_copied(plan), "copies go back");
        require(to_string(plan).size() > 10, "a plan can be printed");
    }
    for (std::size_t p = 0; p < back[0].phases.size(); ++p) check_matching(back, p);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.byte();
    const Grid grid = small_grid(bytes, 2);
    const Partition partition = small_partition(bytes, grid);
    const std::vector<FieldSpec> fields = small_fields(bytes, grid, (what & 7) == 0 ? 3 : 2);
    const Corners corners = (what & 32) != 0 ? best_corners(partition) : Corners((what >> 6) & 1);
    std::vector<MessagePlan> plans;
    if (refused([&] { plans = plans_of(partition, fields, corners); })) return 0;
    Stores stores = with_halos(partition, fields);
    const Stores before = stores;
    const bool direct = corners == Corners::direct;
    carry_out(plans, stores, stores, direct);
    check_halos(partition, fields, stores, direct);
    if ((what & 128) != 0) {
        check_split(bytes, plans, stores, before, direct);
        check_reversed(plans);
    }
    return 0;
}
