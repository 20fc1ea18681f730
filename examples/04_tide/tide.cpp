// A tide that enters a rectangular sea from the west: the linear shallow-water equations on a C-grid, forward-backward,
//   du/dt = f v - g dh/dx,   dv/dt = -f u - g dh/dy,   dh/dt = -D (du/dx + dv/dy).
// u lives on the east face of a cell, v on its north face.
//
// cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t tide
// mpiexec -n 2 ../build/tide
// prints: south-east corner -1.889753741572 m
#include <lapwing/lapwing.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace lapwing;

constexpr Index nx = 120, ny = 160;
constexpr double spacing = 5000.0, depth = 60.0, gravity = 9.81, coriolis = 1.2e-4;  // m, m, m/s2, 1/s
constexpr double dt = 60.0, period = 44714.0, height = 1.0;                          // s, s, m: the tide M2

void momentum_x(Box box, View<double> u, View<const double> v, View<const double> h) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* here = u.row(j);
        const double *level = h.row(j), *north = v.row(j), *south = v.row(j - 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double across = 0.25 * (north[i] + north[i + 1] + south[i] + south[i + 1]);
            here[i] += dt * (coriolis * across - gravity * (level[i + 1] - level[i]) / spacing);
        }
    }
}

void momentum_y(Box box, View<double> v, View<const double> u, View<const double> h) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* here = v.row(j);
        const double *level = h.row(j), *ahead = h.row(j + 1), *along = u.row(j), *above = u.row(j + 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double across = 0.25 * (along[i] + along[i - 1] + above[i] + above[i - 1]);
            here[i] -= dt * (coriolis * across + gravity * (ahead[i] - level[i]) / spacing);
        }
    }
}

void continuity(Box box, View<double> h, View<const double> u, View<const double> v) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* level = h.row(j);
        const double *along = u.row(j), *north = v.row(j), *south = v.row(j - 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            level[i] -= dt * depth * (along[i] - along[i - 1] + north[i] - south[i]) / spacing;
    }
}

int main(int argc, char** argv) {
    return run_main(argc, argv, [&] {
        Domain domain(MPI_COMM_WORLD, {nx, ny});
        Field<double> u(domain, "u", Location::xface), v(domain, "v", Location::yface), h(domain, "h");
        double time = 0.0;  // s
        const auto tide = [&](Box box, View<double> level) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                level(0, j) = height * std::sin(2.0 * std::numbers::pi * time / period);
        };
        // no flow through the east and the north wall; beyond the grid all is 0, so none through the south either
        const Box west{{0, 0, 0}, {1, ny, 1}}, in_x{{0, 0, 0}, {nx - 1, ny, 1}}, in_y{{0, 0, 0}, {nx, ny - 1, 1}};
        Step step(
            domain,
            {stage("momentum_x", momentum_x, updates(u), reads(v, ahead(x), behind(y)), reads(h, ahead(x))).on(in_x),
             stage("momentum_y", momentum_y, updates(v), reads(u, behind(x), ahead(y)), reads(h, ahead(y))).on(in_y),
             stage("continuity", continuity, updates(h), reads(u, behind(x)), reads(v, behind(y))),
             stage("tide", tide, writes(h)).on(west)},
            {.strategy = argc > 1 ? argv[1] : "dataflow"});
        for (; time < 2.0 * period; time += dt) step.run(1);
        const auto levels = h.gather();
        if (domain.rank() == 0) std::printf("south-east corner %.12f m\n", levels[nx - 1]);
    });
}
