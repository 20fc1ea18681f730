#pragma once
// Plans of all ranks carried out in one process, on cells that hold their own number.

#include <algorithm>
#include <limits>
#include <vector>

#include "fuzz_partitions.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing::fuzzing {

constexpr Index nothing = std::numeric_limits<Index>::min();

// The memory of one field on one box.
struct Store {
    Box box;
    int components = 1;
    std::vector<Index> values;

    Store(const Box& box_, int components_)
        : box(box_), components(components_), values(static_cast<std::size_t>(box.volume() * components), nothing) {}
    Index& at(const Index3& cell, int component) {
        require(box.contains(cell), "a message stays in the memory of its field");
        const Index column = cell[0] - box.lo[0] + box.size(0) * (cell[1] - box.lo[1]);
        return values[static_cast<std::size_t>(
            (column + box.size(0) * box.size(1) * (cell[2] - box.lo[2])) * components + component)];
    }
};
using Stores = std::vector<std::vector<Store>>;  // [field][subdomain]

// The number that a cell of the grid holds.
inline Index number_of(const Index3& cell, int component) {
    return ((cell[2] * 4096 + cell[1]) * 4096 + cell[0]) * 16 + component + 1;
}

// Calls use(cell of the source, cell of the target, component) for every value that a piece moves.
template <class Use>
void each_value(const Piece& piece, const Use& use) {
    const Box& from = piece.source_box;
    const Box& to = piece.target_box;
    for (int a = 0; a < 3; ++a)
        require(from.size(piece.turn.source_axis(a)) == to.size(a) && !from.empty(), "both boxes have one shape");
    each_cell(from, [&](const Index3& cell) {
        const Index column = cell[0] - from.lo[0] + from.size(0) * (cell[1] - from.lo[1]);
        if (!piece.columns.empty() && !std::ranges::binary_search(piece.columns, column)) return;
        Index3 there = cell;
        for (int a = 0; a < 3; ++a) {
            const int source = piece.turn.source_axis(a);
            const Index along = cell[source] - from.lo[source];
            there[a] = piece.turn.runs_against(a) ? to.hi[a] - 1 - along : to.lo[a] + along;
        }
        for (int c = piece.component_lo; c < piece.component_hi; ++c) use(cell, there, c);
    });
}

// The messages that one rank sends another are the messages that the other receives.
inline void check_matching(const std::vector<MessagePlan>& plans, std::size_t phase) {
    std::size_t sent = 0, received = 0;
    for (const MessagePlan& plan : plans) {
        require(plan.phases.size() == plans[0].phases.size(), "all ranks have as many phases");
        received += plan.phases[phase].receives.size();
        for (const Message& message : plan.phases[phase].sends) {
            ++sent;
            const auto& theirs = plans[static_cast<std::size_t>(message.peer)].phases[phase].receives;
            const bool there = std::ranges::any_of(
                theirs, [&](const Message& m) { return m.peer == plan.rank && m.pieces == message.pieces; });
            require(there && message.peer != plan.rank, "a message is expected by another rank");
            require(!message.pieces.empty(), "no message is empty");
        }
    }
    require(sent == received, "every message that is expected is sent");
}

// Carries out the plans. `once`: no value is given twice, except in a cell that is an image of another one.
inline void carry_out(const std::vector<MessagePlan>& plans, Stores& sources, Stores& targets, bool once) {
    struct Arriving {
        Index* target;
        Index value;
        bool turned;
    };
    for (std::size_t p = 0; p < plans[0].phases.size(); ++p) {
        check_matching(plans, p);
        std::vector<Arriving> arriving;
        const auto read = [&](const Piece& piece) {
            const auto f = static_cast<std::size_t>(piece.field);
            const auto g = static_cast<std::size_t>(source_field(plans[0], piece));
            Store& source = sources[g][static_cast<std::size_t>(piece.source)];
            Store& target = targets[f][static_cast<std::size_t>(piece.target)];
            const Index sign = changes_sign(plans[0], piece) ? -1 : 1;
            each_value(piece, [&](const Index3& from, const Index3& to, int c) {
                require(source.at(from, c) != nothing, "what is sent is there");
                arriving.push_back({&target.at(to, c), sign * source.at(from, c), !piece.turn.none()});
            });
        };
        for (const MessagePlan& plan : plans) {
            for (const Message& message : plan.phases[p].receives) std::ranges::for_each(message.pieces, read);
            std::ranges::for_each(plan.phases[p].copies, read);
        }
        for (const Arriving& one : arriving) {
            require(*one.target == nothing || one.turned || (!once && *one.target == one.value),
                    "no value is given twice");
            *one.target = one.value;
        }
    }
}

// A few fields of any kind on a grid with `reach` cells of halo at most.
inline std::vector<FieldSpec> small_fields(Bytes& bytes, const Grid& grid, int reach) {
    std::vector<FieldSpec> fields(static_cast<std::size_t>(bytes.between(1, 2)));
    for (FieldSpec& field : fields) {
        field.name = "f" + std::to_string(&field - fields.data());
        const int kind = bytes.byte();
        field.type = static_cast<ElementType>(kind & 3);
        field.location = static_cast<Location>(kind >> 2 & 3);
        field.components = 1 + (kind >> 4 & 1) + (kind >> 5 & 1);
        field.levels = grid.size[2] == 1 ? kind >> 6 : 0;
        field.extents.assign(bytes.coin() ? static_cast<std::size_t>(field.components) : 1, {});
        for (Extent& extent : field.extents) extent = small_extent(bytes, reach);
        for (std::size_t n = 3; n > 0; --n)
            std::swap(field.order[n], field.order[static_cast<std::size_t>(bytes.between(0, static_cast<int>(n)))]);
    }
    return fields;
}

// The memory of each field on each box: owned cells hold their number, halos nothing.
inline Stores with_halos(const Partition& partition, const std::vector<FieldSpec>& fields) {
    Stores stores;
    for (const FieldSpec& field : fields) {
        stores.emplace_back();
        for (const Subdomain& s : partition.subdomains()) {
            Extent around = field.largest_extent();
            around.corners = true;
            Store& store = stores.back().emplace_back(field.with_levels(grow(s.box, around)), field.components);
            each_cell(field.with_levels(s.box), [&](const Index3& cell) {
                for (int c = 0; c < field.components; ++c) store.at(cell, c) = number_of(cell, c);
            });
        }
    }
    return stores;
}

// Which cells of the grid belong to anybody.
class OwnedCells {
  public:
    explicit OwnedCells(const Partition& partition) : grid_(partition.grid()), cells_(grid_.box(), 1) {
        for (const Subdomain& s : partition.subdomains())
            each_cell(s.box, [&](const Index3& cell) { cells_.at(cell, 0) = 1; });
    }
    // True if `cell` is an image of one; it becomes that one.
    bool home(Index3& cell) { return wrap(grid_, cell) && cells_.at(cell, 0) == 1; }

  private:
    Grid grid_;
    Store cells_;
};

// Calls use(cell of the halo, the owned cell that it is an image of) for every cell of a halo that has an owner.
template <class Use>
void each_halo_cell(OwnedCells& cells, const FieldSpec& field, const Box& owned, const Extent& extent, const Use& use) {
    for (const Box& arm : stencil_boxes(owned, extent)) {
        each_cell(field.with_levels(arm), [&](const Index3& cell) {
            Index3 home = cell;
            if (field.levels > 0) home[2] = 0;
            if (owned.contains(home) || !cells.home(home)) return;
            if (field.levels > 0) home[2] = cell[2];
            use(cell, home);
        });
    }
}

}  // namespace lapwing::fuzzing
