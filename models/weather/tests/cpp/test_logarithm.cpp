// The logarithm of the columns against the C library's.
#include "dynamics/logarithm.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

TEST_CASE("natural logarithm") {
    double worst = 0;
    for (double x = 1e-300; x < 1e300; x *= 1.000731) {
        const double expected = std::log(x);
        worst = std::max(worst, std::abs(lapwing_weather::natural_log(x) - expected) / std::abs(expected));
    }
    INFO("largest relative error " << worst);
    CHECK(worst < 3 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("natural logarithm near 1, of thin layers") {
    double worst = 0;
    for (double above = 1e-12; above < 1; above *= 1.0173) {
        for (const double x : {1 + above, 1 - above / 2}) {
            const double expected = std::log(x);
            worst = std::max(worst, std::abs(lapwing_weather::natural_log(x) - expected) / std::abs(expected));
        }
    }
    INFO("largest relative error " << worst);
    CHECK(worst < 3 * std::numeric_limits<double>::epsilon());
    CHECK(lapwing_weather::natural_log(1.0) == 0.0);
    CHECK(lapwing_weather::natural_log(2.0) == std::log(2.0));
}
