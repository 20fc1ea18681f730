#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>

#include "bindings.hpp"
#include "lapwing/grid/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;
using lapwing::python::bind_pickle;

namespace {

// Each connection once: face, side, other face, its side, reversed.
using Connections = std::vector<std::tuple<int, std::string, int, std::string, bool>>;

Connections connections(const Faces& faces) {
    Connections found;
    for (int face = 0; face < faces.count(); ++face) {
        for (Side side : {Side::west, Side::east, Side::south, Side::north}) {
            const Connection& link = faces.beyond(face, side);
            if (link.closed() || std::tie(link.face, link.side) < std::tie(face, side)) continue;
            found.emplace_back(face, to_string(side), link.face, to_string(link.side), link.reversed);
        }
    }
    return found;
}

void connect(Faces& faces, int face, const std::string& side, int other, const std::string& other_side, bool reversed) {
    faces.connect(face, side_from(side), other, side_from(other_side), reversed);
}

Faces faces_of(int count, const Connections& connections) {
    Faces faces = count == 0 ? Faces() : Faces(count);
    for (const auto& [face, side, other, other_side, reversed] : connections)
        connect(faces, face, side, other, other_side, reversed);
    return faces;
}

}  // namespace

void lapwing::python::bind_faces(nb::module_& m) {
    nb::class_<Faces> faces(m, "Faces", "Equal faces of a grid, and which of their sides meet.");
    bind_pickle<int, Connections>(
        faces, [](const Faces& all) { return std::tuple(all.count(), connections(all)); }, faces_of);
    faces.def(nb::init<int>(), "count"_a, "Faces without connections. Local. Raises UserError for less than one.")
        .def("connect", &connect, "face"_a, "side"_a, "other"_a, "other_side"_a, "reversed"_a = false,
             "Connect a side (west, east, south or north) with a side of another face or of the same. Local. "
             "`reversed`: indices along one of them rise where they fall along the other. Raises UserError for a face "
             "or side that does not exist, and a side that is connected already.")
        .def_prop_ro("count", &Faces::count, "Number of faces.")
        .def_prop_ro("connections", &connections, "Each connection once: face, side, other face, its side, reversed.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Faces& all) { return "Faces(" + to_string(all) + ")"; });
    m.def("cubed_sphere", &cubed_sphere,
          "The six faces of a cubed sphere as MITgcm numbers them: upper ends of sides meet lower ends, so that every "
          "point between two faces has one owner. Local.");
}
