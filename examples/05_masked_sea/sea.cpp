// A tracer spreads in a round sea with an island: boxes hold about as much water each.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t sea
// mpiexec -n 2 ../build/sea
// prints: tracer 485.000000000, at the island 0.088442954671
#include <lapwing/lapwing.hpp>
#include <lapwing/mpi/shared_search.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace lapwing;

constexpr Index nx = 60, ny = 40;

bool wet(Index i, Index j) {
    const auto square = [](Index n) { return n * n; };
    return square(i - 30) + square(j - 20) < 324 && square(i - 36) + square(j - 22) >= 16;
}

// Nothing flows from or to land, which is 0 as all is beyond the grid.
void spread(Box box, View<double> to, View<const double> from, View<const double> water) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const auto flow = [&](Index a, Index b) { return water(a, b) * (from(a, b) - from(i, j)); };
            const double flows = flow(i - 1, j) + flow(i + 1, j) + flow(i, j - 1) + flow(i, j + 1);
            to(i, j) = from(i, j) + 0.125 * water(i, j) * flows;
        }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        std::vector<std::uint8_t> mask;
        for (Index j = 0; j < ny; ++j)
            for (Index i = 0; i < nx; ++i) mask.push_back(static_cast<std::uint8_t>(wet(i, j)));
        const Grid grid{{nx, ny, 1}, {}};
        Domain domain(find_partition(MPI_COMM_WORLD, grid, Mask(nx, ny, mask)).partition, MPI_COMM_WORLD);

        Field<double> a(domain, "a"), b(domain, "b"), water(domain, "water");
        Step step(domain,
                  {stage("there", spread, writes(b), reads(a, cross(1)), reads(water, cross(1))),
                   stage("back", spread, writes(a), reads(b, cross(1)), reads(water, cross(1)))},
                  {.strategy = "dataflow"});
        water.fill([](Index i, Index j) { return wet(i, j) ? 1.0 : 0.0; });
        a.fill([](Index i, Index j) { return wet(i, j) && i < 30 ? 1.0 : 0.0; });
        step.run(6);

        const std::vector<double> all = a.gather();
        const double total = std::accumulate(all.begin(), all.end(), 0.0);
        if (domain.rank() == 0) std::printf("tracer %.9f, at the island %.12f\n", total, all[32 + 20 * nx]);
    });
}
