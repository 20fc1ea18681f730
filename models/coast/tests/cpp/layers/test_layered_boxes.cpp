// Every stage of the layered coast gives the bits of the whole box however it is cut, step after step of a real case.
#include <lapwing_coast/layers/layered_coast.hpp>

#include <catch2/catch.hpp>

#include <cstring>
#include <numbers>
#include <random>

#include "one_process.hpp"

using namespace lapwing_coast;
using lapwing::AnyField;
using lapwing::Box;
using lapwing::Index;
using lapwing::Stage;

namespace {

constexpr Index nx = 71, ny = 13;  // wider than a chunk of columns, which leaves few of them
constexpr int levels = 12;

// Layers that grow from the bottom.
std::vector<double> stretched() {
    std::vector<double> shares;
    for (int k = 0; k < levels; ++k) shares.push_back((k + 1.0) / (0.5 * levels * (levels + 1)));
    return shares;
}

// As the case kelvin3d-small: tide, wind and sun over two layers of water.
struct Sea {
    lapwing::Domain domain;
    std::vector<double> depth = std::vector<double>(nx * ny, 60.0);
    std::unique_ptr<LayeredCoast> coast;

    Sea(const lapwing::testing::OneProcess& process, bool drying, bool stretches_and_mixes)
        : domain(lapwing::block_partition({{nx, ny, 1}, {}}, {1, 1, 1}), process.comm()) {
        CoastSettings barotropic;
        barotropic.time_step = 60;
        barotropic.spacing_x = barotropic.spacing_y = 1e4;
        if (drying) barotropic.least_depth = 59.5;
        LayerSettings layers;
        layers.levels = levels;
        layers.water.equation = EquationOfState::unesco;
        layers.wind_stress = {0.05 / 1025, 0};
        layers.heat_flux = 100 / (1025 * 3990.0);
        if (stretches_and_mixes) {
            layers.shares = stretched();
            layers.mixing = {.viscosity = 500, .smagorinsky = 0.2, .diffusivity = 200};
        }
        const Box north{{0, ny - 1, 0}, {nx, ny, 1}};
        const Constituent tide{2 * std::numbers::pi / 43200, std::vector<double>(nx, 0.0),
                               std::vector<double>(nx, 0.5)};
        coast =
            std::make_unique<LayeredCoast>(domain, barotropic, layers, depth, std::vector<Boundary>{{north, {tide}}},
                                           ForcingSeries{}, std::vector<lapwing::ListedExchange>{}, "blocking", "p2p");
        coast->temperature.fill([](Index, Index, Index k) { return k < levels / 2 ? 10 : 15; });
        coast->salinity.fill([](Index, Index, Index k) { return k < levels / 2 ? 35 : 33; });
    }
    ~Sea() { domain.close(); }
};

using Bytes = std::vector<std::byte>;

std::size_t size_of(const AnyField& field) {
    const lapwing::Block& block = field.blocks()[0];
    Index values = 1;
    for (int axis = 0; axis < 3; ++axis) values *= block.allocated.size(axis);
    return values * sizeof(double);
}

std::vector<Bytes> saved(const Stage& stage) {
    std::vector<Bytes> all;
    for (const AnyField* field : stage.writes) {
        const std::byte* first = field->blocks()[0].data;
        all.emplace_back(first, first + size_of(*field));
    }
    return all;
}

void restore(const Stage& stage, const std::vector<Bytes>& all) {
    for (std::size_t f = 0; f < all.size(); ++f)
        std::memcpy(stage.writes[f]->blocks()[0].data, all[f].data(), all[f].size());
}

// Boxes between random cuts along x and y.
std::vector<Box> cut(const Box& box, std::mt19937& random) {
    const auto cuts = [&](int axis) {
        std::vector<Index> places{box.lo[axis]};
        while (places.back() < box.hi[axis])
            places.push_back(std::min<Index>(places.back() + 1 + static_cast<Index>(random() % 17), box.hi[axis]));
        return places;
    };
    const auto x = cuts(0), y = cuts(1);
    std::vector<Box> boxes;
    for (std::size_t j = 0; j + 1 < y.size(); ++j)
        for (std::size_t i = 0; i + 1 < x.size(); ++i) boxes.push_back({{x[i], y[j], 0}, {x[i + 1], y[j + 1], 1}});
    return boxes;
}

// Runs the stage whole and cut; whether both leave the same bytes.
bool same_cut(const Stage& stage, std::mt19937& random) {
    const Box whole = stage.region.value_or(Box{{0, 0, 0}, {nx, ny, 1}});
    if (stage.reduction) lapwing::begin_reduction(*stage.reduction);
    const auto before = saved(stage);
    for (const Box& box : cut(whole, random)) stage.kernel(stage.contexts[0], box);
    const auto in_parts = saved(stage);
    restore(stage, before);
    stage.kernel(stage.contexts[0], whole);
    return in_parts == saved(stage);
}

}  // namespace

TEST_CASE("stages do not depend on how their box is cut") {
    const lapwing::testing::OneProcess process;
    std::mt19937 random(7);
    for (const bool drying : {false, true}) {
        Sea sea(process, drying, !drying);
        const auto& cycle = sea.coast->step().report().cycle();
        for (int step = 0; step < (drying ? 30 : 90); ++step) {
            sea.coast->mode.set_clock(step * 10);
            for (const Stage& stage : cycle[0]) {
                INFO("step " << step << ", stage " << stage.name);
                REQUIRE(same_cut(stage, random));
            }
        }
    }
}
