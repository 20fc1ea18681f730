#pragma once
// Cells that a loop computes at once: a vector of the compiler as wide as the widest registers, and how it comes from
// memory and gets there.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/line_stores.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace lapwing_lattice {

using lapwing::Index;

#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif
constexpr bool register_is_line = register_bytes == lapwing::line_bytes;

template <class T>
struct RegisterOf;
template <>
struct RegisterOf<float> {
    using Type __attribute__((vector_size(register_bytes))) = float;
};
template <>
struct RegisterOf<double> {
    using Type __attribute__((vector_size(register_bytes))) = double;
};
template <class T>
using Register = typename RegisterOf<T>::Type;

template <class T>
constexpr Index lanes = register_bytes / sizeof(T);

template <class T>
[[gnu::always_inline]] inline Register<T> load(const T* from) {
    Register<T> cells;
    std::memcpy(&cells, from, sizeof cells);
    return cells;
}

template <class T>
[[gnu::always_inline]] inline void store(T* to, const Register<T>& cells) {
    std::memcpy(to, &cells, sizeof cells);
}

// The first n of a register, n below its lanes; nothing beyond them is touched, and the others hold ones. One access
// where the processor has such: a register put together from single stores has to wait for all stores before them.
template <class T>
[[gnu::always_inline]] inline Register<T> load_some(const T* from, Index n) {
    Register<T> cells = Register<T>{} + T(1);
#if defined(__AVX512F__)
    const unsigned mask = (1U << n) - 1U;
    if constexpr (std::is_same_v<T, double>) {
        cells = reinterpret_cast<Register<T>>(
            _mm512_mask_loadu_pd(reinterpret_cast<__m512d>(cells), static_cast<__mmask8>(mask), from));
    } else {
        cells = reinterpret_cast<Register<T>>(
            _mm512_mask_loadu_ps(reinterpret_cast<__m512>(cells), static_cast<__mmask16>(mask), from));
    }
#else
    std::memcpy(&cells, from, n * sizeof(T));
#endif
    return cells;
}

template <class T>
[[gnu::always_inline]] inline void store_some(T* to, const Register<T>& cells, Index n) {
#if defined(__AVX512F__)
    const unsigned mask = (1U << n) - 1U;
    if constexpr (std::is_same_v<T, double>) {
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), reinterpret_cast<__m512d>(cells));
    } else {
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), reinterpret_cast<__m512>(cells));
    }
#else
    std::memcpy(to, &cells, n * sizeof(T));
#endif
}

// The first n cells as doubles.
template <class T>
[[gnu::always_inline]] inline void keep(const Register<T>& cells, Index n, double* to) {
    if constexpr (std::is_same_v<T, double>) {
        if (n == lanes<T>) return store(to, cells);
        store_some(to, cells, n);
    } else {
        T values[lanes<T>];
        std::memcpy(values, &cells, sizeof values);
        for (Index m = 0; m < n; ++m) to[m] = static_cast<double>(values[m]);
    }
}

}  // namespace lapwing_lattice
