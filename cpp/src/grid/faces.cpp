#include "lapwing/grid/faces.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr std::array<std::string_view, 4> side_names{"west", "east", "south", "north"};
constexpr std::array<Side, 4> sides{Side::west, Side::east, Side::south, Side::north};

std::string name_of(int face, Side side) { return concat(side, " of face ", face); }

// Calls visit(face, side, link) for each connection, from the end with the smaller number.
template <class Visit>
void for_connections(const Faces& faces, const Visit& visit) {
    for (int face = 0; face < faces.count(); ++face) {
        for (Side side : sides) {
            const Connection& link = faces.beyond(face, side);
            if (!link.closed() && (face < link.face || (face == link.face && side < link.side)))
                visit(face, side, link);
        }
    }
}

}  // namespace

std::string_view to_string(Side side) { return side_names[static_cast<std::size_t>(side)]; }

Side side_from(std::string_view name) {
    const auto known = std::ranges::find(side_names, name);
    if (known != side_names.end()) return sides[static_cast<std::size_t>(known - side_names.begin())];
    user_error("side of a face", name, "west, east, south or north", "name a side");
}

Faces::Faces(int count) {
    if (count < 1) user_error("faces of a grid", count, "at least 1", "give their number");
    links_.resize(count);
}

Connection& Faces::free_side(int face, Side side) {
    const auto number = static_cast<std::size_t>(side);
    if (face < 0 || face >= count()) {
        user_error("face to connect", face, concat("0 to ", count() - 1), "number faces from 0");
    }
    if (number >= sides.size()) user_error("side of a face", number, "west, east, south or north", "name a side");
    Connection& link = links_[face][number];
    if (!link.closed()) {
        user_error(concat(name_of(face, side), " to connect"),
                   concat("one that meets ", name_of(link.face, link.side), " already"), "each side once",
                   "leave out one of the two connections");
    }
    return link;
}

void Faces::connect(int face, Side side, int other, Side other_side, bool reversed) {
    Connection& here = free_side(face, side);
    Connection& there = free_side(other, other_side);
    if (face == other && side == other_side) {
        user_error(concat(name_of(face, side), " to connect"), "the same side", "two sides", "name the other side");
    }
    here = {other, other_side, reversed};
    there = {face, side, reversed};
}

bool Faces::swap_axes() const {
    bool swapped = false;
    for_connections(*this, [&](int, Side side, const Connection& link) {
        swapped = swapped || axis_of(side) != axis_of(link.side);
    });
    return swapped;
}

std::string Faces::equal_ends() const {
    std::string found;
    for_connections(*this, [&](int face, Side side, const Connection& link) {
        if (!found.empty() || at_upper_end(side) != at_upper_end(link.side)) return;
        found = concat(name_of(face, side), " with ", name_of(link.face, link.side));
    });
    return found;
}

Faces cubed_sphere() {
    Faces faces(6);
    for (int face = 0; face < 6; ++face) {
        const bool even = face % 2 == 0;
        const Side entry = even ? Side::west : Side::south, straight = even ? Side::east : Side::north,
                   turning = even ? Side::north : Side::east;
        faces.connect(face, straight, (face + 1) % 6, entry, false);
        faces.connect(face, turning, (face + 2) % 6, entry, true);
    }
    return faces;
}

std::string to_string(const Faces& faces) {
    std::string text = concat(faces.count(), " faces");
    for_connections(faces, [&](int face, Side side, const Connection& link) {
        text += concat("; ", name_of(face, side), " meets ", name_of(link.face, link.side),
                       link.reversed ? ", reversed" : "");
    });
    return text;
}

}  // namespace lapwing
