// Upwind advection of a blob on a periodic sheet by a wind that shears.
#include <lapwing/lapwing.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace lapwing;

void advect(Box box, View<double> next, View<const double> c, View<const double> wind) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double w = wind(i, j);
            const double along = w > 0 ? c(i, j) - c(i - 1, j) : c(i + 1, j) - c(i, j);
            next(i, j) = c(i, j) - 0.4 * w * along - 0.2 * (c(i, j) - c(i, j - 1));
        }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [] {
        Domain domain(MPI_COMM_WORLD, {200, 120}, periodic_xy);
        Field<double> a(domain, "a"), b(domain, "b"), wind(domain, "wind");
        Step step(domain,
                  {stage("there", advect, writes(b), reads(a, behind(x), ahead(x), behind(y)), reads(wind)),
                   stage("back", advect, writes(a), reads(b, behind(x), ahead(x), behind(y)), reads(wind))},
                  {.strategy = "dataflow"});
        wind.fill([](Index, Index j, Index) { return std::cos(2 * M_PI * j / 120.0); });
        a.fill([](Index i, Index j, Index) { return std::exp(-0.01 * ((i - 60) * (i - 60) + (j - 40) * (j - 40))); });
        step.run(150);
        const auto all = a.gather();
        double sum = 0, peak = 0;
        for (double value : all) sum += value, peak = std::max(peak, value);
        if (domain.rank() == 0) std::printf("sum %.12f peak %.12f\n", sum, peak);
    });
}
