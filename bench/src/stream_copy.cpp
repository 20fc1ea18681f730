#include "stream_copy.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace lapwing::bench {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr Index line = 8;     // doubles of a cache line
constexpr Index piece = 128;  // doubles of a stream that are copied before the next stream

}  // namespace

std::shared_ptr<double> large_doubles(Index count) {
    const std::size_t bytes =
        (static_cast<std::size_t>(count) * sizeof(double) + huge_page - 1) / huge_page * huge_page;
    void* memory = std::aligned_alloc(huge_page, bytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // refused: small pages
#endif
    auto* values = static_cast<double*>(memory);
    std::fill_n(values, bytes / sizeof(double), 0.0);
    return {values, std::free};
}

// An odd number of lines between arrays, or all streams would want the same lines of a cache.
StreamCopy::StreamCopy(int streams, Index values)
    : streams_(streams),
      values_(values),
      stride_(((values + line - 1) / line | 1) * line),
      from_(large_doubles(streams * stride_)),
      to_(large_doubles(streams * stride_)) {}

void StreamCopy::run() {
    for (Index first = 0; first < values_; first += piece) {
        const Index n = std::min(piece, values_ - first);
        for (Index s = 0; s < streams_; ++s) {
            const double* from = from_.get() + s * stride_ + first;
            double* __restrict to = to_.get() + s * stride_ + first;
            for (Index m = 0; m < n; ++m) to[m] = from[m];
        }
    }
}

double StreamCopy::bytes() const { return 3.0 * sizeof(double) * streams_ * static_cast<double>(values_); }

}  // namespace lapwing::bench
