#pragma once
// Fields that kernels write around the cell they compute, as many lattice models do.

#include "lapwing/plan/field_spec.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lapwing::testing {

// A field with a component for each offset, at which it is written.
inline FieldSpec written_at(const std::vector<Index3>& offsets) {
    FieldSpec spec;
    spec.name = "f";
    spec.components = static_cast<int>(offsets.size());
    spec.extents.clear();
    for (const Index3& c : offsets) {
        Extent extent;
        for (std::size_t a = 0; a < 3; ++a) {
            extent.lo[a] = static_cast<int>(std::max<Index>(0, -c[a]));
            extent.hi[a] = static_cast<int>(std::max<Index>(0, c[a]));
        }
        spec.extents.push_back(extent);
    }
    return spec;
}

}  // namespace lapwing::testing
