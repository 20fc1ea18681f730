// Forcing between its times, beyond them, and what is refused.
#include <cmath>

#include <lapwing_coast/forcing_series.hpp>
#include "lapwing/base/error.hpp"

#include <catch2/catch.hpp>

using namespace lapwing_coast;

namespace {

double at(double time, const std::vector<double>& values) {
    return value_at(values, moment_at({0, 10, 40}, time), 7.0);
}

}  // namespace

TEST_CASE("forcing is linear between its times and the nearest value beyond them") {
    const std::vector<double> values{1, 3, -3};
    CHECK(at(-5, values) == 1);
    CHECK(at(0, values) == 1);
    CHECK(at(5, values) == 2);
    CHECK(at(10, values) == 3);
    CHECK(at(25, values) == 0);
    CHECK(at(40, values) == -3);
    CHECK(at(99, values) == -3);
    CHECK(value_at({4}, moment_at({2}, 1), 7.0) == 4);
}

TEST_CASE("equal values give their bits, and none the constant") {
    const double value = 0.05 / 1025;
    for (const double time : {0.1, 3.3, 9.999, 17.0}) {
        CHECK(at(time, {value, value, value}) == value);
        CHECK(at(time, {}) == 7.0);
    }
}

TEST_CASE("forcing that makes no sense is refused") {
    const ForcingSeries good{{0, 10}, {}, {1, 2}, {}};
    CHECK_NOTHROW(check_forcing(good));
    CHECK_NOTHROW(check_forcing({}));
    ForcingSeries bad = good;
    bad.times[1] = 0;
    CHECK_THROWS_AS(check_forcing(bad), lapwing::UserError);
    bad = good;
    bad.heat_flux[0] = std::nan("");
    CHECK_THROWS_AS(check_forcing(bad), lapwing::UserError);
    bad = good;
    bad.salt_flux = {1};
    CHECK_THROWS_AS(check_forcing(bad), lapwing::UserError);
}

TEST_CASE("series that differ have different texts") {
    const ForcingSeries one{{0, 10}, {}, {1, 2}, {}}, other{{0, 10}, {}, {}, {1, 2}};
    CHECK(lapwing::text_of(one) == lapwing::text_of(ForcingSeries(one)));
    CHECK(lapwing::text_of(one) != lapwing::text_of(other));
}
