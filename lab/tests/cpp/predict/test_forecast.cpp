// Forecasts, against what can be worked out by hand: ranks of a few tasks, and messages that share links.
#include "predict/forecast.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "predict/links.hpp"

using namespace lapwing;

namespace {

constexpr double bytes = 984;  // with what travels with every message 1000

TaskOutline task(Task::Kind kind, double cells, int priority) {
    TaskOutline outline;
    outline.task.kind = kind;
    outline.task.entry = kind == Task::Kind::compute ? 1 : 0;
    outline.task.priority = priority;
    outline.stage = 0;
    outline.cells = cells;
    return outline;
}

// A rank that sends a message to each peer, gets one from each, and then computes.
RankOutline exchanging(int rank, const std::vector<int>& peers, double cells) {
    PhaseOutline phase;
    for (const int peer : peers) {
        phase.sends.push_back({peer, static_cast<Index>(bytes), 10});
        phase.receives.push_back({peer, static_cast<Index>(bytes), 10});
    }
    StepOutline step;
    step.tasks = {task(Task::Kind::start, 0, 0), task(Task::Kind::arrive, 0, 1), task(Task::Kind::compute, cells, 2)};
    step.tasks[1].task.after = {0};
    step.tasks[2].task.after = {1};
    step.exchanges = {{phase}, {}};
    step.names = {"u", "work"};
    step.from_before = {0, 0};
    RankOutline outline;
    outline.rank = rank;
    outline.stages = {"work"};
    outline.steps = {step};
    outline.peers = peers;
    return outline;
}

// Two ranks on nodes of their own: a message takes a millisecond and 1000 bytes another one.
ForecastRequest pair_of(double first, double second) {
    ForecastRequest request;
    request.outlines = {exchanging(0, {1}, first), exchanging(1, {0}, second)};
    request.stages["work"] = {.cell = 1e-3};
    request.machine.links["network"] = {.latency = 1e-3, .bandwidth = 1e6};
    request.machine.links["node"] = {.latency = 1e-6, .bandwidth = 1e9};
    request.machine.detached = 1e9;
    request.ranks = {{0, 0, 0, 1, {1}}, {1, 1, 0, 1, {0}}};
    return request;
}

}  // namespace

TEST_CASE("the slower rank decides, and the other one waits") {
    const Forecast found = forecast(pair_of(5, 3));
    CHECK(found.step == Approx(5e-3 + 2e-3));
    CHECK(found.ranks[0].compute == Approx(5e-3));
    CHECK(found.ranks[0].waiting == Approx(2e-3));
    CHECK(found.ranks[1].waiting == Approx(4e-3));
    CHECK(found.ranks[1].waits.at(0).what == "u");
    CHECK(found.ranks[1].waits.at(0).peer == 0);
}

TEST_CASE("messages cost the processor what the machine says") {
    ForecastRequest request = pair_of(5, 5);
    request.machine.links["network"].send = 1e-4;
    request.machine.links["network"].receive = 2e-4;
    request.machine.packing = {.byte = 0, .row = 1e-5};
    const Forecast found = forecast(request);
    CHECK(found.ranks[0].messages == Approx(1e-4 + 2e-4 + 2 * 10 * 1e-5));
    CHECK(found.step == Approx(5e-3 + 2e-3 + 1e-4 + 2e-4 + 2 * 10 * 1e-5));
}

TEST_CASE("the ranks of a node share its link") {
    ForecastRequest request = pair_of(5, 5);
    request.outlines = {exchanging(0, {2}, 5), exchanging(1, {3}, 5), exchanging(2, {0}, 5), exchanging(3, {1}, 5)};
    request.ranks = {{0, 0, 0, 1, {2}}, {1, 0, 0, 1, {3}}, {2, 1, 0, 1, {0}}, {3, 1, 0, 1, {1}}};
    // they do not begin at one moment, so that not all of their messages share it all of the time
    CHECK(forecast(request).step > 5e-3 + 1e-3 + 1.5e-3);
    CHECK(forecast(request).step < 5e-3 + 1e-3 + 2e-3);
}

TEST_CASE("each link of a torus has its latency, and messages on one share it") {
    const auto step = [](int second) {  // rank 0 in the corner of 4 x 4 nodes, its peers a step along both axes away
        ForecastRequest request = pair_of(5, 5);
        request.machine.shape.torus = {4, 4};
        request.machine.eager = 1e9;
        request.outlines = {exchanging(0, {1, 2}, 5), exchanging(1, {0}, 5), exchanging(2, {0}, 5)};
        request.ranks = {{0, 0, 0, 1, {1, 2}}, {1, 1 + 4, 0, 1, {0}}, {2, second, 0, 1, {0}}};
        return forecast(request).step;
    };
    CHECK(step(3 + 3 * 4) == Approx(5e-3 + 2e-3 + 1e-3));
    // Both of its messages leave along the first axis upward, for a millisecond more. As theirs do not, it is a
    // millisecond late in every other step only.
    CHECK(step(1 + 3 * 4) == Approx(5e-3 + 2e-3 + 1.5e-3));
}

TEST_CASE("a fat tree has half a latency on each link") {
    ForecastRequest request = pair_of(5, 5);
    request.machine.shape.tree_down = {2, 2};
    request.machine.shape.tree_up = {1, 1};
    CHECK(forecast(request).step == Approx(5e-3 + 1e-3 + 1e-3));
    request.ranks[1].node = 2;  // over the top
    CHECK(forecast(request).step == Approx(5e-3 + 2e-3 + 1e-3));
}

TEST_CASE("long messages wait for an answer that is given in calls of MPI") {
    ForecastRequest request = pair_of(5, 5);
    request.machine.eager = request.machine.detached = 100;
    const double plain = forecast(request).step;
    request.machine.links["network"].eager_limit = 100;
    request.machine.links["network"].calls = true;
    // the question and the answer take a latency each
    CHECK(forecast(request).step == Approx(plain + 2e-3));
}

TEST_CASE("slow ranks and full nodes compute longer") {
    ForecastRequest request = pair_of(5, 5);
    request.ranks[0].speed = 0.5;
    CHECK(forecast(request).ranks[0].compute == Approx(10e-3));
    request.stages["work"].crowded = 3;
    request.ranks[0].crowd = 0.5;
    CHECK(forecast(request).ranks[0].compute == Approx(20e-3));
}

TEST_CASE("a message that nobody expects is refused") {
    ForecastRequest request = pair_of(5, 5);
    request.outlines[1] = exchanging(1, {}, 5);
    request.ranks[1].peers = {};
    CHECK_THROWS_AS(forecast(request), UserError);
}

TEST_CASE("a link serves all messages on it alike") {
    predict::SharedLink link(100);  // bytes/s
    link.add(0, 1, 100);
    CHECK(link.next() == Approx(1));
    link.add(0.5, 2, 100);  // half of the first has gone; the other half takes twice as long
    CHECK(link.next() == Approx(1.5));
    CHECK(link.take(1.5) == 1);
    CHECK(link.next() == Approx(2));
    CHECK(link.take(2) == 2);
    CHECK(link.next() > 1e9);
}
