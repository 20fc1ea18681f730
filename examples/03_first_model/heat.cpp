// Heat that spreads over a periodic sheet, on any number of ranks, with its messages hidden: no communication code.
#include <lapwing/lapwing.hpp>

#include <cmath>
#include <cstdio>

using namespace lapwing;

void spread(Box box, View<double> next, View<const double> heat) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *south = heat.row(j - 1), *here = heat.row(j), *north = heat.row(j + 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            next.row(j)[i] = here[i] + 0.2 * (here[i - 1] + here[i + 1] + south[i] + north[i] - 4.0 * here[i]);
    }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [] {
        Domain domain(MPI_COMM_WORLD, {240, 160}, periodic_xy);
        Field<double> a(domain, "a"), b(domain, "b");
        const auto there = stage("there", spread, writes(b), reads(a, cross(1)));
        const auto back = stage("back", spread, writes(a), reads(b, cross(1)));
        Step step(domain, {there, back}, {.strategy = "dataflow"});
        a.fill([](Index i, Index j, Index) { return std::exp(-0.01 * std::hypot(i - 120, j - 80)); });
        step.run(200);
        double heat = 0.0;
        for (const double value : a.gather()) heat += value;
        if (domain.rank() == 0) std::printf("heat %.9f\n", heat);
    });
}
