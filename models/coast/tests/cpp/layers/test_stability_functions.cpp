// The stability functions against the equations that define them.
#include <lapwing_coast/layers/stability_functions.hpp>
#include <lapwing_coast/layers/turbulence.hpp>

#include <catch2/catch.hpp>

using namespace lapwing_coast;
using C = Canuto2001;

namespace {

// The shear number of production = dissipation, and with it the gradient Richardson number.
double shear_number(double buoyancy_number) {
    const StabilityFunctions f = stability_functions(buoyancy_number);
    return (1.0 + f.diffusivity * buoyancy_number) / f.viscosity;
}

}  // namespace

TEST_CASE("without stratification c_mu is that of the logarithmic layer") {
    const double c_mu0_squared = C::c_mu0 * C::c_mu0;
    CHECK(stability_functions(0.0).viscosity == Approx(c_mu0_squared * c_mu0_squared).epsilon(1e-14));
    CHECK(std::pow((C::aa + 3 * C::a1 * C::n) / (3 * C::n * C::n), 0.25) == Approx(C::c_mu0).epsilon(1e-15));
    CHECK(C::c_mu0 == Approx(0.5265).margin(5e-5).epsilon(0));  // Umlauf and Burchard 2005, table 2
}

TEST_CASE("the functions are those of the closure at the shear of equilibrium") {
    const double an = GENERATE(-1.5, -0.5, 0.0, 0.3, 2.0, 7.0, 26.0, 500.0);
    const StabilityFunctions f = stability_functions(an);
    const double am = shear_number(an);
    const double d = 1 + C::d1 * an + C::d2 * am + C::d3 * an * am + C::d4 * an * an + C::d5 * am * am;
    CHECK(f.viscosity == Approx((C::n0 + C::n1 * an + C::n2 * am) / d).epsilon(1e-12));
    CHECK(f.diffusivity == Approx((C::m0 + C::m1 * an + C::m2 * am) / d).epsilon(1e-12));
}

TEST_CASE("the polynomials have the values that others find") {
    // relative to d0, computed from the closure's constants outside this program
    CHECK(C::d1 == Approx(0.2554621848739496).epsilon(1e-3));
    CHECK(C::d2 == Approx(0.02871632295647671).epsilon(1e-12));
    CHECK(C::d3 == Approx(0.005222470989080207).epsilon(1e-3));
    CHECK(C::d4 == Approx(0.008677678695007412).epsilon(1e-3));
    CHECK(C::d5 == Approx(-3.372212320222208e-05).epsilon(1e-12));
    CHECK(C::n0 == Approx(0.10666666666666663).epsilon(1e-12));
    CHECK(C::n1 == Approx(0.017339658611679958).epsilon(1e-3));
    CHECK(C::n2 == Approx(-0.00012051879575359553).epsilon(1e-12));
    CHECK(C::m0 == Approx(0.11204481792717084).epsilon(1e-12));
    CHECK(C::m1 == Approx(0.0045194548407598316).epsilon(1e-12));
    CHECK(C::m2 == Approx(0.0008871340347903871).epsilon(1e-12));
}

TEST_CASE("the least buoyancy number is half of that without shear") {
    const double root = 2.0 * C::least_buoyancy_number;
    CHECK(std::abs(1.0 + C::p1 * root + C::p2 * root * root) < 1e-14);
    CHECK(C::p1 * C::p1 > 4 * C::p2);
    CHECK(root > -C::p1 / (2 * C::p2));  // the root next to 0
}

TEST_CASE("c3 balances shear and stratification at a Richardson number of 1/4") {
    double low = 0.0, high = 100.0;
    for (int n = 0; n < 100; ++n) {
        const double middle = 0.5 * (low + high);
        (middle / shear_number(middle) < 0.25 ? low : high) = middle;
    }
    const StabilityFunctions f = stability_functions(low);
    using T = TurbulenceConstants;
    CHECK(T::c2 + (T::c1 - T::c2) / 0.25 * f.viscosity / f.diffusivity == Approx(T::c3_stable).epsilon(1e-12));
    CHECK(T::sigma_eps == Approx(1.2027).epsilon(1e-4));
}
