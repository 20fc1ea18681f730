#include "lapwing/plan/field_spec.hpp"

#include <algorithm>
#include <utility>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

struct TypeName {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array<TypeName, 5> type_names{{
    {ElementType::float32, "float32", 4},
    {ElementType::float64, "float64", 8},
    {ElementType::int32, "int32", 4},
    {ElementType::int64, "int64", 8},
    {ElementType::boolean, "bool", 1},
}};

// Beyond a fold the halo ends where its rows would come from below the grid.
void check_rows_beyond(const FieldSpec& spec, const Grid& grid, const Extent& extent) {
    if (grid.north_fold == NorthFold::none) return;
    const Index rows = rows_beyond_fold(grid, spec.location);
    if (extent.hi[1] <= rows) return;
    user_error("halo of field " + spec.name, extent,
               concat("at most ", rows, " rows beyond the north fold at ", spec.location, " points"),
               "use a larger grid or a narrower halo");
}

void check_extent(const FieldSpec& spec, const Grid& grid, const Extent& extent) {
    for (int a = 0; a < 3; ++a) {
        const int least = std::min(extent.lo[a], extent.hi[a]), most = std::max(extent.lo[a], extent.hi[a]);
        // a halo as wide as a face would reach around a second corner of it
        const Index face = a < 2 && !grid.faces.none() ? 1 : 0;
        const Index cells = (a == 0 ? columns_of_face(grid) : grid.size[a]) - face;
        if (least >= 0 && most <= cells) continue;
        if (least >= 0 && spec.levels > 0 && a == 2) continue;  // told below, with the better remedy
        user_error("halo of field " + spec.name, extent,
                   concat("widths of 0 to ", cells, " cells, the ", grid.faces.none() ? "grid" : "face", " along ",
                          std::string(1, "xyz"[a])),
                   "use a larger grid or a narrower halo");
    }
    if (spec.levels > 0 && (extent.lo[2] > 0 || extent.hi[2] > 0)) {
        user_error("extent of field " + spec.name, extent, "no halo along z: its levels are not cut",
                   "leave the z width at 0");
    }
    check_rows_beyond(spec, grid, extent);
}

// Between faces a value may come from another field, or have no owner.
void check_faces(const FieldSpec& spec, const Grid& grid) {
    if (grid.faces.none()) return;
    const std::string name = "field " + spec.name, ends = grid.faces.equal_ends();
    if (spec.location != Location::center && !ends.empty())
        user_error(name, concat(spec.location, " points on a grid that connects ", ends),
                   "sides at an upper end that meet sides at a lower end: points between them have one owner",
                   "number the faces as lapwing::cubed_sphere() does, or keep the values at centers");
    const bool turns = spec.vector || spec.location == Location::xface || spec.location == Location::yface;
    if (turns && !spec.paired())
        user_error(name, concat("no pair, at ", spec.location, " points of a grid with faces"),
                   "the names of the fields along x and y", "name both in `pair` of both");
}

void check_pair(const FieldSpec& spec) {
    if (!spec.paired()) return;
    if (spec.pair.x != spec.pair.y && (spec.name == spec.pair.x || spec.name == spec.pair.y)) return;
    user_error("pair of field " + spec.name, concat(spec.pair.x, ", ", spec.pair.y), "two names, its own and another",
               "name the field along x, then the field along y");
}

}  // namespace

std::size_t size_of(ElementType type) { return type_names[static_cast<std::size_t>(type)].bytes; }

std::string_view to_string(ElementType type) { return type_names[static_cast<std::size_t>(type)].name; }

ElementType element_type_from(std::string_view name) {
    for (const auto& known : type_names) {
        if (known.name == name) return known.type;
    }
    user_error("element type", name, "float32, float64, int32, int64 or bool", "convert the array to one of these");
}

Extent FieldSpec::largest_extent() const {
    Extent largest;
    for (const Extent& extent : extents) largest = unite(largest, extent);
    return largest;
}

Box FieldSpec::with_levels(Box box) const {
    if (levels > 0) {
        box.lo[2] = 0;
        box.hi[2] = levels;
    }
    return box;
}

Box FieldSpec::with_frame(Box box, const Grid& grid, const Extent& extent) const {
    for (int a = 0; frame && a < 3; ++a) {
        if (grid.periodic[a]) continue;
        if (box.lo[a] == 0) box.lo[a] -= extent.lo[a];
        const bool folded = a == 1 && grid.north_fold != NorthFold::none;
        if (box.hi[a] == grid.size[a] && !folded) box.hi[a] += extent.hi[a];
    }
    return box;
}

void check(const FieldSpec& spec, const Grid& grid) {
    if (spec.components < 1) {
        user_error("components of field " + spec.name, spec.components, "at least 1",
                   "give the number of values per cell");
    }
    if (spec.extents.size() != 1 && std::ssize(spec.extents) != spec.components) {
        user_error("extents of field " + spec.name, spec.extents.size(),
                   concat("1 or one for each of its ", spec.components, " components"),
                   "give one extent, or one per component");
    }
    if (spec.levels < 0 || (spec.levels > 0 && grid.size[2] > 1)) {
        user_error("levels of field " + spec.name, spec.levels,
                   grid.size[2] > 1 ? "0: the grid has a z axis of its own" : "0 or more",
                   "use either a grid with a z axis or fields with levels");
    }
    if (spec.vector && spec.type == ElementType::boolean) {
        user_error("type of field " + spec.name, "bool for a component of a vector", "numbers, which have a sign",
                   "choose another type, or leave vector out");
    }
    for (const Extent& extent : spec.extents) check_extent(spec, grid, extent);
    check_pair(spec);
    check_faces(spec, grid);
    std::array<int, 4> sorted = spec.order;
    std::ranges::sort(sorted);
    if (sorted != std::array<int, 4>{0, 1, 2, 3}) {
        user_error("order of field " + spec.name, "not a permutation",
                   "the axes 0 (x), 1 (y), 2 (z), 3 (components), each once", "name every axis once");
    }
}

std::string to_string(const FieldSpec& spec) {
    std::string text = concat(spec.name, ": ", spec.type);
    if (spec.components > 1) text += concat(" x ", spec.components, " components");
    if (spec.levels > 0) text += concat(", ", spec.levels, " levels");
    text += concat(", ", spec.location, ", order ");
    for (int axis : spec.order) text += "xyzc"[axis];
    if (spec.constant_on_land) text += ", constant on land";
    if (spec.vector) text += ", of a vector";
    if (spec.paired()) text += concat(", of the pair ", spec.pair.x, " and ", spec.pair.y);
    if (spec.frame) text += ", with its frame";
    text += ", halo ";
    if (spec.extents.size() == 1) return text + to_string(spec.extents[0]);
    for (std::size_t c = 0; c < spec.extents.size(); ++c) {
        text += concat(c > 0 ? "; " : "", c, ": ", spec.extents[c]);
    }
    return text;
}

}  // namespace lapwing
