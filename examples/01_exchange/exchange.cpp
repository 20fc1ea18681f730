// A random walk in your own arrays and loops: lapwing only fills the halos.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t exchange
// mpiexec -n 2 ../build/exchange
// prints: home after 10 steps: 0.060562133789
#include <lapwing/lapwing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

using namespace lapwing;

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        Domain domain(MPI_COMM_WORLD, {32, 24}, {true, true, false});  // or the communicator of your model
        const int number = domain.partition().subdomains_of(domain.rank()).at(0);
        const Box mine = domain.partition().subdomain(number).box;  // in indices of the whole grid
        const Index nx = mine.hi[0] - mine.lo[0], ny = mine.hi[1] - mine.lo[1], pitch = nx + 2;
        std::vector<double> here(pitch * (ny + 2)), next(here.size());  // with one cell of halo on each side

        const Box held{{mine.lo[0] - 1, mine.lo[1] - 1, 0}, {mine.hi[0] + 1, mine.hi[1] + 1, 1}};
        const Index bytes = sizeof(double);
        Block block{number, mine, held, reinterpret_cast<std::byte*>(here.data()), {bytes, bytes * pitch, 0, 0}};
        FieldSpec spec{.name = "here"};
        spec.extents = {around(1)};
        const AnyField field(domain.partition(), domain.rank(), spec, {block}, nullptr);
        const std::vector<const AnyField*> fields{&field};
        Exchange halos(domain, fields);  // made once: one message per neighbour

        if (mine.contains(Index3{5, 7, 0})) here[(5 - held.lo[0]) + (7 - held.lo[1]) * pitch] = 1.0;  // surely at home
        for (int step = 0; step < 10; ++step) {
            halos.run();
            for (Index j = 1; j <= ny; ++j)
                for (Index i = 1; i <= nx; ++i) {
                    const double* at = &here[i + j * pitch];
                    next[i + j * pitch] = 0.25 * (at[1] + at[-1] + at[pitch] + at[-pitch]);
                }
            std::copy(next.begin(), next.end(), here.begin());  // the memory that was wrapped stays where it is
        }
        const std::vector<double> whole = gathered<double>(domain, field);
        if (domain.rank() == 0) std::printf("home after 10 steps: %.12f\n", whole[5 + 7 * 32]);
    });
}
