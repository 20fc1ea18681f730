// Compiled without what turns loops into calls of memcpy: the C library's takes other stores for long copies.
#include "probe/stream_copy.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "lapwing/base/error.hpp"
#include "lapwing/memory/line_stores.hpp"

namespace lapwing::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Index line = 8;                      // doubles of a cache line
constexpr Index lines_of_sets = 64;            // lines after which addresses meet in one set of a nearest cache
constexpr Index apart = 27;                    // of these: 19 arrays fall into 19 different ones
constexpr std::size_t huge_page = 2UL << 20;   // bytes
constexpr std::size_t between_sets = 13 * 64;  // bytes: the target begins elsewhere in a page than the source

template <int arrays>
void copy_literal(const double* __restrict from, double* __restrict to, Index n) {
    for (Index i = 0; i < n; ++i) {
        for (int l = 0; l < arrays; ++l) to[l * n + i] = from[l * n + i];
        asm volatile("");  // cells stay outside: the loops as one array after the other are another benchmark
    }
}

// One array has one loop, as any compiler vectorises it.
template <>
void copy_literal<1>(const double* __restrict from, double* __restrict to, Index n) {
    for (Index i = 0; i < n; ++i) to[i] = from[i];
}

// Line by line in order: compilers would first load many lines and then store them, which is slower.
template <Index count>
inline void copy_values(const double* __restrict from, double* __restrict to) {
    for (Index v = 0; v < count; v += line) {
        for (Index k = 0; k < line; ++k) to[v + k] = from[v + k];
        asm volatile("" ::: "memory");
    }
}

template <int arrays, Index piece>
void copy_blocked(const double* __restrict from, double* __restrict to, Index n) {
    Index i = 0;
    for (; i + piece <= n; i += piece)
        for (int l = 0; l < arrays; ++l) copy_values<piece>(from + l * n + i, to + l * n + i);
    if constexpr (piece > line) {
        for (; i < n; i += line)
            for (int l = 0; l < arrays; ++l) copy_values<line>(from + l * n + i, to + l * n + i);
    }
}

template <int arrays>
void copy_streaming(const double* __restrict from, double* __restrict to, Index n) {
    for (Index i = 0; i < n; i += line)
        for (int l = 0; l < arrays; ++l) store_line(from + l * n + i, to + l * n + i);
    order_line_stores();
}

template <int arrays>
void copy(CopyLoop loop, const double* from, double* to, Index n) {
    if (loop == CopyLoop::literal) copy_literal<arrays>(from, to, n);
    if (loop == CopyLoop::blocked) copy_blocked<arrays, line>(from, to, n);
    if (loop == CopyLoop::pieces) copy_blocked<arrays, 16 * line>(from, to, n);
    if (loop == CopyLoop::nontemporal) copy_streaming<arrays>(from, to, n);
}

Index with_distance(Index values) {
    Index lines = (values + line - 1) / line;
    while (lines % lines_of_sets != apart) ++lines;
    return lines * line;
}

double code(Index n) { return static_cast<double>(n % 1021); }

}  // namespace

CopyLoop copy_loop_of(const std::string& name) {
    if (name == "literal") return CopyLoop::literal;
    if (name == "blocked") return CopyLoop::blocked;
    if (name == "pieces") return CopyLoop::pieces;
    if (name == "nontemporal") return CopyLoop::nontemporal;
    user_error("loop of a copy", "'" + name + "'", "literal, blocked, pieces or nontemporal", "choose one of them");
}

bool has_nontemporal_stores() { return has_line_stores; }

StreamCopy::StreamCopy(int arrays, Index values, bool huge_pages) : arrays_(arrays), values_(0) {
    if (arrays != 1 && arrays != 19) user_error("arrays of a copy", arrays, "1 or 19", "choose one of them");
    if (values < 1 || values > (Index{1} << 34))
        user_error("values of an array", values, "1 to 2^34", "choose another number");
    values_ = with_distance(values);
    const std::size_t set = arrays_ * bytes();
    mapped_ = (2 * set + between_sets + 2 * huge_page) / huge_page * huge_page;
    memory_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) {
        memory_ = nullptr;
        throw OutsideError(concat("mmap of ", mapped_, " bytes: ", std::strerror(errno)));
    }
    const bool taken = ::madvise(memory_, mapped_, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
    huge_pages_ = huge_pages && taken;
    void* aligned = memory_;
    std::size_t space = mapped_;
    from_ = static_cast<double*>(std::align(huge_page, 2 * set + between_sets, aligned, space));
    to_ = from_ + (set + between_sets) / sizeof(double);
    for (Index n = 0; n < arrays_ * values_; ++n) {
        from_[n] = code(n);
        to_[n] = -1.0;
    }
}

StreamCopy::~StreamCopy() {
    if (memory_ != nullptr) ::munmap(memory_, mapped_);
}

double StreamCopy::run(CopyLoop loop) {
    if (loop == CopyLoop::nontemporal && !has_nontemporal_stores())
        user_error("loop of a copy", "nontemporal", "stores that this build has", "choose blocked");
    const auto begin = Clock::now();
    arrays_ == 1 ? copy<1>(loop, from_, to_, values_) : copy<19>(loop, from_, to_, values_);
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Index StreamCopy::wrong_values() {
    Index wrong = 0;
    for (Index n = 0; n < arrays_ * values_; ++n) {
        wrong += to_[n] == code(n) ? 0 : 1;
        to_[n] = -1.0;
    }
    return wrong;
}

}  // namespace lapwing::probe
