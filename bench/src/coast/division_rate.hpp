#pragma once
// How fast a core divides: kernels full of divisions and square roots wait for the one unit that does both.

#include <utility>

namespace lapwing::bench {

// Seconds per division and per square root of independent doubles in the nearest cache, means over `repeats` rounds of
// a few thousand of each. Local; nothing overflows, however many rounds.
std::pair<double, double> time_divisions(int repeats);

}  // namespace lapwing::bench
