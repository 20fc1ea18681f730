#pragma once
// One way to step the acoustic wave equation, as the benchmark sees it.

#include <span>
#include <string>

#include "acoustic/acoustic_kernel.hpp"

namespace lapwing::bench {

// What the stencil reads around a cell.
[[nodiscard]] inline Extent acoustic_star() {
    constexpr int n = acoustic_reach;
    return {{n, n, n}, {n, n, n}, false};
}

class AcousticMethod {
  public:
    virtual ~AcousticMethod() = default;
    // Begins with this u, at rest, and with k = (c dt / h)^2, of the box of the rank, x fastest. Collective.
    virtual void begin(std::span<const float> u, std::span<const float> courant) = 0;
    // Runs so many steps. Collective.
    virtual void run(int steps) = 0;
    // u after the last step. Local.
    virtual void read(std::span<float> u) const = 0;
    // Whether it steps as it always will, and how in words, where that is found by trials. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
};

}  // namespace lapwing::bench
