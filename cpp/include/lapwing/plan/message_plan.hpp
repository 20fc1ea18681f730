#pragma once
// The one description of moving data: halo exchange, gather, scatter, transposes and restarts all
// compile to it, every transport executes it, the simulator runs it in other time, pictures draw it.

#include <map>
#include <string>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/turn.hpp"
#include "lapwing/plan/field_spec.hpp"

namespace lapwing {

// The holder of a whole-grid array (of the root in a gather), in place of a subdomain number.
inline constexpr int whole_grid = -1;

// One box of one field on its way from an owner to a reader.
struct Piece {
    int field = 0;         // number in the plan's `fields` of the field that receives
    int source = 0;        // the holder: a subdomain number, or whole_grid
    int target = 0;        // the receiver: a subdomain number, or whole_grid
    Box source_box;        // cells in the source's global indices
    Box target_box;        // the same cells where the target stores them (an image away)
    int component_lo = 0;  // components component_lo <= c < component_hi
    int component_hi = 1;
    // Index list: the columns of the box that travel, as ascending positions (i - lo[0]) + size(0) * (j - lo[1]);
    // empty: all of them. Positions in the source's box; both boxes have one shape, up to the turn.
    std::vector<Index> columns{};
    Turn turn{};  // between the boxes, as beyond a north fold and between faces

    friend bool operator==(const Piece&, const Piece&) = default;
};

// All pieces that travel together between this rank and `peer`, in the order they are stored.
struct Message {
    int peer = 0;
    std::vector<Piece> pieces;

    friend bool operator==(const Message&, const Message&) = default;
};

// The piece with the cells `source` of its source box only, all of its columns being among them if it has a list.
// Local.
Piece part_of(const Piece& piece, const Box& source);

// The cells of the source box that arrive in the cells `target` of the target box. Local.
Box source_of(const Piece& piece, const Box& target);

// The one order of pieces that both ends of a message know: by field, then by where the cells go. Local.
bool wire_order(const Piece& a, const Piece& b);

// A message for each peer that gets pieces, by ascending peer, with its pieces in that order. Local.
std::vector<Message> messages_to(std::map<int, std::vector<Piece>> by_peer);

// All that may travel at the same time: messages (ascending peer) and copies within the rank.
struct Phase {
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::vector<Piece> copies;

    friend bool operator==(const Phase&, const Phase&) = default;
};

// The action of a target on an arriving value: take it, or add it to its own.
enum class Arrival { replace, add };

// The messages of one exchange as one rank sees them. Phases run one after the other.
struct MessagePlan {
    int rank = 0;
    std::vector<FieldSpec> fields;
    std::vector<Phase> phases;
    Arrival arrival = Arrival::replace;
    // True if targets may overlap, so that arrivals must be applied in the order of the plan instead
    // of the order of arrival. True for reversed plans only.
    bool in_order = false;
    NorthFold north_fold = NorthFold::none;  // the grid's
    int faces = 0;                           // the grid's

    friend bool operator==(const MessagePlan&, const MessagePlan&) = default;
};

// The number of the field that a piece is read from: where x runs along y, the other component of a vector. Local.
int source_field(const MessagePlan& plan, const Piece& piece);

// True if the values of a piece change their sign on their way. Local.
bool changes_sign(const MessagePlan& plan, const Piece& piece);

// The plan that carries everything back: targets become sources, the last phase comes first.
// Where several targets held one source cell, arrivals are applied in the order of the plan: first
// the rank's own copies, then messages by ascending peer.
MessagePlan reversed(const MessagePlan& plan, Arrival arrival);

Index values(const Piece& piece);                              // number of values
Index bytes(const MessagePlan& plan, const Piece& piece);      // bytes of one piece
Index bytes(const MessagePlan& plan, const Message& message);  // bytes of one message
Index bytes_sent(const MessagePlan& plan);                     // over all phases
Index bytes_received(const MessagePlan& plan);
Index bytes_copied(const MessagePlan& plan);
int messages_sent(const MessagePlan& plan);
// Bytes of the buffers of a transport that packs both ends: each message in whole cache lines of its own.
Index packed_bytes(const MessagePlan& plan);
Index bytes_sent_of(const MessagePlan& plan, int field);  // bytes of one field
int messages_with(const MessagePlan& plan, int field);    // messages sent that carry a piece of one field

// A readable table: the pieces, boxes and bytes of each phase and peer.
std::string to_string(const MessagePlan& plan);

}  // namespace lapwing
