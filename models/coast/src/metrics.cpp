#include "lapwing_coast/metrics.hpp"

#include <algorithm>

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Grid;
using lapwing::Location;

namespace {

std::vector<Field<double>> at(Domain& domain, bool varies, const char* name, Location location) {
    if (!varies) return {};
    return {Field<double>(domain, name, location)};
}

Metrics::PerAxis at_faces(Domain& domain, bool varies, const char* name) {
    if (!varies) return {};
    const auto fields = face_fields(domain, name);
    return {std::vector{fields[0]}, std::vector{fields[1]}};
}

// The lengths of all cells, by axis, and values at faces made of them.
struct Cells {
    const Grid& grid;
    const CellMetrics& given;

    [[nodiscard]] const std::vector<double>& spacing(Axis axis) const {
        return axis == lapwing::x ? given.spacing_x : given.spacing_y;
    }
    // The value of cell (i, j), or of the nearest one of a grid that does not close on itself.
    [[nodiscard]] double value(const std::vector<double>& values, Index i, Index j) const {
        const auto inside = [&](Index n, int axis) {
            const Index size = grid.size[axis];
            return grid.periodic[axis] ? (n + size) % size : std::clamp<Index>(n, 0, size - 1);
        };
        return values[inside(j, 1) * grid.size[0] + inside(i, 0)];
    }
    [[nodiscard]] double at_face(const std::vector<double>& values, Axis axis, Index i, Index j) const {
        const auto [di, dj] = ahead_along[axis];
        return 0.5 * (value(values, i, j) + value(values, i + di, j + dj));
    }
    [[nodiscard]] double face_area(Axis axis, Index i, Index j) const {
        return at_face(spacing(axis), axis, i, j) * at_face(spacing(other(axis)), axis, i, j);
    }
    // The growth in width from the cell behind the face to the next cell, over the area of the face.
    [[nodiscard]] double widening_along(Axis axis, Index i, Index j) const {
        const auto [di, dj] = ahead_along[axis];
        const auto& width = spacing(other(axis));
        return (value(width, i + di, j + dj) - value(width, i, j)) / face_area(axis, i, j);
    }
    // The growth in length towards the next face across the axis, over the area, as the mean of both sides.
    [[nodiscard]] double widening_across(Axis axis, Index i, Index j) const {
        const auto [di, dj] = ahead_along[other(axis)];
        const auto& length = spacing(axis);
        const double longer = at_face(length, axis, i + di, j + dj) - at_face(length, axis, i - di, j - dj);
        return 0.5 * longer / face_area(axis, i, j);
    }
};

}  // namespace

Metrics::Metrics(Domain& domain, const CellMetrics& cells)
    : area(at(domain, cells.varies(), "area", Location::center)),
      over_area(at(domain, cells.varies(), "over_area", Location::center)),
      width(at_faces(domain, cells.varies(), "width")),
      over_distance(at_faces(domain, cells.varies(), "over_distance")),
      over_face_area(at_faces(domain, cells.varies(), "over_face_area")),
      coriolis(at_faces(domain, cells.varies(), "coriolis")),
      widening_along(at_faces(domain, cells.varies(), "widening_along")),
      widening_across(at_faces(domain, cells.varies(), "widening_across")) {}

void Metrics::start(const CellMetrics& given) {
    if (!varies()) return;
    const Cells cells{over_area[0].domain().partition().grid(), given};
    const auto area_of = [&](Index i, Index j) {
        return cells.value(given.spacing_x, i, j) * cells.value(given.spacing_y, i, j);
    };
    const auto fill = [](Field<double>& field, const auto& value) {
        field.allocate();  // no stage of the depth-integrated mode reads some of them
        field.fill([&](Index i, Index j, Index) { return value(i, j); });
    };
    fill(area[0], area_of);
    fill(over_area[0], [&](Index i, Index j) { return 1.0 / area_of(i, j); });
    for (const Axis axis : horizontal_axes) {
        const auto &length = cells.spacing(axis), &across = cells.spacing(other(axis));
        const double sign = axis == lapwing::x ? 1.0 : -1.0;
        fill(width[axis][0], [&](Index i, Index j) { return cells.at_face(across, axis, i, j); });
        fill(over_distance[axis][0], [&](Index i, Index j) { return 1.0 / cells.at_face(length, axis, i, j); });
        fill(over_face_area[axis][0], [&](Index i, Index j) { return 1.0 / cells.face_area(axis, i, j); });
        fill(coriolis[axis][0], [&](Index i, Index j) { return sign * cells.at_face(given.coriolis, axis, i, j); });
        fill(widening_along[axis][0], [&](Index i, Index j) { return cells.widening_along(axis, i, j); });
        fill(widening_across[axis][0], [&](Index i, Index j) { return cells.widening_across(axis, i, j); });
    }
}

}  // namespace lapwing_coast
