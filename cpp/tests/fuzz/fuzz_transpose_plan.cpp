// Transposes between any two distributions, gathers too: every cell that both have moves once.

#include <optional>

#include "input/fuzz_plans.hpp"
#include "lapwing/partition/distribution.hpp"
#include "lapwing/plan/gather_plan.hpp"
#include "lapwing/plan/transpose_plan.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

Partition side(Bytes& bytes, const Partition& twod, const std::optional<Box>& active) {
    switch (bytes.between(0, 4)) {
        case 0:
            return fft_partition(twod, active);
        case 1:
            return tri_partition(twod, active);
        case 2:
            return level_slab_partition(twod, active);
        case 3:
            return small_partition(bytes, twod.grid());
        default:
            return twod;
    }
}

std::optional<Box> any_active(Bytes& bytes) {
    if (bytes.coin()) return {};
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] = bytes.mostly(0, 2);
        box.hi[a] = bytes.mostly(1, 8);
    }
    return box;
}

Stores stores_of(const Partition& partition, const std::vector<FieldSpec>& fields, bool filled) {
    Stores stores;
    for (const FieldSpec& field : fields) {
        stores.emplace_back();
        for (const Subdomain& s : partition.subdomains()) {
            Store& store = stores.back().emplace_back(field.with_levels(s.box), field.components);
            if (!filled) continue;
            each_cell(store.box, [&](const Index3& cell) {
                for (int c = 0; c < field.components; ++c) store.at(cell, c) = number_of(cell, c);
            });
        }
    }
    return stores;
}

// Cells of the targets that a source has, among the active ones, hold their number; others nothing.
void check_arrived(const Partition& from, const std::optional<Box>& active, Stores& targets) {
    OwnedCells cells(from);
    for (auto& field : targets)
        for (Store& store : field)
            each_cell(store.box, [&](const Index3& cell) {
                Index3 home = cell;
                const bool moves = (!active || active->contains(cell)) && cells.home(home);
                for (int c = 0; c < store.components; ++c)
                    require(store.at(cell, c) == (moves ? number_of(cell, c) : nothing), "each cell moves once");
            });
}

void transpose(Bytes& bytes, const Partition& from, const Partition& to, const std::vector<FieldSpec>& fields) {
    TransposeShare share{.active = any_active(bytes), .groups = bytes.mostly_int(1, 3)};
    Stores sources = stores_of(from, fields, true), targets = stores_of(to, fields, false);
    const bool all = share.groups >= 1 && share.groups <= 8;
    if (!all) share.group = bytes.mostly_int(0, 3);
    for (int group = 0; group < (all ? share.groups : 1); ++group) {
        if (all) share.group = group;
        std::vector<MessagePlan> plans;
        for (int rank = 0; rank < from.ranks(); ++rank) {
            plans.push_back(transpose_plan(from, to, rank, fields, share));
            require(census_of(plans.back()).bytes == bytes_sent(plans.back()), "a census counts what is sent");
        }
        carry_out(plans, sources, targets, true);
    }
    if (all) check_arrived(from, share.active, targets);
}

void gather(Bytes& bytes, const Partition& from, const std::vector<FieldSpec>& fields) {
    const int root = bytes.mostly_int(0, 3);
    Index sent = 0, received = 0, cells = 0;
    for (int rank = 0; rank < from.ranks(); ++rank) {
        const MessagePlan plan = gather_plan(from, rank, fields, root);
        sent += bytes_sent(plan) + bytes_copied(plan);
        received += bytes_received(plan) + bytes_copied(plan);
    }
    for (const FieldSpec& field : fields)
        for (const Subdomain& s : from.subdomains())
            cells += field.with_levels(s.box).volume() * field.components * static_cast<Index>(size_of(field.type));
    require(sent == cells && received == cells, "all owned cells are gathered");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.byte();
    const Grid grid = small_grid(bytes, 4);
    std::vector<FieldSpec> fields = small_fields(bytes, grid, 0);
    for (FieldSpec& field : fields) field.levels = 0;
    refused([&] {
        const Partition twod = twod_partition(grid, bytes.between(1, 3), bytes.between(1, 3));
        const Partition any = what % 4 == 0 ? small_partition(bytes, grid) : twod;
        if (what % 8 == 7) return gather(bytes, any, fields);
        const Partition from = side(bytes, any, any_active(bytes)), to = side(bytes, any, any_active(bytes));
        transpose(bytes, from, to, fields);
    });
    return 0;
}
