// The results of the C++ solvers for a whole field on one rank: Fortran's must have the same bits on any number of
// ranks.
#include "lapwing/lapwing.hpp"
#include "lapwing/solver/helmholtz.hpp"
#include "lapwing/solver/implicit_diffusion.hpp"

using namespace lapwing;

extern "C" void solved_in_cpp(int nx, int ny, int levels, int order, const double* factors, double* values) {
    Domain domain(MPI_COMM_SELF, {nx, ny});
    Field<double> field(domain, "p", FieldOptions{.levels = levels});
    field.allocate();
    const auto at = [&](Index i, Index j, Index k) { return i + nx * (j + ny * k); };
    field.fill([&](Index i, Index j, Index k) { return values[at(i, j, k)]; });
    const std::span all(factors, static_cast<std::size_t>(levels));
    const std::array spacing{2.0, 1.5};
    const std::array ends{Ends::periodic, Ends::neumann};
    AnyField& memory = field.memory();
    if (order == 0) {
        Helmholtz(domain, domain.partition(), memory, all, spacing, ends).solve();
    } else {
        ImplicitDiffusion(domain, domain.partition(), {&memory}, all, spacing, order, ends).apply();
    }
    field.each([&](double value, Index i, Index j, Index k) { values[at(i, j, k)] = value; });
    domain.close();
}
