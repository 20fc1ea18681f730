// The potential of two charges by the Poisson solver of lapwing, which is what poisson.cpp shows in the open.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t solver
// mpiexec -n 2 ../build/solver
// prints: potential at (16, 12): 0.274196147
#include <lapwing/lapwing.hpp>
#include <lapwing/solver/helmholtz.hpp>

#include <array>
#include <cstdio>
#include <vector>

using namespace lapwing;

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        constexpr int nx = 47, ny = 31;
        // whole rows, as there are no levels that could be spread over ranks
        Domain domain(block_partition({{nx, ny, 1}, {}}, {1, size_of(MPI_COMM_WORLD), 1}), MPI_COMM_WORLD);
        Field<double> p(domain, "p");
        p.allocate();
        p.fill([](Index i, Index j) { return i == 15 && j == 10 ? 1.0 : i == 31 && j == 20 ? -1.0 : 0.0; });

        // 0 p - d2p/dx2 - d2p/dy2 = charge, and p = 0 one cell beyond the grid; p held the charge
        const std::array shift{0.0};
        const std::array spacing{1.0, 1.0};
        const std::array ends{Ends::dirichlet, Ends::dirichlet};
        Helmholtz(domain, domain.partition(), p.memory(), shift, spacing, ends).solve();

        const std::vector<double> potential = p.gather();
        if (domain.rank() == 0) std::printf("potential at (16, 12): %.9f\n", potential[16 + 12 * nx]);
        domain.close();
    });
}
