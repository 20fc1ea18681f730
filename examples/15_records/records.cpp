// Heat that spreads from a warm corner: records and a restart that all ranks write, and from which others go on.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t records
// mpiexec -n 2 ../build/records
// prints: heat at (25, 20) after 100 steps: 0.282009112139
//
// The first run leaves a restart of step 50. Run it again, on any number of ranks: it goes on there with the same bits.
#include <lapwing/lapwing.hpp>

#include <cstdio>
#include <filesystem>

using namespace lapwing;

static void spread(Box box, View<const double> t, View<double> next) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            next(i, j) = t(i, j) + 0.2 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1) - 4 * t(i, j));
}
static void take(Box box, View<const double> next, View<double> t) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) t(i, j) = next(i, j);
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [] {
        Domain domain(MPI_COMM_WORLD, {50, 40});
        Field<double> heat(domain, "heat"), next(domain, "next");
        Step step(domain, {stage("spread", spread, reads(heat, cross(1)), writes(next)),
                           stage("take", take, reads(next), writes(heat))});
        heat.fill([](Index i, Index j) { return i < 26 && j < 21 ? 1.0 : 0.0; });

        Index first = 0;
        const bool there = std::filesystem::exists("heat_restart.zarr/zarr.json");
        Restart restart(domain, "heat_restart.zarr", {heat});
        if (there) first = restart.read();
        Records records(domain, "heat.zarr", {{heat, "K", "excess temperature"}}, {.keep_until = 60.0 * first});
        for (Index done = first; done < 100;) {
            step.run(10);
            done += 10;
            records.write(60.0 * done, done);
            if (done == 50) restart.write(done);
        }
        records.close();

        const std::vector<double> whole = heat.gather();
        if (domain.rank() == 0) std::printf("heat at (25, 20) after 100 steps: %.12f\n", whole[20 * 50 + 25]);
        domain.close();
    });
}
