// The potential of two charges: sines along whole rows, elimination along whole columns, and transposes between.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t poisson
// mpiexec -n 2 ../build/poisson
// prints: potential at (16, 12): 0.274196147
#include <lapwing/exchange/transpose.hpp>
#include <lapwing/lapwing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

using namespace lapwing;

constexpr int nx = 47, ny = 31;

// The sine transform of a row; twice, times 2 / (nx + 1), gives the row again.
void sines(double* row) {
    std::array<double, nx> waves{};
    for (int k = 0; k < nx; ++k)
        for (int i = 0; i < nx; ++i) waves[k] += row[i] * std::sin(std::numbers::pi * (i + 1) * (k + 1) / (nx + 1));
    std::copy(waves.begin(), waves.end(), row);
}

// Solves (2 - 2 cos(pi (k + 1) / (nx + 1))) p - d2p/dy2 = r along a column of waves k: r becomes p.
void eliminate(double* column, Index k) {
    const double own = 4.0 - 2.0 * std::cos(std::numbers::pi * static_cast<double>(k + 1) / (nx + 1));
    std::array<double, ny> pivot{own};
    for (int j = 1; j < ny; ++j) {
        pivot[j] = own - 1.0 / pivot[j - 1];
        column[j] += column[j - 1] / pivot[j - 1];
    }
    column[ny - 1] /= pivot[ny - 1];
    for (int j = ny - 2; j >= 0; --j) column[j] = (column[j] + column[j + 1]) / pivot[j];
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        const int ranks = size_of(MPI_COMM_WORLD);
        const Grid grid{{nx, ny, 1}, {}};
        const Partition in_rows = block_partition(grid, {1, ranks, 1}),
                        in_columns = block_partition(grid, {ranks, 1, 1});
        Domain domain(in_rows, MPI_COMM_WORLD);
        Field<double> p(domain, "p");
        p.allocate();
        FieldSpec spec{.name = "waves"};
        spec.order = {1, 0, 2, 3};  // columns are contiguous here
        AnyField waves(in_columns, domain.rank(), spec);
        const std::vector<const AnyField*> rows{&p.memory()}, columns{&waves};
        Transpose there(domain, in_rows, in_columns, rows, columns), back(domain, in_columns, in_rows, columns, rows);

        p.fill([](Index i, Index j) { return i == 15 && j == 10 ? 1.0 : i == 31 && j == 20 ? -1.0 : 0.0; });
        const Box mine = p.memory().blocks().at(0).owned, wave_box = waves.blocks().at(0).owned;
        const View<double> values = p.memory().view<double>(), wave_values = waves.view<double>();
        for (Index j = mine.lo[1]; j < mine.hi[1]; ++j) sines(values.row(j));
        there.run();
        for (Index k = wave_box.lo[0]; k < wave_box.hi[0]; ++k) eliminate(&wave_values(k, 0), k);
        back.run();
        for (Index j = mine.lo[1]; j < mine.hi[1]; ++j) {
            sines(values.row(j));
            for (Index i = 0; i < nx; ++i) values(i, j) *= 2.0 / (nx + 1);
        }
        const std::vector<double> potential = p.gather();
        if (domain.rank() == 0) std::printf("potential at (16, 12): %.9f\n", potential[16 + 12 * nx]);
        domain.close();
    });
}
