#pragma once
// Tridiagonal systems, one per line, many lines side by side.

#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// A system per line whose matrix holds `diagonal` [points, lines] and `beside` next to it. No pivots are looked for: no
// entry of the diagonal may be smaller in size than the sum of the entries next to it, as in a Helmholtz equation.
// Every line is solved by the same operations in the same order, whichever lines stand next to it, and so has the same
// bits on any rank.
class Tridiagonal {
  public:
    // Eliminates the matrices; point after point, the lines of each side by side. Local; holds as many numbers as
    // `diagonal` has. Throws UserError where it does not hold whole points.
    Tridiagonal(std::vector<double> diagonal, Index lines, double beside);

    [[nodiscard]] Index lines() const { return lines_; }
    [[nodiscard]] Index points() const { return static_cast<Index>(over_pivot_.size()) / lines_; }
    // Replaces right-hand sides by solutions: lines of a point side by side, points `stride` values apart. Local; no
    // allocation. Throws UserError for a stride below the number of lines.
    void solve(double* values, Index stride) const;

  private:
    std::vector<double> over_pivot_;
    Index lines_;
    double beside_;
};

}  // namespace lapwing
