#pragma once
// The natural logarithm in a form that compilers turn into vector code: the C library's is a call per value, which
// would take a third of the step.

#include <bit>
#include <cstdint>

namespace lapwing_weather {

// ln x of a normal, positive number, to 2 units in the last place. x = m 2^e with m between sqrt(1/2) and sqrt(2), and
// ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1)/(m + 1). Local.
[[gnu::always_inline]] inline double natural_log(double x) {
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
    constexpr std::uint64_t bias = std::uint64_t{1024} << 52;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t biased = (bits - root_half + bias) >> 52;  // e + 1024
    const double m = std::bit_cast<double>(bits - (biased << 52) + bias);
    // an integer below 2^52 in the last bits of 2^52 is a number; signed conversions have no vector form before AVX-512
    const double e = std::bit_cast<double>(biased | 0x4330000000000000) - (4503599627370496.0 + 1024.0);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 21.0;
    sum = sum * z + 1.0 / 19.0;
    sum = sum * z + 1.0 / 17.0;
    sum = sum * z + 1.0 / 15.0;
    sum = sum * z + 1.0 / 13.0;
    sum = sum * z + 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z + 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z + 1.0 / 3.0;
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    return e * ln2_high + (2.0 * s + (2.0 * s * (z * sum) + e * ln2_low));
}

}  // namespace lapwing_weather
