// A census counts what the plans say, and tells a late neighbour from its bytes.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

using namespace std::chrono_literals;

void no_kernel(void*, Box) {}

// Ranks in a row along x, and two fields that are read one cell to the west and written in turn.
struct Row {
    Domain domain;
    AnyField a, b;

    Row()
        : domain(block_partition({{16, 8, 1}, {}}, {world_size(), 1, 1}), MPI_COMM_WORLD), a(make("a")), b(make("b")) {}
    ~Row() { domain.close(); }

    AnyField make(const char* name) const {
        FieldSpec spec;
        spec.name = name;
        return {domain.partition(), domain.rank(), spec, Extent::horizontal(1)};
    }
    static Extent west() {
        Extent extent;
        extent.lo[0] = 1;
        extent.corners = false;
        return extent;
    }
    Stage there() { return {"there", {{&a, west()}}, {&b}, no_kernel, {nullptr}, {}}; }
    Stage back() { return {"back", {{&b, Extent::cross(1)}}, {&a}, no_kernel, {nullptr}, {}}; }
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

TEST_CASE("a census counts what the plans say") {
    Row row;
    Step step(row.domain, Stages{row.there(), row.back()});
    REQUIRE(step.report().census().empty());
    step.run();
    step.observe();
    for (int n = 0; n < 5; ++n) step.run();
    std::vector<CensusEntry> ran;
    for (const CensusEntry& entry : step.report().census()) {
        if (entry.cost.count > 0) ran.push_back(entry);
    }
    const int rank = row.domain.rank(), last = world_size() - 1;
    REQUIRE(ran.size() == 2);
    REQUIRE(ran[0].stage == "there");
    REQUIRE(ran[0].steady);
    REQUIRE(ran[0].cost.count == 5);
    REQUIRE(ran[0].messages == (rank < last ? 1 : 0));  // to the east only
    REQUIRE(ran[0].bytes == (rank < last ? 8 * 8 : 0));
    REQUIRE(ran[0].fields.size() == 1);
    REQUIRE(ran[0].fields[0].name == "a");
    REQUIRE(ran[0].fields[0].extent == Row::west());
    REQUIRE(ran[0].fields[0].bytes == ran[0].bytes);
    REQUIRE(ran[0].fields[0].messages == ran[0].messages);
    REQUIRE_FALSE(ran[0].fields[0].needless);
    REQUIRE(ran[1].stage == "back");
    REQUIRE(ran[1].messages == (rank < last ? 1 : 0) + (rank > 0 ? 1 : 0));
    for (const CensusEntry& entry : ran) {
        REQUIRE(entry.cost.packing >= 0);
        REQUIRE(entry.cost.late >= 0);
        REQUIRE(entry.cost.transfer >= 0);
        REQUIRE((entry.handshake > 0 || world_size() == 1));
    }
    step.reset_times();
    for (const CensusEntry& entry : step.report().census()) REQUIRE(entry.cost.count == 0);
    step.observe(false);
    step.run();
    REQUIRE(step.report().census().empty());
}

TEST_CASE("what a collective with a plan sends is counted too") {
    Row row;
    FieldSpec spec = row.b.spec();
    spec.extents = {Row::west()};
    ExchangeOptions options;
    options.transport = "p2p";
    const std::vector<const AnyField*> b{&row.b};
    Exchange own(row.domain, halo_route(row.domain, b, std::vector<FieldSpec>{spec}, options), b, b);
    Stage there = row.there();
    there.collective = {[](void* exchange) { static_cast<Exchange*>(exchange)->run(); }, &own};
    const Step silent(row.domain, Stages{there, row.back()});
    there.collective->plan = &own.plan();
    Step step(row.domain, Stages{there, row.back()});
    const int sent = row.domain.rank() < world_size() - 1 ? 1 : 0;
    REQUIRE(step.report().volume().exchanges == silent.report().volume().exchanges + 1);
    REQUIRE(step.report().volume().messages == silent.report().volume().messages + sent);
    REQUIRE(step.report().volume().bytes == silent.report().volume().bytes + 8 * 8 * sent);
    step.observe();
    for (int n = 0; n < 3; ++n) step.run();
    Index runs = 0;
    for (const CensusEntry& entry : step.report().census()) {
        if (!entry.unasked) continue;
        runs += entry.cost.count;
        REQUIRE(entry.stage == "there");
        REQUIRE(entry.messages == sent);
        REQUIRE(entry.fields[0].name == "b");
        REQUIRE(entry.fields[0].bytes == 8 * 8 * sent);
    }
    REQUIRE(runs == 3);
}

TEST_CASE("the lateness of a rank shows on its neighbours, not in their transfer, and not two ranks away") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    constexpr auto delay = 20ms;
    const double seconds = std::chrono::duration<double>(delay).count();
    Row row;
    Step step(row.domain, Stages{row.back()});
    step.observe();
    std::vector<double> late, transfer;
    for (int n = 0; n < 7; ++n) {
        row.b.modified();
        step.reset_times();
        MPI_Barrier(MPI_COMM_WORLD);
        if (row.domain.rank() == 0) std::this_thread::sleep_for(delay);
        step.run();
        for (const CensusEntry& entry : step.report().census()) {
            if (entry.cost.count == 0) continue;
            late.push_back(entry.cost.late);
            transfer.push_back(entry.cost.transfer);
        }
    }
    REQUIRE(late.size() == 7);
    CAPTURE(median(late), median(transfer));
    if (row.domain.rank() == 1) REQUIRE(median(late) > 0.5 * seconds);
    if (row.domain.rank() != 1) REQUIRE(median(late) < 0.5 * seconds);
    REQUIRE(median(transfer) < 0.5 * seconds);
}
