#include "exchange/halo_return.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

Index3 offset_of(const FieldSpec& spec, int component) {
    const Extent& extent = spec.extent(component);
    Index3 offset{};
    for (std::size_t a = 0; a < 3; ++a) {
        if (extent.lo[a] > 0 && extent.hi[a] > 0) {
            user_error(concat("extent of component ", component, " of field ", spec.name), extent,
                       "a width on one side of each axis at most, the offset at which it is written",
                       "give each component an extent of its own");
        }
        offset[a] = extent.hi[a] - extent.lo[a];
    }
    return offset;
}

// Reduces pieces from owners to halos to the cells that the holder of the halo writes: the cells that its box covers
// when moved.
void clip(const Partition& partition, const FieldSpec& spec, std::vector<Piece>& pieces) {
    std::vector<Piece> kept;
    for (const Piece& whole : pieces) {
        for (int c = whole.component_lo; c < whole.component_hi; ++c) {
            const Box moved = shift(partition.subdomain(whole.target).box, offset_of(spec, c));
            const Box written = intersect(whole.target_box, spec.with_levels(moved));
            if (written.empty()) continue;
            Piece piece = part_of(whole, source_of(whole, written));
            piece.component_lo = c;
            piece.component_hi = c + 1;
            kept.push_back(std::move(piece));
        }
    }
    std::ranges::sort(kept, wire_order);
    pieces = std::move(kept);
}

}  // namespace

MessagePlan return_plan(const Partition& partition, int rank, const FieldSpec& spec) {
    require_no_turns(partition.grid(), "stage that scatters " + spec.name,
                     "gather in a stage that reads around its cells");
    MessagePlan plan = halo_plan(partition, rank, {&spec, 1}, Corners::direct);
    for (Phase& phase : plan.phases) {
        for (auto* messages : {&phase.sends, &phase.receives}) {
            for (Message& message : *messages) clip(partition, spec, message.pieces);
            std::erase_if(*messages, [](const Message& message) { return message.pieces.empty(); });
        }
        clip(partition, spec, phase.copies);
    }
    MessagePlan back = reversed(plan, Arrival::replace);
    back.in_order = false;  // no two values for one cell
    return back;
}

namespace {

MessagePlan agreed_plan(const Domain& domain, const FieldSpec& spec) {
    MessagePlan plan;
    together(domain.comm(), [&] { plan = return_plan(domain.partition(), domain.rank(), spec); });
    return plan;
}

}  // namespace

HaloReturn::HaloReturn(Domain& domain, const AnyField& field, const std::string& transport, std::size_t kept_bytes)
    : exchange_(domain, {agreed_plan(domain, field.spec()), transport}, std::vector<const AnyField*>{&field},
                std::vector<const AnyField*>{&field}),
      kept_(kept_bytes) {}

void HaloReturn::run(std::span<std::byte* const> kept, std::size_t size) {
    if (kept_.size() < kept.size() * size) kept_.resize(kept.size() * size);
    for (std::size_t n = 0; n < kept.size(); ++n) std::memcpy(kept_.data() + n * size, kept[n], size);
    run();
    for (std::size_t n = 0; n < kept.size(); ++n) std::memcpy(kept[n], kept_.data() + n * size, size);
}

}  // namespace lapwing
