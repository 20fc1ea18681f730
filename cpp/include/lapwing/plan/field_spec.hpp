#pragma once
// The description of a field without its memory: enough to make a plan and to count bytes.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/grid.hpp"

namespace lapwing {

// The types that values may have. `boolean` is one byte, as bool is in C++ and NumPy.
enum class ElementType { float32, float64, int32, int64, boolean };

std::size_t size_of(ElementType type);                 // bytes of one value
std::string_view to_string(ElementType type);          // "float64", "bool"
ElementType element_type_from(std::string_view name);  // throws UserError

// The names of two fields, one along x and one along y, such as the components of a vector.
struct FieldPair {
    std::string x, y;
    friend bool operator==(const FieldPair&, const FieldPair&) = default;
};

// Name, type and shape of a field, and how far its halo is read. The same on every rank.
struct FieldSpec {
    std::string name;
    ElementType type = ElementType::float64;
    Location location = Location::center;
    int levels = 0;      // length of an undecomposed z axis; 0: the z axis of the grid
    int components = 1;  // values per cell
    // One for all components, or one per component: where a stage declares to read the field around a cell, each
    // component is then read at most as far as its own extent.
    std::vector<Extent> extents{{}};
    // Order in which messages store the axes x = 0, y = 1, z = 2 and components = 3, fastest first;
    // best the order of the memory.
    std::array<int, 4> order{0, 1, 2, 3};
    bool constant_on_land = false;  // true if its values on land never change
    // True if it is a component of a vector along x or y: its sign is the other one where its axis runs the other way,
    // as both axes do beyond a north fold.
    bool vector = false;
    // The pair that it is one of: each takes values of the other where x of a face runs along y of the next, and both
    // are exchanged together. Empty: none.
    FieldPair pair{};
    // True if the ghost cells beyond closed sides hold values of the model's own that travel too: a frame around the
    // grid, as wide as the halo. A box at a closed side then gives its ghost cells there like cells of its own, so that
    // a halo is filled where it lies beyond that side.
    bool frame = false;

    [[nodiscard]] bool paired() const { return !pair.x.empty() || !pair.y.empty(); }
    [[nodiscard]] int axis_of_pair() const { return paired() && name == pair.y ? 1 : 0; }
    [[nodiscard]] const std::string& other_of_pair() const { return axis_of_pair() == 0 ? pair.y : pair.x; }

    [[nodiscard]] const Extent& extent(int component) const {
        return extents.size() == 1 ? extents[0] : extents[component];
    }
    [[nodiscard]] Extent largest_extent() const;
    // The box of the grid with the z range of this field.
    [[nodiscard]] Box with_levels(Box box) const;
    // The cells that a box gives others, by an exchange of `extent`: itself, and the frame next to it if there is one.
    [[nodiscard]] Box with_frame(Box box, const Grid& grid, const Extent& extent) const;
    friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

// Throws UserError when the number of extents is neither 1 nor `components`, an extent is
// negative, the order is no permutation, levels are given on a grid with a z axis, or a component of a vector is
// boolean. Local.
void check(const FieldSpec& spec, const Grid& grid);

// Returns name, type and shape as text. Local.
std::string to_string(const FieldSpec& spec);

}  // namespace lapwing
