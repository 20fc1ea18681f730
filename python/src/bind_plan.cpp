#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/plan/chunks.hpp"
#include "lapwing/plan/gather_plan.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/plan/wet_plan.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;
using lapwing::python::bind_pickle;

namespace {

Corners corners_of(bool ordered) { return ordered ? Corners::ordered : Corners::direct; }
Arrival arrival_of(bool add) { return add ? Arrival::add : Arrival::replace; }

// Pieces of unpickled plans index fields and their components: what is wrong here would read other memory later.
void check_piece(const Piece& piece, const std::vector<FieldSpec>& fields) {
    const int count = static_cast<int>(fields.size());
    if (piece.field < 0 || piece.field >= count)
        user_error("pickled MessagePlan", concat("a piece of field ", piece.field),
                   concat("one of its ", count, " fields"), "pickle it with the same version that reads it");
    const FieldSpec& field = fields[piece.field];
    if (field.paired() && std::ranges::count(fields, field.other_of_pair(), &FieldSpec::name) == 0)
        user_error("pickled MessagePlan", "field " + field.name + " alone", "both fields of its pair",
                   "pickle it with the same version that reads it");
    if (piece.component_lo < 0 || piece.component_hi > field.components || values(piece) < 0)
        user_error("pickled MessagePlan",
                   concat("components ", piece.component_lo, " to ", piece.component_hi, " of field ", field.name),
                   concat("some of ", field.components), "pickle it with the same version that reads it");
}

MessagePlan plan_of(int rank, std::vector<FieldSpec> fields, std::vector<Phase> phases, bool adds, bool in_order,
                    const std::string& north_fold, int faces) {
    for (const Phase& phase : phases) {
        for (const Piece& piece : phase.copies) check_piece(piece, fields);
        for (const std::vector<Message>& messages : {phase.sends, phase.receives})
            for (const Message& message : messages)
                for (const Piece& piece : message.pieces) check_piece(piece, fields);
    }
    return {rank, std::move(fields), std::move(phases), arrival_of(adds), in_order, north_fold_from(north_fold), faces};
}

void bind_field_spec(nb::module_& m) {
    nb::class_<FieldSpec>(m, "FieldSpec", "Name, type and shape of a field, and how far its halo is read.")
        .def(
            "__init__",
            [](FieldSpec* self, std::string name, const std::string& type, std::vector<Extent> extents, int levels,
               int components, const std::string& location, std::array<int, 4> order, bool constant_on_land,
               bool vector, const std::array<std::string, 2>& pair, bool frame) {
                new (self) FieldSpec{std::move(name),
                                     element_type_from(type),
                                     location_from(location),
                                     levels,
                                     components,
                                     std::move(extents),
                                     order,
                                     constant_on_land,
                                     vector,
                                     {pair[0], pair[1]},
                                     frame};
            },
            "name"_a, "type"_a = "float64", "extents"_a = std::vector<Extent>{{}}, "levels"_a = 0, "components"_a = 1,
            "location"_a = "center", "order"_a = std::array<int, 4>{0, 1, 2, 3}, "constant_on_land"_a = false,
            "vector"_a = false, "pair"_a = std::array<std::string, 2>{}, "frame"_a = false,
            "Describe a field. Local. Raises UserError for an unknown type or location; the rest is checked against a "
            "grid when a field or a plan is made.")
        .def_prop_ro("largest_extent", &FieldSpec::largest_extent, "What holds the extents of all components. Local.")
        .def_ro("name", &FieldSpec::name, "Name of the field.")
        .def_prop_ro(
            "type", [](const FieldSpec& s) { return std::string(to_string(s.type)); },
            "float32, float64, int32, int64 or bool.")
        .def_prop_ro(
            "location", [](const FieldSpec& s) { return std::string(to_string(s.location)); },
            "center, xface, yface or corner.")
        .def_ro("levels", &FieldSpec::levels, "Length of a vertical axis that is never cut; 0: the z axis of the grid.")
        .def_ro("components", &FieldSpec::components, "Values per cell.")
        .def_ro("extents", &FieldSpec::extents, "How far the halo is read: one for all components, or one for each.")
        .def_ro("order", &FieldSpec::order, "Axes x = 0, y = 1, z = 2, components = 3 in memory, fastest first.")
        .def_ro("constant_on_land", &FieldSpec::constant_on_land, "Whether its values on land never change.")
        .def_ro("vector", &FieldSpec::vector,
                "Whether it is a component of a vector along x or y, whose sign changes where its axis turns round.")
        .def_prop_ro(
            "pair", [](const FieldSpec& s) { return std::tuple(s.pair.x, s.pair.y); },
            "Names of the fields along x and y, of which it is one: they change places where the axes do.")
        .def_ro("frame", &FieldSpec::frame,
                "Whether ghost cells beyond closed sides of the grid hold values that exchanges carry.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const FieldSpec& s) { return "FieldSpec(" + to_string(s) + ")"; });
}

void bind_wet_share(nb::module_& m) {
    nb::class_<WetShare> share(m, "WetShare",
                               "What a rank sends before and after the land was left out of its messages.");
    bind_pickle<Index, Index, int, int, int, int, int, int, int>(share, [](const WetShare& s) {
        return std::tuple(s.bytes_before, s.bytes_after, s.messages_before, s.messages_after, s.dry, s.whole, s.clipped,
                          s.patched, s.listed);
    });
    share.def(nb::init<>(), "Nothing sent, nothing saved: where a sum begins. Local.")
        .def_ro("bytes_before", &WetShare::bytes_before, "Bytes sent with land.")
        .def_ro("bytes_after", &WetShare::bytes_after, "Bytes sent without.")
        .def_ro("messages_before", &WetShare::messages_before, "Messages sent with land.")
        .def_ro("messages_after", &WetShare::messages_after, "Messages sent without.")
        .def_ro("dry", &WetShare::dry, "Pieces that vanished.")
        .def_ro("whole", &WetShare::whole, "Pieces that stayed as they were.")
        .def_ro("clipped", &WetShare::clipped, "Pieces cut to their wet bounds.")
        .def_ro("patched", &WetShare::patched, "Pieces that became several patches.")
        .def_ro("listed", &WetShare::listed, "Pieces that became an index list.")
        .def(
            "__add__", [](WetShare a, const WetShare& b) { return a += b; }, "other"_a,
            "The shares of two ranks together.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const WetShare& s) { return "WetShare(" + to_string(s) + ")"; });
}

void bind_messages(nb::module_& m) {
    nb::class_<Piece> piece(m, "Piece", "One box of one field on its way from an owner to a reader.");
    bind_pickle<int, int, int, Box, Box, int, int, std::vector<Index>, bool, std::array<bool, 2>>(
        piece,
        [](const Piece& p) {
            return std::tuple(p.field, p.source, p.target, p.source_box, p.target_box, p.component_lo, p.component_hi,
                              p.columns, p.turn.swapped, p.turn.against);
        },
        [](int field, int source, int target, Box source_box, Box target_box, int lo, int hi,
           std::vector<Index> columns, bool swapped, std::array<bool, 2> against) {
            return Piece{field, source, target, source_box, target_box, lo, hi, std::move(columns), {swapped, against}};
        });
    piece.def_ro("field", &Piece::field, "Number of the field in the plan.")
        .def_ro("source", &Piece::source, "Number of the subdomain that it is read from; -1: the whole grid.")
        .def_ro("target", &Piece::target, "Number of the subdomain that it is written to; -1: the whole grid.")
        .def_ro("source_box", &Piece::source_box, "Cells that are read.")
        .def_ro("target_box", &Piece::target_box, "Cells that are written: the same, or an image of them.")
        .def_ro("component_lo", &Piece::component_lo, "First component.")
        .def_ro("component_hi", &Piece::component_hi, "One past the last component.")
        .def_ro("columns", &Piece::columns,
                "Index list: the columns that travel, as ascending positions in `source_box`, x fastest; empty: all.")
        .def_prop_ro(
            "swapped", [](const Piece& p) { return p.turn.swapped; },
            "Whether x of one box runs along y of the other, as between faces.")
        .def_prop_ro(
            "against", [](const Piece& p) { return p.turn.against; },
            "Whether x, and y, of the target's box run against the source's, as beyond a north fold.")
        .def_prop_ro("values", &values, "Number of values: cells times components.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
    nb::class_<Message> message(m, "Message", "All pieces that travel together between two ranks.");
    bind_pickle<int, std::vector<Piece>>(message, [](const Message& one) { return std::tuple(one.peer, one.pieces); });
    message.def_ro("peer", &Message::peer, "The other rank.")
        .def_ro("pieces", &Message::pieces, "What travels, in the order in which it is stored.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
    nb::class_<Phase> phase(m, "Phase", "What may travel at the same time.");
    bind_pickle<std::vector<Message>, std::vector<Message>, std::vector<Piece>>(
        phase, [](const Phase& p) { return std::tuple(p.sends, p.receives, p.copies); });
    phase.def_ro("sends", &Phase::sends, "Messages to other ranks.")
        .def_ro("receives", &Phase::receives, "Messages from other ranks.")
        .def_ro("copies", &Phase::copies, "Pieces between boxes of this rank.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

nb::class_<MessagePlan> bind_message_plan(nb::module_& m) {
    nb::class_<MessagePlan> plan(m, "MessagePlan", "The messages of one exchange as one rank sees them.");
    bind_pickle<int, std::vector<FieldSpec>, std::vector<Phase>, bool, bool, std::string, int>(
        plan,
        [](const MessagePlan& p) {
            return std::tuple(p.rank, p.fields, p.phases, p.arrival == Arrival::add, p.in_order,
                              std::string(to_string(p.north_fold)), p.faces);
        },
        plan_of);
    return plan.def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def_ro("rank", &MessagePlan::rank, "The rank whose view this is.")
        .def_ro("fields", &MessagePlan::fields, "The fields that the pieces name by number.")
        .def_ro("phases", &MessagePlan::phases, "What may travel at the same time; phases run one after the other.")
        .def_prop_ro(
            "adds", [](const MessagePlan& p) { return p.arrival == Arrival::add; },
            "Whether what arrives is added to the target instead of replacing it.")
        .def_prop_ro("messages_sent", &messages_sent, "Messages that this rank sends, all phases together.")
        .def_prop_ro("bytes_sent", &bytes_sent, "Bytes that this rank sends.")
        .def_prop_ro("bytes_received", &bytes_received, "Bytes that this rank receives.")
        .def_prop_ro("bytes_copied", &bytes_copied, "Bytes that this rank copies between its own boxes.")
        .def_prop_ro("packed_bytes", &packed_bytes, "Bytes of the buffers of a transport that packs both ends.")
        .def(
            "bytes", [](const MessagePlan& p, const Message& message) { return bytes(p, message); }, "message"_a,
            "Bytes of a message of this plan. Local.")
        .def("__repr__", [](const MessagePlan& p) { return to_string(p); });
}

// Plans made from other plans.
void bind_changes(nb::class_<MessagePlan>& plan) {
    plan.def(
            "reversed", [](const MessagePlan& p, bool add) { return reversed(p, arrival_of(add)); }, "add"_a = false,
            "The plan of the opposite direction; `add`: what arrives is added. Local.")
        .def("in_chunks", &in_chunks, "chunk_bytes"_a,
             "The same data in messages of at most `chunk_bytes` bytes: longer ones are split. Local; the same size on "
             "all ranks. Raises UserError for chunks of less than 8 bytes, a value. Cost: one walk over the pieces.")
        .def(
            "wet_only",
            [](const MessagePlan& p, const Mask& mask, const std::string& form, bool declared_only, double per_byte,
               double per_piece, double per_column) {
                return wet_only(p, mask, {per_byte, per_piece, per_column}, {wet_form_from(form), declared_only});
            },
            "mask"_a, nb::kw_only(), "form"_a = "lists", "declared_only"_a = false,
            "seconds_per_byte"_a = WetCost{}.seconds_per_byte, "seconds_per_piece"_a = WetCost{}.seconds_per_piece,
            "seconds_per_column"_a = WetCost{}.seconds_per_column,
            "The plan without land: pieces are dropped, clipped, cut into patches or turned into index lists, "
            "whichever costs least: by the byte, and for every walk over the columns by the piece and the listed "
            "column. Wet values (of faces and corners those that touch a wet cell) arrive as before; results stay the "
            "same as long as dry cells hold a constant fill. `mask`: that of the grid; `form`: what pieces may become "
            "at most: off, clip, patches or lists; `declared_only`: only those of fields that are constant on land. "
            "Local; all ranks must ask alike. Raises UserError where the mask is seen to be too small, and for another "
            "form. Cost: the number of columns in the plan, for each field.")
        .def("wet_share", &wet_share, "wet"_a,
             "What this rank saves with `wet`, which `wet_only` made of this plan. Local.");
}

}  // namespace

void lapwing::python::bind_plan(nb::module_& m) {
    bind_field_spec(m);
    bind_wet_share(m);
    m.def("wet_form_names", &wet_form_names, "What may become of pieces of messages that hold land. Local.");
    bind_messages(m);
    nb::class_<MessagePlan> plan = bind_message_plan(m);
    bind_changes(plan);
    m.def(
        "halo_plan",
        [](const Partition& p, int rank, const std::vector<FieldSpec>& fields, bool ordered) {
            return halo_plan(p, rank, fields, corners_of(ordered));
        },
        "partition"_a, "rank"_a, "fields"_a, nb::kw_only(), "ordered"_a = false,
        "Plan the halo exchange of `fields` as `rank` sees it: one message per neighbour and phase. Local. `ordered`: "
        "corners travel along one axis after the other instead of directly. Raises UserError for a bad field, or "
        "ordered corners on a partition that is not aligned. Cost: the number of the rank's own neighbours.");
    m.def(
        "gather_plan",
        [](const Partition& p, int rank, const std::vector<FieldSpec>& fields, int root) {
            return gather_plan(p, rank, fields, root);
        },
        "partition"_a, "rank"_a, "fields"_a, nb::kw_only(), "root"_a = 0,
        "Plan the collection of all owned cells of `fields` on `root`; `reversed()` scatters them. Local. Raises "
        "UserError for a root outside the partition.");
}
