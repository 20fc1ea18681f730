#include "lapwing/solver/helmholtz.hpp"

#include <algorithm>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/base/host.hpp"
#include "lapwing/mpi/agreed_setup.hpp"
#include "solver/number.hpp"

namespace lapwing {

namespace {

// An equation is taken for singular where an eigenvalue is less than this share of the largest one.
constexpr double rounding = 1e-13;

// Throws UserError where the equation of a level has no solution, or many, or needs pivots.
void check_regular(std::span<const double> shifts, const std::vector<double>& waves,
                   const std::vector<double>& across) {
    const double least = std::ranges::min(waves) + std::ranges::min(across);
    const double largest = std::ranges::max(waves) + std::ranges::max(across);
    for (std::size_t level = 0; level < shifts.size(); ++level) {
        const double shift = shifts[level];
        if (shift >= 0 && shift + least > rounding * std::max(largest, shift)) continue;
        user_error(concat("shift of the Helmholtz equation of level ", level), number(shift),
                   "more than 0, or 0 with dirichlet ends: else there is no one solution, or elimination would need "
                   "pivots",
                   "fix the mean by a small positive shift, or choose dirichlet ends");
    }
}

// The diagonal of minus the second difference along y.
std::vector<double> own_differences(Index points, Ends ends, double spacing) {
    std::vector<double> own(static_cast<std::size_t>(points), 2.0);
    if (ends == Ends::neumann) {
        own.front() -= 1.0;
        own.back() -= 1.0;
    }
    for (double& value : own) value /= spacing * spacing;
    return own;
}

// Returns the diagonals of the systems of columns, in the order y, level, x.
std::vector<double> diagonal(const Box& box, std::span<const double> shifts, std::span<const double> waves,
                             std::span<const double> own) {
    std::vector<double> values;
    for (const double of_point : own)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) values.push_back(of_point + (shifts[k] + waves[i]));
    return values;
}

}  // namespace

Helmholtz::Helmholtz(Domain& domain, const Partition& partition, AnyField& field, std::span<const double> shift,
                     const std::array<double, 2>& spacing, const std::array<Ends, 2>& ends,
                     const LineOptions& options) {
    AnyField* const one = &field;
    const Index levels = levels_of_lines(domain, partition, {&one, 1});
    const Index nx = partition.grid().size[0], ny = partition.grid().size[1];
    std::vector<double> shifts, waves;
    const std::string asked = concat("shift ", Digest().add(shift).text(), ", spacing ", number(spacing[0]), " ",
                                     number(spacing[1]), ", ends ", name_of(ends[0]), " ", name_of(ends[1]));
    require_agreed(domain, "Helmholtz equation", asked, [&] {
        shifts = per_level("shift of the Helmholtz equation", shift, levels, "1 / (dt c)^2 of each mode");
        if (ends[1] == Ends::periodic)
            user_error("ends along y", "periodic", "dirichlet or neumann", "swap the axes of the grid");
        check_spacing(spacing);
        along_x_ = std::make_unique<LineTransform>(nx, ends[0]);
        waves = along_x_->eigenvalues(spacing[0]);
        check_regular(shifts, waves, LineTransform(ny, ends[1]).eigenvalues(spacing[1]));
    });
    warn_of_slow_lines(domain, slow_length(nx, ends[0]));
    lines_ = std::make_unique<LineSolver>(domain, partition, std::vector<AnyField*>{&field}, options);
    const std::vector<double> own = own_differences(ny, ends[1], spacing[1]);
    together(domain.comm(), [&] {
        for (const auto& group : lines_->columns())
            for (const Lines& columns : group)
                systems_.emplace(columns.box.lo, Tridiagonal(diagonal(columns.box, shifts, waves, own), columns.count,
                                                             -1.0 / (spacing[1] * spacing[1])));
    });
}

void Helmholtz::solve() {
    lines_->run([this](const Lines& rows) { forward(rows); }, [this](const Lines& columns) { across(columns); },
                [this](const Lines& rows) { backward(rows); });
}

void Helmholtz::work_on_lines() {
    for (const auto& group : lines_->rows())
        for (const Lines& rows : group) forward(rows);
    for (const auto& group : lines_->columns())
        for (const Lines& columns : group) across(columns);
    for (const auto& group : lines_->rows())
        for (const Lines& rows : group) backward(rows);
}

void Helmholtz::forward(const Lines& rows) {
    Host::note_work("transform", rows.count, rows.points);
    along_x_->forward(rows.values, rows.count);
}

void Helmholtz::across(const Lines& columns) {
    Host::note_work("elimination", columns.count, columns.points);
    systems_.at(columns.box.lo).solve(columns.values, columns.stride);
}

void Helmholtz::backward(const Lines& rows) {
    Host::note_work("transform", rows.count, rows.points);
    along_x_->backward(rows.values, rows.count);
}

}  // namespace lapwing
