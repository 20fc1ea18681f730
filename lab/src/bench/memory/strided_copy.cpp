#include "memory/strided_copy.hpp"

#include <cassert>
#include <cstring>

namespace lapwing::bench {

StridedCopy make_copy(const double* from, double* to, std::vector<StridedCopy::Loop> loops) {
    StridedCopy copy{from, to};
    std::erase_if(loops, [](const auto& loop) { return loop.count == 1; });
    std::size_t used = 0;
    for (const auto& loop : loops) {
        StridedCopy::Loop* inner = used > 0 ? &copy.loops[used - 1] : nullptr;
        if (!inner && loop.from == copy.run && loop.to == copy.run) {
            copy.run *= loop.count;
        } else if (inner && loop.from == inner->count * inner->from && loop.to == inner->count * inner->to) {
            inner->count *= loop.count;
        } else {
            assert(used < copy.loops.size());
            copy.loops[used++] = loop;
        }
    }
    return copy;
}

namespace {

// Run > 0: a number of values known to the compiler, which then needs no call to memcpy.
template <int Run>
void run_of(const StridedCopy& copy) {
    const auto [inner, middle, outer] = copy.loops;
    const std::size_t bytes = (Run > 0 ? Run : copy.run) * sizeof(double);
    for (Index n = 0; n < outer.count; ++n) {
        for (Index m = 0; m < middle.count; ++m) {
            const double* from = copy.from + n * outer.from + m * middle.from;
            double* to = copy.to + n * outer.to + m * middle.to;
            for (Index l = 0; l < inner.count; ++l) std::memcpy(to + l * inner.to, from + l * inner.from, bytes);
        }
    }
}

// Both ends of a row in one go.
template <int Run>
void run_pairs_of(const StridedCopy& copy) {
    const auto [pair, middle, outer] = copy.loops;
    constexpr std::size_t bytes = Run * sizeof(double);
    for (Index n = 0; n < outer.count; ++n) {
        const double* from = copy.from + n * outer.from;
        double* to = copy.to + n * outer.to;
        for (Index m = 0; m < middle.count; ++m, from += middle.from, to += middle.to) {
            std::memcpy(to, from, bytes);
            std::memcpy(to + pair.to, from + pair.from, bytes);
        }
    }
}

template <int Run>
void run_short(const StridedCopy& copy) {
    copy.loops[0].count == 2 ? run_pairs_of<Run>(copy) : run_of<Run>(copy);
}

}  // namespace

void run(const StridedCopy& copy) {
    switch (copy.run) {
        case 1:
            return run_short<1>(copy);
        case 2:
            return run_short<2>(copy);
        case 3:
            return run_short<3>(copy);
        case 10:
            return run_short<10>(copy);
        default:
            return run_of<0>(copy);
    }
}

}  // namespace lapwing::bench
