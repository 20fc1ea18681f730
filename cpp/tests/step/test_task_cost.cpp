// The cost of the engine apart from the kernels: the time of a task that computes next to nothing.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "lapwing/step/step.hpp"
#include "one_process.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// The least time of many samples: a busy host only adds to it, so there are more of them until it is short enough.
double nanoseconds_per_task(Step& step, double enough) {
    using Clock = std::chrono::steady_clock;
    constexpr int steps = 200, few = 200, many = 4000;
    double least = 1e30;
    for (int sample = 0; sample < few || (sample < many && least >= enough); ++sample) {
        const auto begin = Clock::now();
        step.run(steps);
        const double all = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
        least = std::min(least, all / steps / step.report().tasks_per_step());
    }
    return least;
}

#ifdef NDEBUG
constexpr double most = 100.0;  // ns
#else
constexpr double most = 1e30;  // assertions and sanitizers take their time
#endif

}  // namespace

TEST_CASE("a task costs less than 100 ns") {
    OneProcess process;
    Domain domain(MPI_COMM_SELF, {64, 64}, {true, true, false});
    Field<double> a(domain, "a"), b(domain, "b");
    const auto touch = [](Box box, View<double> out, View<const double> in) {
        out(box.lo[0], box.lo[1]) = in(box.lo[0], box.lo[1]);
    };
    Stages stages;
    for (int n = 0; n < 10; ++n) {
        stages.push_back(stage("there", touch, writes(b), reads(a, around(1))));
        stages.push_back(stage("back", touch, writes(a), reads(b, around(1))));
    }
    for (const std::string strategy : {"blocking", "edge-first", "dataflow:4"}) {
        Step step(domain, stages, {.strategy = strategy});
        const double cost = nanoseconds_per_task(step, most);
        WARN(strategy << ": " << step.report().tasks_per_step() << " tasks per step, " << cost << " ns each");
        CHECK(step.report().tasks_per_step() > 20.0);  // for each stage one at least
#ifdef NDEBUG
        CHECK(cost < most);
#endif
    }
    domain.close();
}
