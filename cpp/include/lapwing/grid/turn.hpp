#pragma once
// Signed maps of the axes x and y: how the cells of one place of a grid lie in another place.

#include <array>

namespace lapwing {

// Axis `source_axis(a)` of the source runs along axis `a` of the target, or against it. z stays z.
struct Turn {
    bool swapped = false;                       // true if x runs along y
    std::array<bool, 2> against{false, false};  // for x and y of the target

    [[nodiscard]] int source_axis(int axis) const { return swapped && axis < 2 ? 1 - axis : axis; }
    [[nodiscard]] bool runs_against(int axis) const { return axis < 2 && against[axis]; }
    [[nodiscard]] bool none() const { return *this == Turn{}; }
    friend bool operator==(const Turn&, const Turn&) = default;
};

// The turn beyond a north fold, by half a turn.
inline constexpr Turn half_turn{false, {true, true}};

// The turn with source and target exchanged. Local.
constexpr Turn inverse(const Turn& turn) {
    return turn.swapped ? Turn{true, {turn.against[1], turn.against[0]}} : turn;
}

}  // namespace lapwing
