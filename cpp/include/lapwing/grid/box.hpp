#pragma once
// Boxes: half-open ranges of global indices, one per axis. Plain numbers, no MPI.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lapwing {

using Index = std::int64_t;           // a global index, a count of cells, or a number of bytes
using Index3 = std::array<Index, 3>;  // one per axis: 0 = x (i), 1 = y (j), 2 = z (k)

// The cells lo <= (i, j, k) < hi in global indices. Empty when any hi <= lo.
struct Box {
    Index3 lo{0, 0, 0};
    Index3 hi{0, 0, 0};

    [[nodiscard]] Index size(int axis) const { return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0; }
    [[nodiscard]] Index volume() const { return size(0) * size(1) * size(2); }
    [[nodiscard]] bool empty() const { return hi[0] <= lo[0] || hi[1] <= lo[1] || hi[2] <= lo[2]; }
    [[nodiscard]] bool contains(const Index3& cell) const;
    [[nodiscard]] bool contains(const Box& other) const;
    friend bool operator==(const Box&, const Box&) = default;
    friend auto operator<=>(const Box&, const Box&) = default;
};

// The cells in both; an empty result is the default Box.
Box intersect(const Box& a, const Box& b);

// The box moved by `offset` cells per axis.
Box shift(const Box& box, const Index3& offset);

// The smallest box around both; an empty one adds nothing.
Box hull(const Box& a, const Box& b);

// The cells of `from` that are not in `what`, as at most six disjoint boxes.
std::vector<Box> subtract(const Box& from, const Box& what);

// "[0:60, 0:60, 0:1]"
std::string to_string(const Box& box);

}  // namespace lapwing
