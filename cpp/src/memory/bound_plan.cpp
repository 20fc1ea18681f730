#include "lapwing/memory/bound_plan.hpp"

#include <algorithm>
#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

bool is_integer(ElementType type) { return type != ElementType::float32 && type != ElementType::float64; }

// The block, and its number.
std::pair<const Block&, int> block_of(const AnyField& field, int holder) {
    int number = 0;
    for (const Block& block : field.blocks()) {
        if (block.subdomain == holder) return {block, number};
        ++number;
    }
    user_error("memory of field " + field.spec().name, concat("no block of subdomain ", holder),
               "one block for each box that the plan moves", "bind the field the plan was made for");
}

// An index list: the loops over x and y become one over its columns, where the first of them was.
void list_columns(StridedBlock& strided, const Block& block, const Box& box, const Piece& piece,
                  const FieldSpec& spec) {
    for (int n = 0; n < 4; ++n) {
        if (spec.order[n] > 1) continue;
        const bool first = strided.list < 0;
        if (first) strided.list = n;
        strided.count[n] = first ? piece.columns.size() : 1;
        strided.stride[n] = 0;
    }
    for (const Index column : piece.columns) {
        strided.offsets.push_back(column % box.size(0) * block.strides[0] + column / box.size(0) * block.strides[1]);
    }
}

// The target's block as loops over the cells of the source see it.
Block seen_from_source(const Block& block, const Piece& piece) {
    Block seen = block;
    Index3 first = piece.target_box.lo;
    for (int axis = 0; axis < 2; ++axis) {
        const bool against = piece.turn.against[axis];
        if (against) first[axis] = piece.target_box.hi[axis] - 1;
        seen.strides[piece.turn.source_axis(axis)] = against ? -block.strides[axis] : block.strides[axis];
    }
    seen.data = block.at(first);
    seen.allocated.lo = piece.source_box.lo;
    return seen;
}

enum class End { source, target };

// The values of a piece at one end in the memory of field number `field`, loops over the source's cells in wire order.
StridedBlock locate(std::span<const AnyField* const> fields, int field, const Piece& piece, const FieldSpec& spec,
                    End end) {
    const auto [whole, number] = block_of(*fields[field], end == End::source ? piece.source : piece.target);
    const Box& place = end == End::source ? piece.source_box : piece.target_box;
    if (!whole.allocated.contains(place)) {
        user_error("memory of field " + fields[field]->spec().name, whole.allocated, concat("at least ", place),
                   "allocate the halo that the plan needs");
    }
    const bool turned = end == End::target && !piece.turn.none();
    const Block block = turned ? seen_from_source(whole, piece) : whole;
    const Box& box = turned ? piece.source_box : place;
    StridedBlock strided{block.at(box.lo, piece.component_lo), static_cast<int>(size_of(spec.type)), {}, {}};
    for (int n = 0; n < 4; ++n) {
        const int axis = spec.order[n];
        strided.count[n] = axis == 3 ? piece.component_hi - piece.component_lo : box.size(axis);
        strided.stride[n] = block.strides[axis];
    }
    strided.memory = number;
    for (int f = 0; f < field; ++f) strided.memory += static_cast<int>(fields[f]->blocks().size());
    if (!piece.columns.empty()) list_columns(strided, block, box, piece, spec);
    return strided;
}

// The bytes of a block from its first to its last; empty if it has no cells.
std::span<std::byte> span_of(const Block& block, const FieldSpec& spec) {
    std::byte *first = block.data, *last = block.data;
    for (int n = 0; n < 4; ++n) {
        const Index steps = (n == 3 ? spec.components : block.allocated.size(n)) - 1;
        if (steps < 0) return {};
        (block.strides[n] < 0 ? first : last) += steps * block.strides[n];
    }
    return {first, last + size_of(spec.type)};
}

// Overlapping ranges made one: the fields of interleaved arrays lie between each other.
std::vector<std::span<std::byte>> disjoint(std::vector<std::span<std::byte>> ranges) {
    std::ranges::sort(ranges, {}, [](const auto& range) { return range.data(); });
    std::vector<std::span<std::byte>> merged;
    for (const auto& range : ranges) {
        if (merged.empty() || range.data() >= merged.back().data() + merged.back().size()) {
            merged.push_back(range);
            continue;
        }
        std::byte* const end = std::max(merged.back().data() + merged.back().size(), range.data() + range.size());
        merged.back() = {merged.back().data(), end};
    }
    return merged;
}

class Binder {
  public:
    Binder(const MessagePlan& plan, std::span<const AnyField* const> sources, std::span<const AnyField* const> targets,
           bool in_order)
        : plan_(plan), sources_(sources), targets_(targets), in_order_(in_order) {}

    BoundPhase bind(const Phase& phase) const {
        BoundPhase bound;
        for (const Message& m : phase.sends) bound.sends.push_back(bind(m, true));
        for (const Message& m : phase.receives) bound.receives.push_back(bind(m, false));
        for (const Piece& piece : phase.copies) {
            bound.copies.push_back(
                {locate_source(piece), locate_target(piece), is_integer(plan_.fields[piece.field].type)});
        }
        return bound;
    }

  private:
    BoundMessage bind(const Message& message, bool outgoing) const {
        BoundMessage bound{message.peer, {}, {}, lapwing::bytes(plan_, message), in_order_};
        for (const Piece& piece : message.pieces) {
            bound.pieces.push_back(outgoing ? locate_source(piece) : locate_target(piece));
            bound.integer.push_back(is_integer(plan_.fields[piece.field].type));
        }
        return bound;
    }

    StridedBlock locate_source(const Piece& p) const {
        return locate(sources_, source_field(plan_, p), p, plan_.fields[p.field], End::source);
    }
    StridedBlock locate_target(const Piece& p) const {
        const FieldSpec& spec = plan_.fields[p.field];
        StridedBlock target = locate(targets_, p.field, p, spec, End::target);
        if (changes_sign(plan_, p)) target.negated = is_integer(spec.type) ? Negated::integers : Negated::floats;
        return target;
    }

    const MessagePlan& plan_;
    std::span<const AnyField* const> sources_, targets_;
    bool in_order_;
};

}  // namespace

BoundPlan bind(const MessagePlan& plan, std::span<const AnyField* const> sources,
               std::span<const AnyField* const> targets) {
    if (sources.size() != plan.fields.size() || targets.size() != plan.fields.size()) {
        user_error("fields bound to a plan", concat(sources.size(), " sources, ", targets.size(), " targets"),
                   concat(plan.fields.size(), " of each"), "pass the fields of the plan, in order");
    }
    for (const auto& fields : {sources, targets})
        for (const AnyField* field : fields) field->require_memory();
    BoundPlan bound;
    bound.arrival = plan.arrival;
    bound.in_order = plan.in_order || plan.arrival == Arrival::add;
    const Binder binder(plan, sources, targets, bound.in_order);
    for (const Phase& phase : plan.phases) bound.phases.push_back(binder.bind(phase));
    for (const auto& fields : {sources, targets}) {
        for (const AnyField* field : fields) {
            bound.keep.push_back(field->keep());
            if (field->shared() != nullptr) bound.shared.push_back(field->shared());
            for (const Block& block : field->blocks()) {
                const std::span<std::byte> range = span_of(block, field->spec());
                if (!range.empty()) bound.memory.push_back(range);
            }
        }
    }
    bound.memory = disjoint(std::move(bound.memory));
    return bound;
}

}  // namespace lapwing
