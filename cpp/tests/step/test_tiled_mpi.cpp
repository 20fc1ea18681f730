// Tiles that run through several stages and steps: the bits of blocking steps, and the numbers of each step.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/field.hpp"
#include "programs/threads.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// A wave in two stages over two lists that alternate, pushed by a force that the number of the step gives.
class Wave {
  public:
    explicit Wave(const Grid& grid, const std::string& strategy, int threads = 1)
        : domain_(MPI_COMM_WORLD, {grid.size[0], grid.size[1]}, grid.periodic),
          team_(crowd(domain_, threads)),
          level_(domain_, "level"),
          flow_(domain_, "flow"),
          step_(domain_, std::vector<Stages>{stages(1.0), stages(0.5)},
                {.strategy = strategy, .transport = "p2p", .threads = threads}) {
        level_.fill(0.0);
        flow_.fill(0.0);
    }
    ~Wave() { domain_.close(); }

    void run(int steps) {
        step_.run(steps, [&](Index n) { force_ = std::sin(0.1 * static_cast<double>(done_ + n)), ++changes_; });
        done_ += steps;
    }
    // Bits of the levels, of all cells of this rank in order.
    std::vector<double> values() {
        std::vector<double> all;
        const Block& block = level_.memory().blocks()[0];
        const auto view = level_.memory().view<const double>();
        for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
            for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i) all.push_back(view(i, j));
        return all;
    }
    [[nodiscard]] int changes() const { return changes_; }

  private:
    Stages stages(double share) {
        const auto push = [this, share](Box box, View<const double> level, View<double> flow) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    flow(i, j) += share * (level(i, j) - level(i, j + 1)) +
                                  force_ * static_cast<double>((i + 40) % 8 + (j + 64) % 2);
        };
        const auto fill = [](Box box, View<const double> flow, View<double> level) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    level(i, j) += 0.1 * (flow(i, j - 1) - flow(i, j)) + 0.01 * (flow(i - 1, j) - flow(i + 1, j));
        };
        // nothing fills a halo beyond a wall: cells next to one are not computed
        const Grid& grid = domain_.partition().grid();
        Box inside{{0, 0}, {grid.size[0], grid.size[1]}};
        for (std::size_t axis = 0; axis < 2; ++axis)
            if (!grid.periodic[axis]) ++inside.lo[axis], --inside.hi[axis];
        return {stage("push", push, reads(level_, ahead(y)), updates(flow_)).on(inside),
                stage("fill", fill, reads(flow_, behind(y), behind(x), ahead(x)), updates(level_)).on(inside)};
    }

    Domain domain_;
    std::shared_ptr<ThreadTeam> team_;
    Field<double> level_, flow_;
    double force_ = 0;
    int changes_ = 0;
    Index done_ = 0;
    Step step_;
};

void require_same_values(const std::vector<double>& found, const std::vector<double>& expected) {
    for (std::size_t n = 0; n < found.size(); ++n) {
        INFO("cell " << n % 40 << ", " << n / 40);
        REQUIRE(found[n] == expected[n]);
    }
}

}  // namespace

TEST_CASE("tiles through several steps have the bits of blocking steps, whose numbers each of them finds") {
    for (const bool periodic : {false, true}) {
        const Grid grid{{40, 64, 1}, {periodic, periodic, false}};
        Wave blocking(grid, "blocking");
        blocking.run(11);
        blocking.run(6);
        REQUIRE(blocking.changes() == 17);
        for (const char* strategy :
             {"tiled", "tiled:3", "deep:2+tiled", "deep:4+tiled:2", "deep:3+tiled:5", "deep:4+dataflow"}) {
            INFO(strategy << (periodic ? ", periodic" : ", walls") << ", ranks " << world_size());
            Wave wave(grid, strategy);
            wave.run(11);
            wave.run(6);
            require_same_values(wave.values(), blocking.values());
            // a tile enters all steps of its pass before the next tile begins
            const bool passes = std::string(strategy).starts_with("deep") && std::string(strategy).ends_with(")");
            if (passes && world_size() == 1) REQUIRE(wave.changes() > 30);
        }
    }
}

TEST_CASE("threads that share a rank's kernels have the bits of one, and each step its numbers") {
    for (const bool periodic : {false, true}) {
        const Grid grid{{40, 64, 1}, {periodic, periodic, false}};
        Wave one(grid, "blocking");
        one.run(11);
        for (const int threads : {2, 3, 4}) {
            for (const char* strategy : {"blocking", "3s", "edge-first", "dataflow", "dataflow:4", "tiled", "tiled:3",
                                         "deep:2", "deep:3+tiled", "deep:4+tiled:2", "deep:2+dataflow:4"}) {
                INFO(threads << " threads, " << strategy << (periodic ? ", periodic" : ", walls"));
                Wave wave(grid, strategy, threads);
                wave.run(11);
                require_same_values(wave.values(), one.values());
            }
        }
    }
}

TEST_CASE("tiles of no row, and of more rows than there are, are refused by all ranks") {
    const Grid grid{{40, 64, 1}, {false, false, false}};
    for (const char* strategy : {"tiled:0", "tiled(-4)", "tiled()", "deep:2+tiled:0", "tiled:65"}) {
        INFO(strategy);
        REQUIRE_THROWS_AS(Wave(grid, strategy), UserError);
    }
    REQUIRE_NOTHROW(Wave(grid, "tiled:64"));
}
