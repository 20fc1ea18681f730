#pragma once
// Sums without rounding: the same bits in any order, and so on any number of ranks.

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing {

// A sum of doubles with all bits that they can have, in parts of 32: 2^-1074 stands in the first one. Some nanoseconds
// per number (Neal, Fast exact summation using small and large superaccumulators, 2015). All calls are local.
class ExactSum {
  public:
    static constexpr std::size_t parts = 68;  // 2098 bits, and more than enough for what is carried
    // Parts; then how many were NaN, infinite, minus infinite.
    using Numbers = std::array<std::int64_t, parts + 3>;

    void add(double value);
    // The numbers to add up, one by one, of up to 2^31 sums for the sum of all; and a sum of such.
    [[nodiscard]] const Numbers& numbers();
    void set(const Numbers& numbers);
    // Rounded once; NaN where one was, or where both infinities were.
    [[nodiscard]] double value();

  private:
    void carry();
    void change_sign();
    [[nodiscard]] double rounded() const;

    Numbers numbers_{};
    std::int64_t added_ = 0;  // since they were last carried
};

}  // namespace lapwing
