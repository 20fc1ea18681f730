#include "base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lapwing {

namespace {

constexpr int part_bits = 32, lowest = 1074;  // the first bit of the first part is 2^-lowest
constexpr std::uint64_t part_mask = 0xFFFFFFFF;
constexpr std::int64_t most_added = std::int64_t{1} << 28;  // before a part, which has 63 bits, could overflow

}  // namespace

void ExactSum::add(double value) {
    if (!std::isfinite(value)) {
        ++numbers_[parts + (std::isnan(value) ? 0U : value > 0 ? 1U : 2U)];
        return;
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t exponent = bits >> 52 & 0x7FF, fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t digits = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
    const std::uint64_t low = (digits & part_mask) << place % part_bits, high = digits >> 32 << place % part_bits;
    const std::int64_t sign = std::signbit(value) ? -1 : 1;
    const std::size_t part = place / part_bits;
    numbers_[part] += sign * static_cast<std::int64_t>(low & part_mask);
    numbers_[part + 1] += sign * static_cast<std::int64_t>((low >> part_bits) + (high & part_mask));
    numbers_[part + 2] += sign * static_cast<std::int64_t>(high >> part_bits);
    if (++added_ == most_added) carry();
}

// All parts but the last from 0 to below 2^32; the last one has the sign.
void ExactSum::carry() {
    for (std::size_t p = 0; p + 1 < parts; ++p) {
        const std::int64_t over = numbers_[p] >> part_bits;
        numbers_[p] -= over << part_bits;
        numbers_[p + 1] += over;
    }
    added_ = 0;
}

void ExactSum::change_sign() {
    for (std::size_t p = 0; p < parts; ++p) numbers_[p] = -numbers_[p];
    carry();
}

const ExactSum::Numbers& ExactSum::numbers() {
    carry();
    return numbers_;
}

void ExactSum::set(const Numbers& numbers) {
    numbers_ = numbers;
    carry();
}

double ExactSum::value() {
    carry();
    const auto [lost, infinite, minus] = std::array{numbers_[parts], numbers_[parts + 1], numbers_[parts + 2]};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (lost > 0 || (infinite > 0 && minus > 0)) return std::numeric_limits<double>::quiet_NaN();
    if (infinite > 0 || minus > 0) return infinite > 0 ? infinity : -infinity;
    if (numbers_[parts - 1] >= 0) return rounded();
    change_sign();
    const double size = rounded();
    change_sign();
    return -size;
}

// Returns the first 64 bits of a sum that is not negative, the last of them set where any bit behind them is, to the
// nearest double.
double ExactSum::rounded() const {
    std::size_t top = parts;
    while (top > 0 && numbers_[top - 1] == 0) --top;
    if (top == 0) return 0.0;
    const auto part = [&](std::size_t back) {
        return back <= top ? static_cast<std::uint64_t>(numbers_[top - back]) : std::uint64_t{0};
    };
    const std::uint64_t begin = part(1) << part_bits | part(2);
    const int empty = std::countl_zero(begin);  // below 32, as part 1 is not 0
    const std::uint64_t next = part(3) << empty;
    std::uint64_t digits = begin << empty | next >> part_bits;
    bool more = (next & part_mask) != 0;
    for (std::size_t p = 0; p + 3 < top; ++p) more |= numbers_[p] != 0;
    if (more) digits |= 1;
    return std::ldexp(static_cast<double>(digits), part_bits * (static_cast<int>(top) - 2) - empty - lowest);
}

}  // namespace lapwing
