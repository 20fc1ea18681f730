#include "lapwing/solver/implicit_diffusion.hpp"

#include <algorithm>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/base/host.hpp"
#include "lapwing/mpi/agreed_setup.hpp"
#include "solver/number.hpp"

namespace lapwing {

namespace {

int half_of(int order) {
    if (order < 2 || order > 100 || order % 2 != 0)
        user_error("order of the diffusion", order, "an even number from 2 to 100", "choose 2, 4 or 6");
    return order / 2;
}

std::vector<double> strengths_of(std::span<const double> given, Index levels) {
    const char* name = "strength of the diffusion";
    std::vector<double> strengths = per_level(name, given, levels, "coefficient times time step");
    const double least = std::ranges::min(strengths);
    if (least < 0) user_error(name, number(least), "0 or more", "change its sign");
    return strengths;
}

double power(double base, int exponent) {
    double product = base;
    for (int n = 1; n < exponent; ++n) product *= base;
    return product;
}

// Returns the factor by which each wave of the columns is damped: level, x, y.
std::vector<double> damping_of(const Box& box, std::span<const double> strengths, int half, std::span<const double> kx2,
                               std::span<const double> ky2) {
    std::vector<double> damping;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                damping.push_back(1.0 / (1.0 + strengths[k] * power(kx2[i] + ky2[j], half)));
    return damping;
}

}  // namespace

ImplicitDiffusion::ImplicitDiffusion(Domain& domain, const Partition& partition, const std::vector<AnyField*>& fields,
                                     std::span<const double> strength, const std::array<double, 2>& spacing, int order,
                                     const std::array<Ends, 2>& ends, const LineOptions& options) {
    const Index levels = levels_of_lines(domain, partition, fields);
    const Index3& size = partition.grid().size;
    std::vector<double> strengths;
    int half = 0;
    const std::string asked =
        concat("strength ", Digest().add(strength).text(), ", order ", order, ", spacing ", number(spacing[0]), " ",
               number(spacing[1]), ", ends ", name_of(ends[0]), " ", name_of(ends[1]));
    require_agreed(domain, "implicit diffusion", asked, [&] {
        half = half_of(order);
        check_spacing(spacing);
        strengths = strengths_of(strength, levels);
        along_x_ = std::make_unique<LineTransform>(size[0], ends[0]);
        along_y_ = std::make_unique<LineTransform>(size[1], ends[1]);
    });
    LineOptions how = options;
    how.contiguous_columns = true;
    lines_ = std::make_unique<LineSolver>(domain, partition, fields, how);
    const std::vector<double> kx2 = along_x_->eigenvalues(spacing[0]), ky2 = along_y_->eigenvalues(spacing[1]);
    together(domain.comm(), [&] {
        for (const auto& group : lines_->columns())
            for (const Lines& columns : group)
                if (columns.field == 0)
                    damping_.emplace(columns.box.lo, damping_of(columns.box, strengths, half, kx2, ky2));
    });
}

void ImplicitDiffusion::apply() {
    const auto forward = [this](const Lines& rows) {
        Host::note_work("transform", rows.count, rows.points);
        along_x_->forward(rows.values, rows.count);
    };
    const auto backward = [this](const Lines& rows) {
        Host::note_work("transform", rows.count, rows.points);
        along_x_->backward(rows.values, rows.count);
    };
    lines_->run(forward, [this](const Lines& columns) { across(columns); }, backward);
}

void ImplicitDiffusion::across(const Lines& columns) {
    Host::note_work("transform", columns.count, columns.points);
    along_y_->forward(columns.values, columns.count);
    Host::note_work("damping", columns.count, columns.points);
    const std::vector<double>& damping = damping_.at(columns.box.lo);
    for (std::size_t n = 0; n < damping.size(); ++n) columns.values[n] *= damping[n];
    Host::note_work("transform", columns.count, columns.points);
    along_y_->backward(columns.values, columns.count);
}

}  // namespace lapwing
