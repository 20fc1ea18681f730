// Advection of the transports, against what flows that are the same everywhere do to a wave.
#include <lapwing_coast/barotropic/transport_advection.hpp>

#include <catch2/catch.hpp>

#include <cmath>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

constexpr double spacing = 200;  // m

// The change of a transport, m2/s2, where these speeds (m/s) are the same everywhere.
struct Flow {
    Box box{{0, 0, 0}, {12, 9, 1}};
    Memory transport{box}, depth{box, 1, 10.0}, change{box};
    Memory from_behind{box}, from_here{box}, to_next{box}, from_next{box};

    explicit Flow(Axis axis) {
        transport.fill([](Index i, Index j, Index) { return std::sin(0.1 * static_cast<double>(7 * i + 4 * j)); });
        depth(3, 3) = 0;
        axis_ = axis;
    }
    void run() {
        const TransportAdvection kernel{axis_, 1 / spacing, 1 / spacing};
        kernel(box, change.view(), transport.view(), depth.view(), from_behind.view(), from_here.view(), to_next.view(),
               from_next.view());
    }

  private:
    Axis axis_;
};

}  // namespace

TEST_CASE("a flow along the axis brings what lies behind, one against it what lies ahead") {
    for (const Axis axis : {lapwing::x, lapwing::y}) {
        const Index di = axis == lapwing::x ? 1 : 0, dj = 1 - di;
        for (const double speed : {0.5, -0.5}) {
            Flow flow(axis);
            (speed > 0 ? flow.from_behind : flow.from_here).fill([=](Index, Index, Index) { return speed; });
            flow.run();
            const Index to = speed > 0 ? 0 : 1;  // the difference towards where the water comes from
            const double slope =
                flow.transport(5 + to * di, 4 + to * dj) - flow.transport(5 + (to - 1) * di, 4 + (to - 1) * dj);
            CHECK(flow.change(5, 4) == Approx(-speed * slope / spacing));
            CHECK(flow.change(3, 3) == 0);  // a closed face
        }
    }
}

TEST_CASE("a flow across the axis brings what lies to its side") {
    for (const Axis axis : {lapwing::x, lapwing::y}) {
        const Index di = axis == lapwing::x ? 0 : 1, dj = 1 - di;  // across
        for (const double speed : {0.5, -0.5}) {
            Flow flow(axis);
            (speed > 0 ? flow.to_next : flow.from_next).fill([=](Index, Index, Index) { return speed; });
            flow.run();
            const Index to = speed > 0 ? 0 : 1;
            const double slope =
                flow.transport(5 + to * di, 4 + to * dj) - flow.transport(5 + (to - 1) * di, 4 + (to - 1) * dj);
            CHECK(flow.change(5, 4) == Approx(-speed * slope / spacing));
        }
    }
}
