#pragma once
// Faces: equal parts of a grid that lie next to each other along x in the index space, and meet along their sides like
// the faces of a cubed sphere.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lapwing {

// The sides of a face: the lower and the upper end of x, then of y.
enum class Side { west, east, south, north };

// The axis that a side ends, and true if it ends it towards larger indices.
constexpr int axis_of(Side side) { return static_cast<int>(side) / 2; }
constexpr bool at_upper_end(Side side) { return static_cast<int>(side) % 2 == 1; }
std::string_view to_string(Side side);  // "west", "east", "south", "north"
Side side_from(std::string_view name);  // throws UserError

// The face beyond a side, and the side of it that is the same line. `reversed`: indices along one of the two sides rise
// where they fall along the other.
struct Connection {
    int face = -1;  // none: the side is closed
    Side side = Side::west;
    bool reversed = false;

    [[nodiscard]] bool closed() const { return face < 0; }
    friend bool operator==(const Connection&, const Connection&) = default;
};

// Equal faces of a grid, side by side along x, and which of their sides meet.
class Faces {
  public:
    Faces() = default;  // none: an ordinary grid
    // Faces without connections. Throws UserError for less than one. Local.
    explicit Faces(int count);

    // Connects a side with another one, of another face or of the same. Throws UserError for a face or side that does
    // not exist, and a side that is connected already. Local.
    void connect(int face, Side side, int other, Side other_side, bool reversed = false);

    [[nodiscard]] int count() const { return static_cast<int>(links_.size()); }
    [[nodiscard]] bool none() const { return links_.empty(); }
    [[nodiscard]] const Connection& beyond(int face, Side side) const {
        return links_[face][static_cast<std::size_t>(side)];
    }

    // True if any side along x is connected with one along y.
    [[nodiscard]] bool swap_axes() const;
    // Describes the first connection of two upper or two lower ends; empty if there is none.
    [[nodiscard]] std::string equal_ends() const;

    friend bool operator==(const Faces&, const Faces&) = default;

  private:
    [[nodiscard]] Connection& free_side(int face, Side side);

    std::vector<std::array<Connection, 4>> links_;
};

// The six faces of a cubed sphere as MITgcm numbers them: the upper end of each side meets a lower end, so that every
// point of an edge has one owner. Local.
Faces cubed_sphere();

// Describes the connections, each once.
std::string to_string(const Faces& faces);

}  // namespace lapwing
