#include "lapwing/plan/chunks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

// Loops of a piece in addition to the axes x, y and z.
constexpr int component_loop = 3, column_loop = 4;
constexpr Index longest_value = 8;  // bytes

Index turns(const Piece& piece, int loop) {
    if (loop == column_loop) return piece.columns.size();
    if (loop == component_loop) return piece.component_hi - piece.component_lo;
    return piece.source_box.size(loop);
}

// The loop to cut: the columns of an index list, else the one that is slowest in the message; -1 for a single value.
int loop_to_cut(const Piece& piece, const FieldSpec& spec) {
    if (piece.columns.size() > 1) return column_loop;
    for (int n = 3; n >= 0; --n) {
        const int axis = spec.order[n];
        // x and y of a list of one column span a box of which one column travels
        if (!piece.columns.empty() && axis < 2) continue;
        if (turns(piece, axis) > 1) return axis;
    }
    return -1;
}

// Turns begin <= n < end of a loop.
Piece part(Piece piece, int loop, Index begin, Index end) {
    if (loop == column_loop) {
        piece.columns = {piece.columns.begin() + begin, piece.columns.begin() + end};
    } else if (loop == component_loop) {
        piece.component_hi = piece.component_lo + static_cast<int>(end);
        piece.component_lo += static_cast<int>(begin);
    } else {
        Box source = piece.source_box;
        source.hi[loop] = source.lo[loop] + end;
        source.lo[loop] += begin;
        piece = part_of(piece, source);
    }
    return piece;
}

// Appends the piece in parts of at most `chunk` bytes, in the order of the loops.
void split(const MessagePlan& plan, const Piece& piece, Index chunk, std::vector<Piece>& parts) {
    const Index all = bytes(plan, piece);
    const int loop = all <= chunk ? -1 : loop_to_cut(piece, plan.fields[piece.field]);
    if (loop < 0) {
        parts.push_back(piece);
        return;
    }
    const Index count = turns(piece, loop), step = std::max<Index>(1, chunk / (all / count));
    for (Index n = 0; n < count; n += step) {
        split(plan, part(piece, loop, n, std::min(n + step, count)), chunk, parts);
    }
}

std::vector<Message> chunked(const MessagePlan& plan, Message message, Index chunk) {
    if (bytes(plan, message) <= chunk) return {std::move(message)};
    std::vector<Piece> parts;
    for (const Piece& piece : message.pieces) split(plan, piece, chunk, parts);
    std::vector<Message> chunks;
    Index room = 0;
    for (Piece& piece : parts) {
        const Index needed = bytes(plan, piece);
        if (chunks.empty() || needed > room) {
            chunks.push_back({message.peer, {}});
            room = chunk;
        }
        room -= needed;
        chunks.back().pieces.push_back(std::move(piece));
    }
    return chunks;
}

std::vector<Message> chunked(const MessagePlan& plan, const std::vector<Message>& messages, Index chunk) {
    std::vector<Message> all;
    for (const Message& message : messages) std::ranges::move(chunked(plan, message, chunk), std::back_inserter(all));
    return all;
}

}  // namespace

MessagePlan in_chunks(const MessagePlan& plan, Index chunk_bytes) {
    if (chunk_bytes < longest_value)
        user_error("chunk_bytes", chunk_bytes, "at least 8, a value", "give bytes, a multiple of 8");
    MessagePlan other = plan;
    for (Phase& phase : other.phases) {
        phase.sends = chunked(plan, phase.sends, chunk_bytes);
        phase.receives = chunked(plan, phase.receives, chunk_bytes);
    }
    return other;
}

}  // namespace lapwing
