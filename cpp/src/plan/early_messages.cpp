#include "plan/early_messages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace lapwing {

namespace {

// `copy` for the cells `target` of its target box only.
Piece part_to(const Piece& copy, const Box& target) { return part_of(copy, source_of(copy, target)); }

// Boxes of the cells that `copy` writes and the phase reads.
std::vector<Box> read_cells(const Piece& copy, const Phase& phase) {
    std::vector<Box> boxes;
    const auto note = [&](const Piece& reader) {
        const bool same = reader.field == copy.field && reader.source == copy.target &&
                          reader.component_lo < copy.component_hi && copy.component_lo < reader.component_hi;
        const Box read = same ? intersect(copy.target_box, reader.source_box) : Box{};
        if (same && !read.empty()) boxes.push_back(read);
    };
    for (const Message& message : phase.sends) std::ranges::for_each(message.pieces, note);
    std::ranges::for_each(phase.copies, note);
    return boxes;
}

// Parts of the copies of `phase` that nothing in `next` reads move there; the rest stay.
void put_off(Phase& phase, Phase& next) {
    std::vector<Piece> stay, go;
    for (const Piece& copy : phase.copies) {
        std::vector<Box> later{copy.target_box};
        for (const Box& read : read_cells(copy, next)) {
            std::vector<Box> rest;
            for (const Box& box : later) {
                const Box now = intersect(box, read);
                if (!now.empty()) stay.push_back(part_to(copy, now));
                std::ranges::copy(subtract(box, read), std::back_inserter(rest));
            }
            later = std::move(rest);
        }
        for (const Box& box : later) go.push_back(part_to(copy, box));
    }
    phase.copies = std::move(stay);
    next.copies.insert(next.copies.end(), go.begin(), go.end());
}

}  // namespace

MessagePlan messages_first(MessagePlan plan) {
    if (plan.in_order || plan.arrival == Arrival::add) return plan;
    for (std::size_t p = 0; p + 1 < plan.phases.size(); ++p) {
        Phase& phase = plan.phases[p];
        const auto listed = [](const Piece& piece) { return !piece.columns.empty(); };
        const bool quiet = phase.sends.empty() && phase.receives.empty();
        if (quiet && std::ranges::none_of(phase.copies, listed)) put_off(phase, plan.phases[p + 1]);
    }
    return plan;
}

}  // namespace lapwing
