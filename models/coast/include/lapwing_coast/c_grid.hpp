#pragma once
// The Arakawa C-grid: fields on it, and the words for its axes. Face i along an axis lies between cells i and i + 1.
// All local.

#include <array>
#include <string>

#include "lapwing/exchange/field.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/typed_stage.hpp"

namespace lapwing_coast {

using lapwing::Axis;
using lapwing::Box;
using lapwing::Field;
using lapwing::Index;
using lapwing::View;

inline constexpr std::array<Axis, 2> horizontal_axes{lapwing::x, lapwing::y};

// The other horizontal axis.
constexpr Axis other(Axis axis) { return axis == lapwing::x ? lapwing::y : lapwing::x; }

// The width and corners of halos that a case lists, as all halos of a model that has such lists.
inline const lapwing::Extent literal_halo = lapwing::around(2);

// The offset (x, y) from a cell to the next one along an axis.
inline constexpr std::array<std::array<int, 2>, 2> ahead_along{{{1, 0}, {0, 1}}};

// The location of the transport along an axis.
inline constexpr std::array<lapwing::Location, 2> face_along{lapwing::Location::xface, lapwing::Location::yface};

// Names the axes as names of stages and fields do: "momentum_x".
inline constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
std::string along(const std::string& name, Axis axis);

// True if the values of a field on land, and at faces between two cells of land, ever change.
enum class Land { computed, constant };

// A field at cell centres, and one at the faces of both axes, "name_x" and "name_y"; x fastest in memory. `levels`:
// layers; 0: none.
Field<double> centre_field(lapwing::Domain& domain, const std::string& name, int levels = 0,
                           Land land = Land::computed);
std::array<Field<double>, 2> face_fields(lapwing::Domain& domain, const std::string& name, int levels = 0,
                                         Land land = Land::computed);

// `behind` cells towards smaller indices along `axis` and `ahead` towards larger ones; none along the vertical, of
// which every rank has all.
lapwing::Extent reach(Axis axis, int behind, int ahead);

// The four faces of the other axis around a face of `axis`: their mean is the value at that face.
lapwing::Extent around_face(Axis axis);

// The same for the momentum along x, then along y: declare(axis, the other axis) makes a stage.
template <class Declare>
lapwing::Stages both(const Declare& declare) {
    return {declare(lapwing::x, lapwing::y), declare(lapwing::y, lapwing::x)};
}

}  // namespace lapwing_coast
