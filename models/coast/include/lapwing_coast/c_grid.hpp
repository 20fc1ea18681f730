#pragma once
// The Arakawa C-grid: fields on it, and what kernels read around a cell or a face. Face i along an axis lies between
// cells i and i + 1. All local.

#include <array>
#include <string>

#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing_coast {

// The offset (x, y) from a cell to the next one along an axis.
inline constexpr std::array<std::array<int, 2>, 2> ahead_along{{{1, 0}, {0, 1}}};

// Where the transport along an axis lies.
inline constexpr std::array<lapwing::Location, 2> face_along{lapwing::Location::xface, lapwing::Location::yface};

// As names of stages and fields have them.
inline constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

// How a field lies in memory besides its place on the grid.
struct FieldShape {
    int levels = 0;  // layers; 0: none
    int halo = 1;    // cells to all sides
};

// A field of the model, x fastest in memory, and one at the faces of both axes, "name_x" and "name_y".
lapwing::Field make_field(const lapwing::Domain& domain, std::string name, lapwing::Location location,
                          const FieldShape& shape);
std::array<lapwing::Field, 2> make_face_fields(const lapwing::Domain& domain, const std::string& name,
                                               const FieldShape& shape);

// `behind` cells towards smaller indices along `axis` and `ahead` towards larger ones, no corners; none along the
// vertical, of which every rank has all.
lapwing::Extent reach(int axis, int behind, int ahead);

// The four faces of the other axis around a face of `axis`: one cell ahead along it, one behind along the other.
lapwing::Extent four_around(int axis);

}  // namespace lapwing_coast
