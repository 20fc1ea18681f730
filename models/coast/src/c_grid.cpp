#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Location;

std::string along(const std::string& name, Axis axis) { return name + "_" + axis_names[axis]; }

Field<double> centre_field(Domain& domain, const std::string& name, int levels, Land land) {
    return {domain, name, lapwing::FieldOptions{.levels = levels, .constant_on_land = land == Land::constant}};
}

std::array<Field<double>, 2> face_fields(Domain& domain, const std::string& name, int levels, Land land) {
    const auto at = [&](Axis axis) {
        return Field<double>(
            domain, along(name, axis),
            {.location = face_along[axis], .levels = levels, .constant_on_land = land == Land::constant});
    };
    return {at(lapwing::x), at(lapwing::y)};
}

lapwing::Extent reach(Axis axis, int behind, int ahead) {
    if (axis == lapwing::z) return cross(lapwing::Extent{});
    return cross(lapwing::behind(axis, behind), lapwing::ahead(axis, ahead));
}

lapwing::Extent around_face(Axis axis) {
    return lapwing::combined({lapwing::ahead(axis), lapwing::behind(other(axis))});
}

}  // namespace lapwing_coast
