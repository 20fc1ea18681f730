// Random programs of declared stages have the bits of the whole grid in one piece under every strategy, plain, checked
// and observed. LAPWING_TEST_PROGRAMS=N runs N of them, in all ways each; LAPWING_TEST_SEED=S begins with that seed.
// Failing programs are shrunk, and printed as declarations.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>

#include "programs/program_on_ranks.hpp"
#include "programs/shrunk_program.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

const std::vector<std::string> strategies{"blocking",   "3s",
                                          "5s",         "6s",
                                          "6s:0.3",     "edge-first",
                                          "dataflow",   "dataflow:4",
                                          "dataflow:9", "edge-first:B",
                                          "deep:1",     "deep:2",
                                          "deep:3",     "deep:2+dataflow:4",
                                          "dataflow:4", "deep:2+edge-first",
                                          "tiled:2",    "deep:2+tiled:3"};
const std::vector<std::string> transports_tried{"p2p", "shared", "neighbor", "persistent"};

int number_from(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::atoi(text);
}

Way random_way(Random& random, const std::string& strategy) {
    Way way{.strategy = strategy};
    way.transport = transports_tried[random.between(0, static_cast<int>(transports_tried.size()) - 1)];
    const int watch = random.between(0, 23);  // to observe costs hundreds of messages
    if (watch < 3) way.watch = Way::Watch::checked;
    if (watch == 3) way.watch = Way::Watch::observed;
    if (random.coin()) way.land = random.coin() ? WetForm::off : WetForm::lists;
    if (world_size() > 1) way.slow_rank = random.between(-1, world_size() - 1);
    if (random.coin()) way.threads = random.between(2, 4);
    return way;
}

// Runs the program, and requires that nothing is wrong; true if its halos fit on the grid. Collective.
bool require_right(const Program& program, const Way& way) {
    if (world_rank() == 0) std::cout << "seed " << program.seed << ": " << way.text() << std::endl;
    std::string wrong = fault_of(program, way);
    if (asks_for_larger_grid(wrong)) return false;
    if (!wrong.empty()) wrong = shrunk(program, way, wrong);
    INFO(wrong);
    REQUIRE(wrong.empty());
    return true;
}

}  // namespace

// A rank that is ahead sends into halos that a slower one still reads, unless the slower one's own message waits.
TEST_CASE("messages fill no halo that a slower rank still reads") {
    const int all = number_from("LAPWING_TEST_PROGRAMS", 15), first = number_from("LAPWING_TEST_SEED", 1);
    for (int n = 0; n < all; ++n) {
        const auto seed = static_cast<unsigned>(first + n);
        const Program program = ProgramMaker(seed, world_size(), Taste::one_sided).make();
        const int slow = n % world_size();
        for (const char* strategy : {"dataflow:4", "dataflow:9"})
            require_right(program, {.strategy = strategy, .transport = transports_tried[n % 3], .slow_rank = slow});
    }
}

TEST_CASE("random stages have the bits of the whole grid under every strategy") {
    const int all = number_from("LAPWING_TEST_PROGRAMS", 0), first = number_from("LAPWING_TEST_SEED", 1);
    int runs = 0, right = 0;
    for (int n = 0; n < (all > 0 ? all : 20); ++n) {
        const auto seed = static_cast<unsigned>(first + n);
        const Program program = ProgramMaker(seed, world_size()).make();
        Random random(seed + 5000);
        for (std::size_t s = 0; s < strategies.size(); ++s) {
            if (all == 0 && (s + seed) % 5 != 0) continue;  // each strategy with every fifth program
            ++runs;
            if (require_right(program, random_way(random, strategies[s]))) ++right;
        }
    }
    REQUIRE(10 * right > 9 * runs);
}
