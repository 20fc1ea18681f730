#pragma once
// Fourier transforms of real lines, several at once.

#include <vector>

#include "solver/fourier.hpp"

namespace lapwing {

// Coefficients of a line of n points: the real part of wave 0, then real and imaginary part of each wave up to n / 2,
// without the imaginary part that is 0 where n is even.
class RealFourier {
  public:
    explicit RealFourier(Index points);

    [[nodiscard]] Index points() const { return points_; }
    // Replaces values by coefficients, and back without the factor 1 / points. Local.
    void forward(std::vector<Lane>& values);
    void backward(std::vector<Lane>& values);

  private:
    void forward_even(std::vector<Lane>& values);
    void backward_even(std::vector<Lane>& values);

    Index points_;
    Fourier fourier_;  // half the length, with odd points as imaginary parts, if that is possible
    Waves waves_;
    std::vector<std::array<double, 2>> turns_;  // exp(-2 pi i k / points)
};

}  // namespace lapwing
