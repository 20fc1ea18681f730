// A program whose kernel throws on the last rank alone, in the second step: the error names stage, step, box and rank,
// and ends all ranks. Run on several.
#include "lapwing/lapwing.hpp"

#include <stdexcept>

using namespace lapwing;

int main(int argc, char** argv) {
    return run_main(argc, argv, [] {
        Domain domain(MPI_COMM_WORLD, {24, 18}, periodic_xy);
        Field<double> a(domain, "a"), b(domain, "b");
        int steps = 0;
        const auto there = [&](Box, View<double>, View<const double>) {
            if (domain.rank() == domain.ranks() - 1 && steps == 2) throw std::runtime_error("no such row");
        };
        const auto back = [](Box, View<double>, View<const double>) {};
        Step step(domain, {stage("there", there, writes(b), reads(a, cross(1))),
                           stage("back", back, writes(a), reads(b, cross(1)))});
        step.run(3, [&] { ++steps; });
    });
}
