#pragma once
// Discrete Fourier transforms of several lines at once, a line in each lane of a vector.

#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

inline constexpr Index lanes = 8;

// The same point of eight lines. The result of a line depends neither on other lines nor on how the compiler vectorises
// this: it has the same bits as alone.
struct alignas(64) Lane {
    std::array<double, lanes> value;
};

// Real and imaginary parts, point by point.
struct Waves {
    std::vector<Lane> re, im;

    explicit Waves(Index points) : re(static_cast<std::size_t>(points)), im(re) {}
};

// Transforms of `points` complex values: sums of v[j] exp(-2 pi i j k / points), without a factor. Any length; fast
// where it has small prime factors.
class Fourier {
  public:
    explicit Fourier(Index points);

    [[nodiscard]] Index points() const { return points_; }
    // Replaces values by their transforms. Local.
    void forward(Waves& waves) { run(waves.re, waves.im); }
    // Transforms with exp(+2 pi i j k / points), also without a factor. Local.
    void backward(Waves& waves) { run(waves.im, waves.re); }

  private:
    struct Pass {
        Index radix, groups, stride;
        std::vector<std::array<double, 2>> twiddles;  // for group p and output j at radix * p + j
        std::vector<std::array<double, 2>> roots;     // roots of one of order radix
    };
    void run(std::vector<Lane>& re, std::vector<Lane>& im);
    void run_pass(const Pass& pass, const std::vector<Lane>& re, const std::vector<Lane>& im);

    Index points_;
    std::vector<Pass> passes_;
    Waves other_;
};

// exp(-2 pi i k / n) as cosine and sine, each from an angle of at most an eighth of a circle. Local.
std::array<double, 2> root_of_one(Index k, Index n);

}  // namespace lapwing
