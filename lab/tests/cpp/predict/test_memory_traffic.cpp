// The bytes that tasks load and store, against what can be counted by hand.
#include "predict/memory_traffic.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "predict/forecast.hpp"

using namespace lapwing;
using predict::bytes_from_memory;

namespace {

constexpr Index columns = 100, rows = 1000;
constexpr double value = 8;                       // bytes
constexpr double field = columns * rows * value;  // bytes of one of the three

// Stage `first` reads field 0 and writes field 1, `second` reads that and writes field 2, in bands of `in_band` rows:
// stage after stage, or band after band.
RankOutline two_stages(Index in_band, bool band_after_band) {
    RankOutline outline;
    outline.fields = {{"a", 8}, {"b", 8}, {"c", 8}};
    outline.stages = {"first", "second"};
    StepOutline step;
    const auto bands = static_cast<int>(rows / in_band);
    for (const int stage : {0, 1})
        for (int band = 0; band < bands; ++band) {
            TaskOutline task;
            task.stage = task.task.entry = stage;
            task.task.box = {{0, band * in_band, 0}, {columns, (band + 1) * in_band, 1}};
            task.task.priority = band_after_band ? 2 * band + stage : bands * stage + band;
            task.cells = static_cast<double>(task.task.box.volume());
            step.tasks.push_back(task);
        }
    step.exchanges.resize(2);
    step.names = {"first", "second"};
    step.reads = {{0}, {1}};
    step.writes = {{1}, {2}};
    step.from_before = {0, 0};
    outline.steps = {step};
    return outline;
}

double sum_of(const RankOutline& outline, double cache) {
    const auto bytes = bytes_from_memory(outline, cache);
    return std::accumulate(bytes[0].begin(), bytes[0].end(), 0.0);
}

}  // namespace

TEST_CASE("Nothing comes from memory where all fields fit the cache, or none is known") {
    CHECK(sum_of(two_stages(rows, false), 3.1 * field) == 0);
    CHECK(sum_of(two_stages(rows, false), 0) == 0);
}

TEST_CASE("Stage after stage loads all that it reads, and loads and stores what it writes") {
    CHECK(sum_of(two_stages(rows, false), field) == Approx(6 * field));
    CHECK(sum_of(two_stages(10, false), field) == Approx(6 * field));
}

TEST_CASE("A band finds in the cache what the stage before wrote") {
    CHECK(sum_of(two_stages(10, true), field) == Approx(5 * field));
    // between two touches of a row of b, half of a and b, or of b and c, go by: as much as a whole field
    CHECK(sum_of(two_stages(500, true), field) == Approx(5 * field));
    CHECK(sum_of(two_stages(500, true), 0.9 * field) == Approx(6 * field));
}

TEST_CASE("Steps that fit the cache together load their fields once") {
    RankOutline twice = two_stages(10, true);
    StepOutline& step = twice.steps[0];
    const std::size_t tasks = step.tasks.size();
    for (std::size_t n = 0; n < tasks; ++n) {
        TaskOutline again = step.tasks[n];
        again.task.priority = 4 * (again.task.priority / 2) + again.task.priority % 2;
        step.tasks[n].task.priority = again.task.priority;
        again.task.priority += 2;
        step.tasks.push_back(again);
    }
    CHECK(sum_of(twice, field) == Approx(5 * field));
}

TEST_CASE("A forecast adds the time of memory, shared by the cores that compute") {
    ForecastRequest request;
    request.outlines = {two_stages(rows, false)};
    request.stages["first"] = request.stages["second"] = {.cell = 1e-9};
    request.machine.links["network"] = request.machine.links["node"] = {.latency = 1e-6, .bandwidth = 1e9};
    request.machine.memory = {.cache = field, .core = 1e9, .node = 2e9, .cores = 4};
    request.ranks = {{0, 0, 0, 1, {}}};
    const double kernels = 2 * columns * rows * 1e-9;
    CHECK(forecast(request).step == Approx(kernels + 6 * field / 1e9));
    request.ranks[0].crowd = 1;  // four cores share 2e9 bytes/s
    CHECK(forecast(request).step == Approx(kernels + 6 * field / 0.5e9));
    request.stages["second"].byte = 3e-9;  // twice as long where four cores want twice what the node gives
    CHECK(forecast(request).step == Approx(kernels + 3 * field / 0.5e9 + 3 * field * 6e-9));
    request.stages["second"].byte = 0;
    request.outlines[0].steps[0].steps = 2;  // the same tasks are two steps
    CHECK(forecast(request).step == Approx((kernels + 6 * field / 0.5e9) / 2));
}
