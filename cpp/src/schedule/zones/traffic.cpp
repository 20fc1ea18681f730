#include "schedule/zones/traffic.hpp"

#include <algorithm>

namespace lapwing {

std::vector<Traffic> traffic_of(const RankStep& step, const ScheduleEntry& entry, const MessagePlan& plan) {
    std::vector<Traffic> traffic(step.subdomains.size());
    const auto on = [&](int subdomain) {
        const auto found = std::ranges::find(step.subdomains, subdomain);
        return found == step.subdomains.end() ? nullptr : &traffic[found - step.subdomains.begin()];
    };
    const auto arrives = [&](const Piece& piece, std::size_t phase) {
        if (Traffic* here = on(piece.target)) {
            here->arrivals.push_back({entry.halos[piece.field].field, static_cast<int>(phase), piece.target_box});
        }
    };
    const auto departs = [&](const Piece& piece) {
        if (Traffic* here = on(piece.source))
            here->departures.push_back(
                {entry.halos[source_field(plan, piece)].field, piece.source_box, !piece.turn.none()});
    };
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
        for (const Message& message : plan.phases[p].receives) {
            for (const Piece& piece : message.pieces) arrives(piece, p);
        }
        for (const Message& message : plan.phases[p].sends) {
            for (const Piece& piece : message.pieces) departs(piece);
        }
        for (const Piece& piece : plan.phases[p].copies) arrives(piece, p), departs(piece);
    }
    return traffic;
}

}  // namespace lapwing
