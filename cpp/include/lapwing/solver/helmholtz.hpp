#pragma once
// Helmholtz equations on the levels of a field: what a semi-implicit time step has to solve.

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/solver/line_solver.hpp"
#include "lapwing/solver/line_transform.hpp"
#include "lapwing/solver/tridiagonal.hpp"

namespace lapwing {

// Solves shift p - d2p/dx2 - d2p/dy2 = r on every level, in place: the field holds r, then p.
//
// The second differences are (p[i-1] - 2 p[i] + p[i+1]) / spacing^2, so the solution solves the difference equation to
// rounding. Rows are transformed along x, for each wave a tridiagonal system is solved along y, and rows are
// transformed back. Bits do not depend on ranks, method or groups.
class Helmholtz {
  public:
    // `shift`: one number or one per level, in 1/m2 where spacings are in m, not negative; in semi-implicit dynamics
    // 1 / (dt c)^2 of each vertical mode; `ends`: along x any, along y dirichlet or neumann. Collective over the domain
    // of the field, which is on `partition`. Throws UserError on all ranks for a singular equation and what a
    // LineSolver throws. Costs as much as a LineSolver; on a core some 30 operations per value besides two transforms;
    // memory three times the field.
    Helmholtz(Domain& domain, const Partition& partition, AnyField& field, std::span<const double> shift,
              const std::array<double, 2>& spacing, const std::array<Ends, 2>& ends, const LineOptions& options = {});

    // Replaces the right-hand side in the owned cells of the field by the solution. Local, but all ranks must do so;
    // the halo of the field is stale afterwards.
    void solve();
    // Does all that `solve` does but moves nothing, to measure its cost without other ranks. Local.
    void work_on_lines();

    [[nodiscard]] const LineSolver& lines() const { return *lines_; }

  private:
    void forward(const Lines& rows);
    void across(const Lines& columns);
    void backward(const Lines& rows);

    std::unique_ptr<LineTransform> along_x_;
    std::unique_ptr<LineSolver> lines_;
    std::map<Index3, Tridiagonal> systems_;  // keyed by the first cell of the columns
};

}  // namespace lapwing
