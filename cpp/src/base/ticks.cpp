#include "lapwing/base/ticks.hpp"

#include <chrono>

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

// One moment by both clocks.
struct Moment {
    Clock::time_point time = Clock::now();
    std::int64_t count = ticks();
};

const Moment loaded;

// A comparison over less than a millisecond says little: wait for one, once.
double seconds_per_tick() {
    if constexpr (!counts_cycles) return std::chrono::duration<double>(Clock::duration(1)).count();
    Moment now;
    while (now.time - loaded.time < std::chrono::milliseconds(1)) now = Moment{};
    return std::chrono::duration<double>(now.time - loaded.time).count() /
           static_cast<double>(now.count - loaded.count);
}

}  // namespace

std::int64_t system_ticks() { return Clock::now().time_since_epoch().count(); }

double system_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double seconds_of(std::int64_t difference) {
    static const double rate = seconds_per_tick();
    return static_cast<double>(difference) * rate;
}

}  // namespace lapwing
