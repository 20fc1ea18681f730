#pragma once
// What the kernels of an Arakawa C-grid read around a cell or a face. Face i along an axis lies between cells i and
// i + 1. All local.

#include <array>

#include <lapwing/extent.hpp>
#include <lapwing/grid.hpp>

namespace lapwing_coast {

// The offset (x, y) from a cell to the next one along an axis.
inline constexpr std::array<std::array<int, 2>, 2> ahead_along{{{1, 0}, {0, 1}}};

// Where the transport along an axis lies.
inline constexpr std::array<lapwing::Location, 2> face_along{lapwing::Location::xface, lapwing::Location::yface};

// `behind` cells towards smaller indices along `axis` and `ahead` towards larger ones; no corners.
lapwing::Extent reach(int axis, int behind, int ahead);

// The four faces of the other axis around a face of `axis`: one cell ahead along it, one behind along the other.
lapwing::Extent four_around(int axis);

}  // namespace lapwing_coast
