#include "lapwing/plan/field_spec.hpp"

#include <algorithm>
#include <utility>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

struct TypeName {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array<TypeName, 4> type_names{{
    {ElementType::float32, "float32", 4},
    {ElementType::float64, "float64", 8},
    {ElementType::int32, "int32", 4},
    {ElementType::int64, "int64", 8},
}};

void check_extent(const FieldSpec& spec, const Grid& grid, const Extent& extent) {
    for (int a = 0; a < 3; ++a) {
        const int least = std::min(extent.lo[a], extent.hi[a]), most = std::max(extent.lo[a], extent.hi[a]);
        if (least >= 0 && most <= grid.size[a]) continue;
        if (least >= 0 && spec.levels > 0 && a == 2) continue;  // told below, with the better remedy
        user_error("halo of field " + spec.name, extent,
                   concat("widths of 0 to ", grid.size[a], " cells, the grid along ", std::string(1, "xyz"[a])),
                   "use a larger grid or a narrower halo");
    }
    if (spec.levels > 0 && (extent.lo[2] > 0 || extent.hi[2] > 0)) {
        user_error("extent of field " + spec.name, extent, "no halo along z: its levels are not cut",
                   "leave the z width at 0");
    }
}

}  // namespace

std::size_t size_of(ElementType type) { return type_names[static_cast<std::size_t>(type)].bytes; }

std::string_view to_string(ElementType type) { return type_names[static_cast<std::size_t>(type)].name; }

ElementType element_type_from(std::string_view name) {
    for (const auto& known : type_names) {
        if (known.name == name) return known.type;
    }
    user_error("element type", name, "float32, float64, int32 or int64", "convert the array to one of these");
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
    for (const Extent& extent : spec.extents) check_extent(spec, grid, extent);
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
    text += ", halo ";
    if (spec.extents.size() == 1) return text + to_string(spec.extents[0]);
    for (std::size_t c = 0; c < spec.extents.size(); ++c) {
        text += concat(c > 0 ? "; " : "", c, ": ", spec.extents[c]);
    }
    return text;
}

}  // namespace lapwing
