// The five-point kernel of examples/11_numba in C++: prints the microseconds that it computes per step, and the sum of
// the result. Arguments: NX NY STEPS. See numba_speed.py.
#include <lapwing/lapwing.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using namespace lapwing;

void spread(Box box, View<double> next, View<const double> heat) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *south = heat.row(j - 1), *here = heat.row(j), *north = heat.row(j + 1);
        double* out = next.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double around = here[i - 1] + here[i + 1] + south[i] + north[i];
            out[i] = here[i] + 0.2 * (around - 4.0 * here[i]);
        }
    }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        const Index nx = std::atol(argv[1]), ny = std::atol(argv[2]);
        const int steps = std::atoi(argv[3]);
        Domain domain(MPI_COMM_WORLD, {nx, ny}, periodic_xy);
        Field<double> a(domain, "a"), b(domain, "b");
        Step step(domain, {stage("there", spread, writes(b), reads(a, cross(1))),
                           stage("back", spread, writes(a), reads(b, cross(1)))});
        a.fill([](Index i, Index j) { return std::floor(static_cast<double>(i * 7 + j * 3)); });
        step.run(2);
        step.reset_times();
        step.run(steps);
        const std::vector<double> seconds = step.report().times().compute, all = a.gather();
        const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        std::printf("%.3f us, first value %.17g\n", total / (2 * steps) * 1e6, all.at(0));
    });
}
