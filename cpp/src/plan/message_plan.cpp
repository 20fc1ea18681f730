#include "lapwing/plan/message_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lapwing/base/concat.hpp"

namespace lapwing {

namespace {

Piece reversed(Piece piece) {
    std::swap(piece.source, piece.target);
    std::swap(piece.source_box, piece.target_box);
    piece.turn = inverse(piece.turn);
    return piece;
}

std::vector<Piece> reversed(std::vector<Piece> pieces) {
    for (Piece& piece : pieces) piece = reversed(piece);
    return pieces;
}

std::vector<Message> reversed(std::vector<Message> messages) {
    for (Message& message : messages) message.pieces = reversed(std::move(message.pieces));
    return messages;
}

// The cells of box `to` that stand where `part` of box `from` does; `turn` leads from `from` to `to`.
Box counterpart(const Box& part, const Box& from, const Box& to, const Turn& turn) {
    Box other;
    for (int a = 0; a < 3; ++a) {
        const int source = turn.source_axis(a);
        other.lo[a] = turn.runs_against(a) ? to.hi[a] - (part.hi[source] - from.lo[source])
                                           : to.lo[a] + (part.lo[source] - from.lo[source]);
        other.hi[a] = other.lo[a] + (part.hi[source] - part.lo[source]);
    }
    return other;
}

// Sum of `amount` over the phases of a plan.
template <class Amount>
Index over_phases(const MessagePlan& plan, Amount&& amount) {
    Index sum = 0;
    for (const Phase& phase : plan.phases) sum += amount(phase);
    return sum;
}

Index bytes(const MessagePlan& plan, const std::vector<Message>& messages) {
    Index sum = 0;
    for (const Message& message : messages) sum += bytes(plan, message);
    return sum;
}

std::string describe(const MessagePlan& plan, const Piece& piece) {
    const FieldSpec& field = plan.fields[piece.field];
    std::string text = field.name;
    if (field.components > 1) {
        text += concat("(", piece.component_lo, ":", piece.component_hi, ")");
    }
    text += concat(" ", piece.source_box);
    if (piece.target_box != piece.source_box) text += concat(" -> ", piece.target_box);
    if (const int source = source_field(plan, piece); source != piece.field)
        text += concat(", from ", plan.fields[source].name);
    if (!piece.turn.none()) text += ", turned";
    if (changes_sign(plan, piece)) text += ", with the other sign";
    if (!piece.columns.empty()) text += concat(", ", piece.columns.size(), " columns of it");
    return text;
}

std::string describe(const MessagePlan& plan, const char* verb, const std::vector<Message>& messages) {
    std::string text;
    for (const Message& message : messages) {
        text += concat("    ", verb, " rank ", message.peer, ": ", bytes(plan, message), " bytes\n");
        for (const Piece& piece : message.pieces) text += "      " + describe(plan, piece) + "\n";
    }
    return text;
}

}  // namespace

Piece part_of(const Piece& piece, const Box& source) {
    Piece part = piece;
    part.source_box = source;
    part.target_box = counterpart(source, piece.source_box, piece.target_box, piece.turn);
    return part;
}

Box source_of(const Piece& piece, const Box& target) {
    return counterpart(target, piece.target_box, piece.source_box, inverse(piece.turn));
}

bool wire_order(const Piece& a, const Piece& b) {
    return std::tie(a.field, a.target, a.component_lo, a.target_box, a.source) <
           std::tie(b.field, b.target, b.component_lo, b.target_box, b.source);
}

std::vector<Message> messages_to(std::map<int, std::vector<Piece>> by_peer) {
    std::vector<Message> all;
    for (auto& [peer, pieces] : by_peer) {
        if (pieces.empty()) continue;
        std::ranges::sort(pieces, wire_order);
        all.push_back({peer, std::move(pieces)});
    }
    return all;
}

int source_field(const MessagePlan& plan, const Piece& piece) {
    const FieldSpec& spec = plan.fields[piece.field];
    if (!piece.turn.swapped || !spec.paired()) return piece.field;
    const auto other = std::ranges::find(plan.fields, spec.other_of_pair(), &FieldSpec::name);
    return static_cast<int>(other - plan.fields.begin());
}

bool changes_sign(const MessagePlan& plan, const Piece& piece) {
    const FieldSpec& spec = plan.fields[piece.field];
    return spec.vector && piece.turn.against[spec.axis_of_pair()];
}

MessagePlan reversed(const MessagePlan& plan, Arrival arrival) {
    MessagePlan back{plan.rank, plan.fields, {}, arrival, !plan.in_order, plan.north_fold, plan.faces};
    for (auto phase = plan.phases.rbegin(); phase != plan.phases.rend(); ++phase) {
        back.phases.push_back({reversed(phase->receives), reversed(phase->sends), reversed(phase->copies)});
    }
    return back;
}

Index values(const Piece& piece) {
    const Index cells =
        piece.columns.empty() ? piece.source_box.volume() : std::ssize(piece.columns) * piece.source_box.size(2);
    return cells * (piece.component_hi - piece.component_lo);
}

Index bytes(const MessagePlan& plan, const Piece& piece) {
    return values(piece) * size_of(plan.fields[piece.field].type);
}

Index bytes(const MessagePlan& plan, const Message& message) {
    Index sum = 0;
    for (const Piece& piece : message.pieces) sum += bytes(plan, piece);
    return sum;
}

Index bytes_sent(const MessagePlan& plan) {
    return over_phases(plan, [&](const Phase& phase) { return bytes(plan, phase.sends); });
}

Index bytes_received(const MessagePlan& plan) {
    return over_phases(plan, [&](const Phase& phase) { return bytes(plan, phase.receives); });
}

Index bytes_copied(const MessagePlan& plan) {
    return over_phases(plan, [&](const Phase& phase) { return bytes(plan, Message{0, phase.copies}); });
}

int messages_sent(const MessagePlan& plan) {
    return static_cast<int>(over_phases(plan, [](const Phase& phase) { return std::ssize(phase.sends); }));
}

Index packed_bytes(const MessagePlan& plan) {
    constexpr Index line = 64;
    const auto lines = [&](const std::vector<Message>& messages) {
        Index sum = 0;
        for (const Message& message : messages) sum += (bytes(plan, message) + line - 1) / line * line;
        return sum;
    };
    return over_phases(plan, [&](const Phase& phase) { return lines(phase.sends) + lines(phase.receives); });
}

Index bytes_sent_of(const MessagePlan& plan, int field) {
    Index sum = 0;
    for (const Phase& phase : plan.phases) {
        for (const Message& message : phase.sends) {
            for (const Piece& piece : message.pieces) sum += piece.field == field ? bytes(plan, piece) : 0;
        }
    }
    return sum;
}

int messages_with(const MessagePlan& plan, int field) {
    Index sum = 0;
    for (const Phase& phase : plan.phases) {
        sum += std::ranges::count_if(phase.sends, [&](const Message& message) {
            return std::ranges::any_of(message.pieces, [&](const Piece& piece) { return piece.field == field; });
        });
    }
    return static_cast<int>(sum);
}

std::string to_string(const MessagePlan& plan) {
    std::string text = concat("rank ", plan.rank, ": ", messages_sent(plan), " messages, ", bytes_sent(plan),
                              " bytes out, ", bytes_received(plan), " in, ", bytes_copied(plan), " copied\n");
    for (const FieldSpec& field : plan.fields) text += concat("  field ", field, "\n");
    for (std::size_t n = 0; n < plan.phases.size(); ++n) {
        text += concat("  phase ", n, "\n");
        text += describe(plan, "to", plan.phases[n].sends);
        text += describe(plan, "from", plan.phases[n].receives);
        for (const Piece& piece : plan.phases[n].copies) {
            text += "    copy " + describe(plan, piece) + "\n";
        }
    }
    return text;
}

}  // namespace lapwing
