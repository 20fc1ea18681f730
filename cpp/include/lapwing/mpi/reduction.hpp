#pragma once
// Reductions whose result is the same bits on any number of ranks.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// True if `mine` is true on any rank. Collective, one reduction.
bool any(const Domain& domain, bool mine);

// Return the least and the largest of all ranks' values: of an integer, or of each element in a container that is
// equally long on all ranks. Collective, one reduction.
template <class Values>
[[nodiscard]] Values minimum(const Domain& domain, const Values& mine) {
    return reduced(domain.comm(), mine, MPI_MIN, "a minimum over ranks");
}
template <class Values>
[[nodiscard]] Values maximum(const Domain& domain, const Values& mine) {
    return reduced(domain.comm(), mine, MPI_MAX, "a maximum over ranks");
}

// The rule for numbers that are not integers.
enum class Total { minimum, maximum, sum };

// The least, the largest or the sum of all ranks' numbers; NaN if one is NaN, which MPI's own reductions may miss.
// The sum is exact, and rounded once. Collective, one reduction.
[[nodiscard]] double total(const Domain& domain, Total kind, double mine);
// The same for the values in all owned cells of a field, each level and component; infinite if there are none.
// Throws UserError on all ranks for a field without memory. Collective, two reductions; a sum costs some nanoseconds
// per value.
[[nodiscard]] double total(const Domain& domain, Total kind, const AnyField& field);

// The least and the largest of all ranks' numbers, as `total` has them. Collective, one reduction.
[[nodiscard]] inline double minimum(const Domain& domain, double mine) { return total(domain, Total::minimum, mine); }
[[nodiscard]] inline double maximum(const Domain& domain, double mine) { return total(domain, Total::maximum, mine); }
// The same for numbers of type float, which are exact as doubles.
[[nodiscard]] inline float minimum(const Domain& domain, float mine) {
    return static_cast<float>(total(domain, Total::minimum, static_cast<double>(mine)));
}
[[nodiscard]] inline float maximum(const Domain& domain, float mine) {
    return static_cast<float>(total(domain, Total::maximum, static_cast<double>(mine)));
}

// The value of rank `rank` on all ranks. Collective, one broadcast.
double value_of(const Domain& domain, int rank, double mine);

}  // namespace lapwing
