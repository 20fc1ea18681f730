#pragma once
// Sums without rounding: the same bits in any order, and so on any number of ranks.

#include <array>

#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// A sum of doubles with all bits that they can have, in parts of 32: 2^-1074 stands in the first one. Some nanoseconds
// per number (Neal, Fast exact summation using small and large superaccumulators, 2015).
class ExactSum {
  public:
    // Local.
    void add(double value);
    // The sum of all ranks' numbers, rounded once; NaN where one is, or where both infinities are. Collective, one
    // reduction.
    [[nodiscard]] double of_all(const Domain& domain) &&;

  private:
    static constexpr std::size_t parts = 68;  // 2098 bits, and more than enough for what is carried
    void carry();
    void change_sign();
    [[nodiscard]] double rounded() const;

    std::array<Index, parts + 3> numbers_{};  // parts; then how many were NaN, infinite, minus infinite
    Index added_ = 0;                         // since they were last carried
};

}  // namespace lapwing
