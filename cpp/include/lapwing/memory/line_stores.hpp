#pragma once
// Stores of whole lines that pass the caches: what they overwrite is not fetched first.

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lapwing {

constexpr std::size_t line_bytes = 64;  // bytes of a line of the caches

#if defined(__SSE2__)
constexpr bool has_line_stores = true;
#else
constexpr bool has_line_stores = false;  // the stores below are then ordinary ones
#endif

// Copies line_bytes bytes from `from` to `to`, which begins a line. Local.
[[gnu::always_inline]] inline void store_line(const void* from, void* to) {
#if defined(__AVX512F__)
    _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX__)
    for (int v = 0; v < 2; ++v)
        _mm256_stream_si256(static_cast<__m256i*>(to) + v, _mm256_loadu_si256(static_cast<const __m256i*>(from) + v));
#elif defined(__SSE2__)
    for (int v = 0; v < 4; ++v)
        _mm_stream_si128(static_cast<__m128i*>(to) + v, _mm_loadu_si128(static_cast<const __m128i*>(from) + v));
#else
    std::memcpy(to, from, line_bytes);
#endif
}

// Orders these stores before later ones, to which they are otherwise unordered. Local.
inline void order_line_stores() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace lapwing
