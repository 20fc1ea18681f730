// Steps whose messages leave land out have the bits of those that send it, by every strategy and transport.
#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/schedule/strategy.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/transport/transport.hpp"
#include "random_numbers.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr Index nx = 40, ny = 34;
constexpr int levels = 3;
const auto all_forms = {WetForm::clip, WetForm::patches, WetForm::lists, WetForm::automatic};

// Islands of a few cells, and a coast.
std::shared_ptr<const Mask> islands() {
    Random random(5);
    std::vector<std::uint8_t> wet(nx * ny, 1);
    for (int island = 0; island < 40; ++island) {
        const Index i0 = random.between(0, nx - 6), j0 = random.between(0, ny - 6);
        const Index width = random.between(1, 6), height = random.between(1, 6);
        for (Index j = j0; j < j0 + height; ++j)
            for (Index i = i0; i < i0 + width; ++i) wet[i + nx * j] = 0;
    }
    for (Index j = 0; j < 9; ++j)
        for (Index i = 0; i < nx; ++i) wet[i + nx * j] = 0;
    return std::make_shared<const Mask>(nx, ny, wet);
}

double number(Index i, Index j, Index k = 0) { return std::sin(0.7 * static_cast<double>(3 * i + 5 * j + 11 * k)); }

template <class Use>
void each_cell(const Box& box, const Use& use) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(i, j);
}

// A sea whose level and flow keep their land, in which every cell has a value of its own that kernels read across the
// coast, and air, which changes everywhere.
struct Sea {
    std::shared_ptr<const Mask> mask = islands();
    Domain domain{MPI_COMM_WORLD, {nx, ny}, {true, false, false}};
    Field<double> level{domain, "level", FieldOptions{.halo = around(2), .constant_on_land = true}};
    Field<double> flow{
        domain, "flow", {.location = Location::xface, .levels = levels, .halo = around(2), .constant_on_land = true}};
    Field<double> air{domain, "air", FieldOptions{.halo = around(1)}}, next_air{domain, "next_air"};
    ~Sea() { domain.close(); }

    // Only owners know the values of their land.
    void fill(double more) {
        level.fill([&](Index i, Index j, Index) { return number(i, j) + more * (mask->wet(i, j) ? 1.0 : 7.0); });
        flow.fill([&](Index i, Index j, Index k) { return number(i, j, k) - more; });
        air.fill([&](Index i, Index j, Index) { return number(j, i) + more; });
    }

    Stage press() const {
        const auto kernel = [mask = mask](Box box, View<double> q, View<const double> h, View<const double> a) {
            each_cell(box, [&](Index i, Index j) {
                if (!touches_water(*mask, i, j, Location::xface)) return;
                for (Index k = 0; k < levels; ++k)
                    q(i, j, k) = 0.5 * q(i, j, k) - 0.1 * static_cast<double>(k + 1) * (h(i + 1, j) - h(i, j)) +
                                 0.01 * a(i - 1, j - 1) + 0.03 * h(i - 2, j + 2);
            });
        };
        return stage("press", kernel, updates(flow), reads(level, around(2)), reads(air, around(1))).on(inside());
    }
    Stage rise() const {
        const auto kernel = [mask = mask](Box box, View<double> h, View<const double> q) {
            each_cell(box, [&](Index i, Index j) {
                if (!touches_water(*mask, i, j, Location::center)) return;  // in rims, across the edge
                h(i, j) = 0.9 * h(i, j) - 0.2 * (q(i, j, 0) - q(i - 1, j, 1)) + 0.05 * q(i + 1, j - 1, 2);
            });
        };
        return stage("rise", kernel, updates(level), reads(flow, around(1))).on(inside());
    }
    Stages blow() const {
        const auto spread = [](Box box, View<double> b, View<const double> a, View<const double> h) {
            each_cell(box, [&](Index i, Index j) {
                b(i, j) = 0.3 * (a(i - 1, j) + a(i + 1, j) + a(i, j + 1)) + 0.01 * h(i, j - 1);
            });
        };
        const auto take = [](Box box, View<double> a, View<const double> b) {
            each_cell(box, [&](Index i, Index j) { a(i, j) = b(i, j); });
        };
        return {stage("blow", spread, writes(next_air), reads(air, cross(1)), reads(level, cross(1))).on(inside()),
                stage("take", take, writes(air), reads(next_air)).on(inside())};
    }
    static Box inside() { return {{0, 2, 0}, {nx, ny - 2, 1}}; }
    [[nodiscard]] Stages stages() const { return in_order(press(), rise(), blow()); }
    [[nodiscard]] std::vector<double> state() const {
        std::vector<double> all = level.gather();
        for (const auto* field : {&flow, &air})
            for (const double value : field->gather()) all.push_back(value);
        return all;
    }
};

struct Result {
    std::vector<double> state;  // on rank 0
    double bytes = 0;           // sent by all ranks in a step
};

Result result(WetForm form, const std::string& strategy, const std::string& transport) {
    Sea sea;
    set_land(sea.domain, sea.mask, form);
    Step step(sea.domain, sea.stages(), {.strategy = strategy, .transport = transport});
    sea.fill(0.5);
    step.run(5);
    sea.fill(0.25);  // other land
    step.run(3);
    step.run(strategy == "auto" ? 40 : 4);
    std::vector<double> bytes{step.report().volume().bytes};
    bytes = reduced(MPI_COMM_WORLD, bytes, MPI_SUM, "bytes");
    return {sea.state(), bytes[0]};
}

std::string refused(const std::function<void()>& work) {
    std::string said;
    try {
        work();
    } catch (const UserError& error) {
        said = error.what();
    }
    return said;
}

}  // namespace

TEST_CASE("steps without land in their messages have the bits of those with it, by every strategy") {
    for (const std::string& strategy : strategy_names()) {
        const Result whole = result(WetForm::off, strategy, "p2p");
        for (const WetForm form : all_forms) {
            INFO(strategy << ", " << to_string(form));
            const Result wet = result(form, strategy, "p2p");
            REQUIRE((wet.state == whole.state));
            if (world_size() > 1 && strategy != "auto") REQUIRE(wet.bytes < whole.bytes);
        }
    }
}

TEST_CASE("steps without land in their messages have the same bits by every transport") {
    const Result whole = result(WetForm::off, "blocking", "p2p");
    std::vector<std::string> names = transport_names();
    names.emplace_back("auto");
    for (const std::string& transport : names) {
        for (const char* strategy : {"blocking", "dataflow", "deep:2"}) {
            INFO(transport << ", " << strategy);
            std::optional<Result> wet;
            const std::string said = refused([&] { wet = result(WetForm::lists, strategy, transport); });
            if (!wet) REQUIRE_THAT(said, Contains(transport));  // this machine or MPI lacks it
            if (wet) REQUIRE((wet->state == whole.state));
        }
    }
}

TEST_CASE("two steps of the same fields keep their land out of messages, and their bits") {
    const auto state = [](WetForm form) {
        Sea sea;
        set_land(sea.domain, sea.mask, form);
        Step one(sea.domain, {sea.press()}, {.transport = "p2p"});
        Step other(sea.domain, in_order(sea.rise(), sea.blow()), {.strategy = "dataflow", .transport = "p2p"});
        sea.fill(0.5);
        const std::uint64_t filled = sea.level.memory().land_version();
        for (int n = 0; n < 6; ++n) {
            one.run();
            other.run();
        }
        REQUIRE(sea.level.memory().land_version() == filled);
        return sea.state();
    };
    REQUIRE((state(WetForm::lists) == state(WetForm::off)));
}

TEST_CASE("auto leaves land out where messages get shorter by enough, and nothing where there is none") {
    const auto bytes = [](const std::shared_ptr<const Mask>& mask, WetForm form) {
        Sea sea;
        set_land(sea.domain, mask, form);
        const Step step(sea.domain, sea.stages(), {.transport = "p2p"});
        std::vector<double> all{step.report().volume().bytes};
        return reduced(MPI_COMM_WORLD, all, MPI_SUM, "bytes")[0];
    };
    std::vector<std::uint8_t> wet(nx * ny, 1);
    wet[0] = wet[17 + nx * 11] = 0;
    const auto open = std::make_shared<const Mask>(nx, ny, wet);
    REQUIRE(bytes(open, WetForm::automatic) == bytes(open, WetForm::off));
    REQUIRE(bytes(islands(), WetForm::automatic) == bytes(islands(), WetForm::lists));
}

TEST_CASE("fields that do not say that their land is constant travel whole") {
    Sea sea;
    Field<double> a(sea.domain, "a"), b(sea.domain, "b");
    const auto copy = [](Box box, View<double> to, View<const double> from) {
        each_cell(box, [&](Index i, Index j) { to(i, j) = from(i - 1, j) + from(i, j + 1); });
    };
    const auto volume = [&] {
        const Step step(sea.domain, {stage("copy", copy, writes(b), reads(a, cross(1))).on(Sea::inside())});
        return step.report().volume().bytes;
    };
    const double whole = volume();
    set_land(sea.domain, sea.mask, WetForm::lists);
    REQUIRE(volume() == whole);
}

TEST_CASE("checked steps name the field and the cell where land changes that is declared to be constant") {
    Sea sea;
    set_land(sea.domain, sea.mask, WetForm::lists);
    const auto everywhere = [](Box box, View<double> h, View<const double> a) {
        each_cell(box, [&](Index i, Index j) { h(i, j) += a(i, j); });
    };
    Step wrong(sea.domain, {stage("everywhere", everywhere, updates(sea.level), reads(sea.air))});
    Step right(sea.domain, sea.stages());
    sea.fill(0.5);
    right.check();
    right.run(2);
    wrong.check();
    REQUIRE_THROWS_WITH(wrong.run(1), Contains("stage everywhere: got another value of field level at cell (") &&
                                          Contains("which is land") && Contains("constant on land"));
}

TEST_CASE("masks and forms that make no sense are refused, on all ranks where they differ") {
    Sea sea;
    REQUIRE_THAT(refused([&] { set_land(sea.domain, nullptr, WetForm::clip); }), Contains("mask of the land"));
    const auto small = std::make_shared<const Mask>(2, 1, std::vector<std::uint8_t>{1, 0});
    REQUIRE_THAT(refused([&] { set_land(sea.domain, small, WetForm::clip); }), Contains("mask"));
    REQUIRE_THAT(refused([] { static_cast<void>(wet_form_from("holes")); }),
                 Contains("form of wet messages: got holes; expected one of off, clip, patches, lists, auto"));
    for (const std::string& name : wet_form_names()) REQUIRE(to_string(wet_form_from(name)) == name);
    if (world_size() == 1) return;
    set_land(sea.domain, sea.mask, world_rank() == 0 ? WetForm::clip : WetForm::lists);
    const std::string said = refused([&] { const Step step(sea.domain, sea.stages()); });
    require_same(MPI_COMM_WORLD, "errors of the ranks", said);
    REQUIRE_THAT(said, Contains("options of the exchange"));
}
