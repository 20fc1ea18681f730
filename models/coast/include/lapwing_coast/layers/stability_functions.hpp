#pragma once
// Stability functions of the turbulence model: how shear and stratification change what an eddy carries.

#include <cmath>

namespace lapwing_coast {

// The second-moment closure of V. M. Canuto, A. Howard, Y. Cheng, M. S. Dubovikov: Ocean turbulence. Part I, J. Phys.
// Oceanogr. 31, 2001, model A, in the notation of L. Umlauf, H. Burchard: Second-order turbulence closure models for
// geophysical boundary layers, Cont. Shelf Res. 25, 2005, and with their quasi-equilibrium: production = dissipation.
//
// With the shear number aM = (k/eps)2 S2 and the buoyancy number aN = (k/eps)2 N2:
//
//   c_mu  = (n0 + n1 aN + n2 aM) / D       viscosity   = c_mu  k2/eps
//   c_mu' = (m0 + m1 aN + m2 aM) / D       diffusivity = c_mu' k2/eps
//   D = d0 + d1 aN + d2 aM + d3 aN aM + d4 aN2 + d5 aM2
//   c_mu aM - c_mu' aN = 1                 which makes aM a function of aN, the root of a quadratic
struct Canuto2001 {
    // the closure: return to isotropy and rapid distortion of the stresses, and of the heat flux
    static constexpr double a1 = 2.0 / 3.0 - 0.8 / 2.0, a2 = 1.0 - 1.968 / 2.0, a3 = 1.0 - 1.136 / 2.0,
                            a5 = 0.5 - 0.4 / 2.0;
    static constexpr double b1 = 1.0 - 0.6, b2 = 1.0 - 1.0, b3 = 2.0, b5 = 2.0 * 0.72 * (1.0 - 1.0 / 3.0);
    static constexpr double n = 5.0 / 2.0, nt = 5.95;
    static constexpr double aa = a2 * a2 - 3.0 * a3 * a3, bb = b2 * b2 - b1 * b1;

    // the polynomials, divided by d0
    static constexpr double scale = 36.0 * n * n * n * nt * nt;
    static constexpr double d1 = (84.0 * a5 * b3 * nt + 36.0 * b5 * n * nt) * n * n / scale;
    static constexpr double d2 = (9.0 * bb * n * n - 12.0 * aa * nt * nt) * n / scale;
    static constexpr double d3 =
        12.0 * (a5 * b3 * ((a2 * b1 - 3.0 * a3 * b2) * n + (a3 * a3 - a2 * a2) * nt) - b5 * aa * n * nt) / scale;
    static constexpr double d4 = a5 * b3 * (48.0 * a5 * b3 + 36.0 * b5 * n) * n / scale;
    static constexpr double d5 = -3.0 * aa * bb * n / scale;
    static constexpr double n0 = 36.0 * a1 * n * n * nt * nt / scale;
    static constexpr double n1 =
        (a5 * b3 * (8.0 * (6.0 * a1 - a2 - 3.0 * a3) * nt - 12.0 * (b1 + b2) * n) + 36.0 * a1 * b5 * n * nt) * n /
        scale;
    static constexpr double n2 = 9.0 * a1 * bb * n * n / scale;
    static constexpr double m0 = 12.0 * b3 * n * n * n * nt / scale;
    static constexpr double m1 = 12.0 * a5 * b3 * b3 * n * n / scale;
    static constexpr double m2 =
        b3 * (9.0 * a1 * (b1 - b2) * n + (6.0 * a1 * (a2 - 3.0 * a3) - 4.0 * aa) * nt) * n / scale;

    // c_mu aM - c_mu' aN = 1 as  aM2 q2 + aM (q1 + q1n aN) = 1 + p1 aN + p2 aN2
    static constexpr double q2 = n2 - d5, q1 = n0 - d2, q1n = n1 - d3 - m2, p1 = d1 + m0, p2 = d4 + m1;

    // The fourth root of c_mu where nothing is stratified, ((aa + 3 a1 n) / (3 n2))^(1/4).
    static constexpr double c_mu0 = 0.5264646969790241;
    // Half of the least aN for which there is shear in equilibrium (the root of 1 + p1 aN + p2 aN2): what is more
    // unstable counts as this.
    static constexpr double least_buoyancy_number = -1.528253424657534;
};

struct StabilityFunctions {
    double viscosity;    // c_mu, 1
    double diffusivity;  // c_mu', 1
};

// The stability functions of a buoyancy number, not below the least one. One square root and one division. Local.
[[gnu::always_inline]] inline StabilityFunctions stability_functions(double buoyancy_number) {
    using C = Canuto2001;
    const double an = buoyancy_number;
    // aM = shear / over: the root without cancellation
    const double sum = 1.0 + an * (C::p1 + an * C::p2), linear = C::q1 + C::q1n * an;
    const double shear = 2.0 * sum, over = linear + std::sqrt(linear * linear + 4.0 * C::q2 * sum);
    const double denominator =
        over * (over * (1.0 + an * (C::d1 + an * C::d4)) + shear * (C::d2 + C::d3 * an)) + C::d5 * shear * shear;
    const double factor = over / denominator;
    return {factor * (over * (C::n0 + C::n1 * an) + C::n2 * shear),
            factor * (over * (C::m0 + C::m1 * an) + C::m2 * shear)};
}

}  // namespace lapwing_coast
