#pragma once
// What happens to the 19 populations of a cell when they meet: the one place of the model's arithmetic.
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

#include <lapwing/box.hpp>

#include "lapwing_lattice/d3q19.hpp"

namespace lapwing_lattice {

inline constexpr std::size_t pairs = 9;

// Numbers of the collision, in the precision T of the populations.
template <class T>
struct Relaxation {
    T omega_plus, omega_minus;
    T w0, w_axis, w_edge;
    std::array<T, 3> force, half;          // F and F / 2
    T share_0, share_axis, share_edge;     // share_plus times a weight
    std::array<T, pairs + 1> along, odd;   // by pair, see above; [0] unused

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

// Density and velocity of a cell whose population q is f[q * stride]. Local.
template <class T, bool forced>
inline Moments<T> moments(const Relaxation<T>& at, const T* f, std::ptrdiff_t stride) {
    const auto sum = [&](std::ptrdiff_t p) { return f[(2 * p - 1) * stride] + f[2 * p * stride]; };
    const auto gap = [&](std::ptrdiff_t p) { return f[(2 * p - 1) * stride] - f[2 * p * stride]; };
    const T rho = ((f[0] + ((sum(1) + sum(2)) + sum(3))) + ((sum(4) + sum(5)) + (sum(6) + sum(7)))) + (sum(8) + sum(9));
    T jx = gap(1) + ((gap(4) + gap(5)) + (gap(6) + gap(7)));
    T jy = gap(2) + ((gap(4) - gap(5)) + (gap(8) + gap(9)));
    T jz = gap(3) + ((gap(6) - gap(7)) + (gap(8) - gap(9)));
    if constexpr (forced) {
        jx = jx + at.half[0];
        jy = jy + at.half[1];
        jz = jz + at.half[2];
    }
    const T inverse = T(1) / rho;
    return {rho, jx * inverse, jy * inverse, jz * inverse};
}

// The populations f[q * stride] of a cell after their collision, in their place. Local.
template <class T, bool forced>
inline void collide(const Relaxation<T>& at, T* f, std::ptrdiff_t stride) {
    const Moments<T> u = moments<T, forced>(at, f, stride);
    const T base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    T work = T(0);
    T rest = f[0] - at.omega_plus * (f[0] - (at.w0 * u.rho) * base);
    if constexpr (forced) {
        work = T(3) * ((u.ux * at.force[0] + u.uy * at.force[1]) + u.uz * at.force[2]);
        rest = rest - at.share_0 * work;
    }
    f[0] = rest;
    const auto relax = [&](std::size_t p, T w, T share, T e) {
        T& ahead = f[(2 * static_cast<std::ptrdiff_t>(p) - 1) * stride];
        T& behind = f[2 * static_cast<std::ptrdiff_t>(p) * stride];
        const T m = ahead, n = behind;
        const T wr = w * u.rho;
        T plus = at.omega_plus * (T(0.5) * (m + n) - wr * (base + (T(4.5) * e) * e));
        T minus = at.omega_minus * (T(0.5) * (m - n) - wr * (T(3) * e));
        if constexpr (forced) {
            plus = plus - share * ((T(9) * e) * at.along[p] - work);
            minus = minus - at.odd[p];
        }
        ahead = (m - plus) - minus;
        behind = (n - plus) + minus;
    };
    relax(1, at.w_axis, at.share_axis, u.ux);
    relax(2, at.w_axis, at.share_axis, u.uy);
    relax(3, at.w_axis, at.share_axis, u.uz);
    relax(4, at.w_edge, at.share_edge, u.ux + u.uy);
    relax(5, at.w_edge, at.share_edge, u.ux - u.uy);
    relax(6, at.w_edge, at.share_edge, u.ux + u.uz);
    relax(7, at.w_edge, at.share_edge, u.ux - u.uz);
    relax(8, at.w_edge, at.share_edge, u.uy + u.uz);
    relax(9, at.w_edge, at.share_edge, u.uy - u.uz);
}

// Population q in equilibrium: w rho (1 + 3 e + 4.5 e e - 1.5 u u), e = c . u. Of starts and boundaries. Local.
template <class T>
inline T equilibrium(std::size_t q, const Moments<T>& u) {
    const lapwing::Index3& c = velocities[q];
    const T e = (T(c[0]) * u.ux + T(c[1]) * u.uy) + T(c[2]) * u.uz;
    const T base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    return (T(weight(q)) * u.rho) * ((base + (T(4.5) * e) * e) + T(3) * e);
}

}  // namespace lapwing_lattice
