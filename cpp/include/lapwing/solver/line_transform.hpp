#pragma once
// Transforms along grid lines that turn a second difference into a product.
//
// The second difference d of values v with spacing s is (v[i-1] - 2 v[i] + v[i+1]) / s^2. The values beyond the ends of
// a line decide which waves diagonalise it: all of them are eigenvectors of the difference itself, not of a derivative,
// so that solutions are exact to rounding.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/grid/box.hpp"

namespace lapwing {

// The values beyond the ends of a line: the line again; zero one spacing away; the end itself (no gradient half a
// spacing away).
enum class Ends { periodic, dirichlet, neumann };

// The names of the ends, as settings and other languages have them.
inline constexpr Names<Ends, 3> ends_names{
    {{Ends::periodic, "periodic"}, {Ends::dirichlet, "dirichlet"}, {Ends::neumann, "neumann"}}};
// Returns the names of the ends, where `Names` looks for them. Local.
constexpr const auto& names_of(Ends) { return ends_names; }

// The transform of lines of `points` values, and back. The bits of a line do not depend on the lines that are
// transformed with it. Not for several threads at once.
class LineTransform {
  public:
    // Local; throws UserError for less than one point.
    LineTransform(Index points, Ends ends);
    LineTransform(LineTransform&&) noexcept;
    LineTransform& operator=(LineTransform&&) noexcept;
    ~LineTransform();

    [[nodiscard]] Index points() const { return points_; }
    [[nodiscard]] Ends ends() const { return ends_; }

    // Eigenvalues of minus the second difference, one per coefficient, in 1/spacing^2. With n points 4/s^2 sin^2(a),
    // where a is pi m / n for the waves m = 0, 1, 1, 2, 2, ... of a periodic line, pi m / (2 n) for m = 0 ... n-1 with
    // neumann ends, and pi m / (2 (n+1)) for m = 1 ... n with dirichlet ends (Strang, The discrete cosine transform,
    // SIAM Review 1999). Local.
    [[nodiscard]] std::vector<double> eigenvalues(double spacing) const;

    // Replaces values by coefficients: `count` lines, one after the other. For a periodic line, coefficients are the
    // real part of wave 0, then real and imaginary part of each wave. Local; no allocation.
    void forward(double* lines, Index count);
    // Replaces coefficients by values. Local; no allocation.
    void backward(double* lines, Index count);

  private:
    class Waves;
    template <class Work>
    void in_groups(double* lines, Index count, const Work& work);

    Index points_;
    Ends ends_;
    std::unique_ptr<Waves> waves_;
};

// Returns why the transform of a line takes long, for a warning; empty if it does not: the length of the Fourier
// transform behind it, a point more with dirichlet ends, has a prime factor beyond 13. Local.
std::string slow_length(Index points, Ends ends);

}  // namespace lapwing
