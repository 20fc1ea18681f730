#pragma once
// Equations that step one value per cell in one sweep in 3D, from one or two time levels of it and a factor that stays.
// Acoustic waves and the diffusion of heat have the same messages and stages; what differs is a Kernel:
//   using Value, static constexpr int reach                    cells that it reads along each axis, on both sides
//   step(box, views) const, stream(box, views) const           a step; the same passes through memory alone

#include <span>
#include <string>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing::bench {

// The arrays of a step: the values, the factor, and the next values in place of those before. All are laid out
// alike in memory.
template <class T>
struct SweepViews {
    View<const T> now, factor;
    View<T> next;
};

// Returns what a stencil of this many cells reads around a cell.
[[nodiscard]] constexpr Extent star_of(int cells) { return {{cells, cells, cells}, {cells, cells, cells}, false}; }

// One way to step such an equation, as a benchmark sees it.
template <class T>
class SweepMethod {
  public:
    virtual ~SweepMethod() = default;
    // Begins with these values, the same at the time level before, and with this factor, of the box of the rank, x
    // fastest. Collective.
    virtual void begin(std::span<const T> values, std::span<const T> factor) = 0;
    // Runs `steps` steps. Collective.
    virtual void run(int steps) = 0;
    // The values after the last step. Local.
    virtual void read(std::span<T> values) const = 0;
    // True if it steps as it always will, and a description of how, if trials find that. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
};

}  // namespace lapwing::bench
