// Tests of how tides begin.
#include <lapwing_coast/barotropic/open_boundary.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using lapwing_coast::ramp_share;

TEST_CASE("a tide grows by half a wave of a cosine, and stays") {
    CHECK(ramp_share(0, 86400) == 0);
    CHECK(ramp_share(21600, 86400) == Approx(0.5 - std::sqrt(0.125)));
    CHECK(ramp_share(43200, 86400) == Approx(0.5));
    CHECK(ramp_share(86400, 86400) == 1);
    CHECK(ramp_share(1e9, 86400) == 1);
    CHECK(ramp_share(0, 0) == 1);
    for (double time = 0; time < 86400; time += 60) REQUIRE(ramp_share(time + 60, 86400) > ramp_share(time, 86400));
}
