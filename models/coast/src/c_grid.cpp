#include "lapwing_coast/c_grid.hpp"

#include <utility>

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::FieldSpec;
using lapwing::Location;

Field make_field(const Domain& domain, std::string name, Location location, const FieldShape& shape) {
    FieldSpec spec;
    spec.name = std::move(name);
    spec.location = location;
    spec.levels = shape.levels;
    const Extent room = domain.halo_with_spare(Extent::horizontal(shape.halo), spec.name);
    return {domain.partition(), domain.rank(), std::move(spec), room};
}

std::array<Field, 2> make_face_fields(const Domain& domain, const std::string& name, const FieldShape& shape) {
    return {make_field(domain, name + "_x", Location::xface, shape),
            make_field(domain, name + "_y", Location::yface, shape)};
}

Extent reach(int axis, int behind, int ahead) {
    Extent extent;
    extent.corners = false;  // one axis has none, and a cross of two needs no diagonal message
    if (axis == 2) return extent;
    extent.lo[axis] = behind;
    extent.hi[axis] = ahead;
    return extent;
}

Extent four_around(int axis) {
    Extent extent = unite(reach(axis, 0, 1), reach(1 - axis, 1, 0));
    extent.corners = true;
    return extent;
}

}  // namespace lapwing_coast
