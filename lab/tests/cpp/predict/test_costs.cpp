// What machines spend: the way out of a node, which lets a burst pass.
#include "predict/costs.hpp"

#include <catch2/catch.hpp>

using lapwing::MessageCost;
using lapwing::Outlet;

TEST_CASE("an outlet without limits lets everything pass") {
    Outlet outlet;
    CHECK(outlet.wait({.bandwidth = 1e9}, 1e6, 0) == 0);
    CHECK(outlet.wait({.bandwidth = 1e9}, 1e6, 0) == 0);
}

TEST_CASE("messages leave a node at its rate") {
    const MessageCost cost{.bandwidth = 1e9, .rate = 1e3};
    Outlet outlet;
    CHECK(outlet.wait(cost, 8, 0) == 0);
    CHECK(outlet.wait(cost, 8, 0) == Approx(1e-3));
    CHECK(outlet.wait(cost, 8, 1e-3) == Approx(1e-3));
    CHECK(outlet.wait(cost, 8, 1) == 0);
}

TEST_CASE("a burst passes after a pause, and what is beyond it leaves at the bandwidth") {
    // 1000 bytes at 1 MB/s, the rest at 100 kB/s
    const MessageCost cost{.bandwidth = 1e5, .burst = 1000, .burst_bandwidth = 1e6};
    Outlet outlet;
    CHECK(outlet.wait(cost, 1000, 1) == 0);
    // nothing of the burst is left: 1000 bytes leave within 10 ms, 1 ms of which their way takes anyhow
    CHECK(outlet.wait(cost, 1000, 1) == Approx(9e-3));
    // after 15 ms 5 are over since the last byte left: half of the burst is there again
    CHECK(outlet.wait(cost, 500, 1 + 15e-3) == Approx(0).margin(1e-12));
    CHECK(outlet.wait(cost, 500, 1 + 15e-3) == Approx(4.5e-3));
    Outlet rested;
    CHECK(rested.wait(cost, 3000, 1) == Approx(20e-3 - 3e-3));
    CHECK(rested.wait(cost, 1000, 100) == 0);
}

TEST_CASE("a burst is spent in the beginning, and where that is said") {
    const MessageCost cost{.bandwidth = 1e5, .burst = 1000, .burst_bandwidth = 1e6};
    CHECK(Outlet().wait(cost, 1000, 0) == Approx(9e-3));
    Outlet outlet;
    outlet.spend(1);
    CHECK(outlet.wait(cost, 1000, 1) == Approx(9e-3));
}
