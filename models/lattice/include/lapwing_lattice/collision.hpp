#pragma once
// The collision of the 19 populations of a cell: the one place of the model's arithmetic.
//
// Two relaxation times (TRT): what is even in the direction relaxes by omega_plus, what is odd by omega_minus; BGK is
// both alike. In lattice units (a cell, a step, density about 1), with populations f[0..18] as d3q19.hpp numbers them.
// A program in another language that is to give the same bits must do exactly this, without fused operations, in the
// precision of the populations; brackets are the order, a * b * c is (a * b) * c, and every name is one rounded number:
//
//   s[p] = f[2p-1] + f[2p],  d[p] = f[2p-1] - f[2p]                               for the pairs p = 1..9
//   rho = ((f[0] + ((s1 + s2) + s3)) + ((s4 + s5) + (s6 + s7))) + (s8 + s9)
//   jx = d1 + ((d4 + d5) + (d6 + d7))
//   jy = d2 + ((d4 - d5) + (d8 + d9))
//   jz = d3 + ((d6 - d7) + (d8 - d9))
//   inverse = 1 / rho
//   ux = jx * inverse,  uy = jy * inverse,  uz = jz * inverse                     (forced: (jx + half_x) * inverse ...)
//   base = 1 - 1.5 * ((ux * ux + uy * uy) + uz * uz)
//   f[0] = f[0] - omega_plus * (f[0] - (w0 * rho) * base)
// and for each pair, with e = ux, uy, uz, ux + uy, ux - uy, ux + uz, ux - uz, uy + uz, uy - uz for p = 1..9 and
// w = 1/18 for p <= 3, else 1/36:
//   wr = w * rho
//   plus  = omega_plus  * (0.5 * s - wr * (base + (4.5 * e) * e))
//   minus = omega_minus * (0.5 * d - wr * (3 * e))
//   f[2p-1] = (m - plus) - minus,  f[2p] = (n - plus) + minus                     (m, n: the two before)
// With a body force F (after Guo, Zheng and Shi 2002), half = F / 2 and
//   work = 3 * ((ux * Fx + uy * Fy) + uz * Fz)
//   f[0] = f[0] - (share_plus * w0) * work                                        after the line above
//   plus  = plus  - (share_plus * w) * ((9 * e) * along[p] - work)
//   minus = minus - odd[p]
// where share_plus = 1 - omega_plus / 2, along[p] = c . F and odd[p] = (1 - omega_minus / 2) * 3 * w * along[p] are
// computed in double precision and rounded once, as are omega_plus and omega_minus, half and the weights.

#include <array>
#include <cstddef>

#include "lapwing/grid/box.hpp"

#include "lapwing_lattice/d3q19.hpp"

namespace lapwing_lattice {

inline constexpr std::size_t pairs = 9;

// Numbers of the collision, in the precision T of the populations.
template <class T>
struct Relaxation {
    T omega_plus, omega_minus;
    T w0, w_axis, w_edge;
    std::array<T, 3> force, half;         // F and F / 2
    T share_0, share_axis, share_edge;    // share_plus times a weight
    std::array<T, pairs + 1> along, odd;  // by pair, see above; [0] unused

    Relaxation(double plus, double minus, const std::array<double, 3>& body)
        : omega_plus(T(plus)), omega_minus(T(minus)), w0(T(weight(0))), w_axis(T(weight(1))), w_edge(T(weight(7))) {
        const double share = 1.0 - plus / 2.0;
        share_0 = T(share * weight(0));
        share_axis = T(share * weight(1));
        share_edge = T(share * weight(7));
        for (std::size_t a = 0; a < 3; ++a) {
            force[a] = T(body[a]);
            half[a] = T(body[a] / 2.0);
        }
        along[0] = odd[0] = T(0);
        for (std::size_t p = 1; p <= pairs; ++p) {
            const lapwing::Index3& c = velocities[2 * p - 1];
            double g = 0.0;
            for (std::size_t a = 0; a < 3; ++a) g += static_cast<double>(c[a]) * body[a];
            along[p] = T(g);
            odd[p] = T((1.0 - minus / 2.0) * 3.0 * weight(2 * p - 1) * g);
        }
    }
};

template <class T>
struct Moments {
    T rho, ux, uy, uz;
};

// Sums and differences of the two populations of each pair.
template <class V>
struct Pairs {
    V s1, d1, s2, d2, s3, d3, s4, d4, s5, d5, s6, d6, s7, d7, s8, d8, s9, d9;
};

template <class V>
[[gnu::always_inline]] inline Pairs<V> pairs_of(const V* f, std::ptrdiff_t stride) {
    return {f[1 * stride] + f[2 * stride],   f[1 * stride] - f[2 * stride],    //
            f[3 * stride] + f[4 * stride],   f[3 * stride] - f[4 * stride],    //
            f[5 * stride] + f[6 * stride],   f[5 * stride] - f[6 * stride],    //
            f[7 * stride] + f[8 * stride],   f[7 * stride] - f[8 * stride],    //
            f[9 * stride] + f[10 * stride],  f[9 * stride] - f[10 * stride],   //
            f[11 * stride] + f[12 * stride], f[11 * stride] - f[12 * stride],  //
            f[13 * stride] + f[14 * stride], f[13 * stride] - f[14 * stride],  //
            f[15 * stride] + f[16 * stride], f[15 * stride] - f[16 * stride],  //
            f[17 * stride] + f[18 * stride], f[17 * stride] - f[18 * stride]};
}

// Density and velocity of a cell whose population q is f[q * stride]; V is T, or a vector of T for as many cells:
// rho = sum f_q, rho u = sum c_q f_q + F / 2. Local.
template <class T, bool forced, class V>
[[gnu::always_inline]] inline Moments<V> moments(const Relaxation<T>& at, const V* f, std::ptrdiff_t stride) {
    const auto [s1, d1, s2, d2, s3, d3, s4, d4, s5, d5, s6, d6, s7, d7, s8, d8, s9, d9] = pairs_of(f, stride);
    const V rho = ((f[0] + ((s1 + s2) + s3)) + ((s4 + s5) + (s6 + s7))) + (s8 + s9);
    V jx = d1 + ((d4 + d5) + (d6 + d7));
    V jy = d2 + ((d4 - d5) + (d8 + d9));
    V jz = d3 + ((d6 - d7) + (d8 - d9));
    if constexpr (forced) {
        jx = jx + at.half[0];
        jy = jy + at.half[1];
        jz = jz + at.half[2];
    }
    const V inverse = T(1) / rho;
    return {rho, jx * inverse, jy * inverse, jz * inverse};
}

// Populations 2 p - 1 and 2 p after their collision, in their place; e is the velocity along the first. Local.
template <class T, bool forced, class V, std::size_t p>
[[gnu::always_inline]] inline void relax_pair(const Relaxation<T>& at, const V& rho, const V& base, const V& work,
                                              const V& e, V* f, std::ptrdiff_t stride) {
    const T w = p <= 3 ? at.w_axis : at.w_edge, share = p <= 3 ? at.share_axis : at.share_edge;
    V &ahead = f[(2 * static_cast<std::ptrdiff_t>(p) - 1) * stride],
      &behind = f[2 * static_cast<std::ptrdiff_t>(p) * stride];
    const V m = ahead, n = behind;
    const V wr = w * rho;
    V plus = at.omega_plus * (T(0.5) * (m + n) - wr * (base + (T(4.5) * e) * e));
    V minus = at.omega_minus * (T(0.5) * (m - n) - wr * (T(3) * e));
    if constexpr (forced) {
        plus = plus - share * ((T(9) * e) * at.along[p] - work);
        minus = minus - at.odd[p];
    }
    ahead = (m - plus) - minus;
    behind = (n - plus) + minus;
}

// The populations f[q * stride] of a cell with moments u after their collision, in their place. Local.
template <class T, bool forced, class V>
[[gnu::always_inline]] inline void collide(const Relaxation<T>& at, const Moments<V>& u, V* f, std::ptrdiff_t stride) {
    const V base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    V work{};
    V rest = f[0] - at.omega_plus * (f[0] - (at.w0 * u.rho) * base);
    if constexpr (forced) {
        work = T(3) * ((u.ux * at.force[0] + u.uy * at.force[1]) + u.uz * at.force[2]);
        rest = rest - at.share_0 * work;
    }
    f[0] = rest;
    relax_pair<T, forced, V, 1>(at, u.rho, base, work, V(u.ux), f, stride);
    relax_pair<T, forced, V, 2>(at, u.rho, base, work, V(u.uy), f, stride);
    relax_pair<T, forced, V, 3>(at, u.rho, base, work, V(u.uz), f, stride);
    relax_pair<T, forced, V, 4>(at, u.rho, base, work, V(u.ux + u.uy), f, stride);
    relax_pair<T, forced, V, 5>(at, u.rho, base, work, V(u.ux - u.uy), f, stride);
    relax_pair<T, forced, V, 6>(at, u.rho, base, work, V(u.ux + u.uz), f, stride);
    relax_pair<T, forced, V, 7>(at, u.rho, base, work, V(u.ux - u.uz), f, stride);
    relax_pair<T, forced, V, 8>(at, u.rho, base, work, V(u.uy + u.uz), f, stride);
    relax_pair<T, forced, V, 9>(at, u.rho, base, work, V(u.uy - u.uz), f, stride);
}

// Population q in equilibrium: w rho (1 + 3 e + 4.5 e e - 1.5 u u), e = c . u. Used for starts and boundaries. Local.
template <class T>
inline T equilibrium(std::size_t q, const Moments<T>& u) {
    const lapwing::Index3& c = velocities[q];
    const T e = (T(c[0]) * u.ux + T(c[1]) * u.uy) + T(c[2]) * u.uz;
    const T base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    return (T(weight(q)) * u.rho) * ((base + (T(4.5) * e) * e) + T(3) * e);
}

}  // namespace lapwing_lattice
