// The rate at which a core divides: kernels full of divisions and square roots wait for the one unit that does both.

#include <array>
#include <chrono>
#include <cmath>

#include "bindings.hpp"

namespace lapwing::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t values = 1024;  // two arrays of 8 KB, far less than the nearest cache holds
using Values = std::array<double, values>;

// The values tend to numbers near 1, so that nothing overflows or becomes subnormal, however often.
void divide(Values& numbers) {
    double* __restrict x = numbers.data();
    for (std::size_t i = 0; i < values; ++i) x[i] = 3.0 / (1.0 + x[i]);
}

void take_roots(Values& numbers) {
    double* __restrict x = numbers.data();
    for (std::size_t i = 0; i < values; ++i) x[i] = std::sqrt(1.0 + x[i]);
}

double seconds_per_value(void (*round)(Values&), Values& numbers, int repeats) {
    const auto begin = Clock::now();
    for (int n = 0; n < repeats; ++n) round(numbers);
    const std::chrono::duration<double> spent = Clock::now() - begin;
    return spent.count() / (static_cast<double>(repeats) * values);
}

std::pair<double, double> time_divisions(int repeats) {
    Values numbers;
    for (std::size_t i = 0; i < values; ++i) numbers[i] = 0.5 + static_cast<double>(i);
    const double division = seconds_per_value(divide, numbers, repeats);
    return {division, seconds_per_value(take_roots, numbers, repeats)};
}

}  // namespace

void bind_stages(nb::module_& module) {
    module.def(
        "time_divisions", &time_divisions, "repeats"_a,
        "Seconds per division, and per square root, of doubles that wait for nothing else: vectors of them from the "
        "nearest cache. Local.");
}

}  // namespace lapwing::bench
