// A heated point on a plate, relaxed until the largest change on all ranks is small.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t relax
// mpiexec -n 2 ../build/relax
// prints: heat at (25, 20): 0.196297353913
#include <lapwing/lapwing.hpp>

#include <cmath>
#include <cstdio>

using namespace lapwing;

double relaxed(const View<const double>& from, const View<const double>& source, Index i, Index j) {
    return 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) + source(i, j));
}

void there(Box box, View<double> to, View<const double> from, View<const double> source) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = relaxed(from, source, i, j);
}

void back(Box box, View<double> to, View<const double> from, View<const double> source, double& change) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            to(i, j) = relaxed(from, source, i, j);
            raise_to(change, std::abs(to(i, j) - from(i, j)));
        }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        Domain domain(MPI_COMM_WORLD, {50, 40});  // beyond the grid all is 0
        Field<double> a(domain, "a"), b(domain, "b"), source(domain, "source");
        const Reduced change = maximum();
        Step step(domain,
                  repeated({stage("there", there, writes(b), reads(a, cross(1)), reads(source)),
                            stage("back", back, writes(a), reads(b, cross(1)), reads(source), reduces(change))},
                           while_above(1e-7)),
                  {.strategy = "dataflow"});
        source.fill([](Index i, Index j) { return i == 20 && j == 15 ? 1.0 : 0.0; });
        step.run(1);
        const auto heat = a.gather();
        if (domain.rank() == 0) std::printf("heat at (25, 20): %.12f\n", heat[25 + 20 * 50]);
    });
}
