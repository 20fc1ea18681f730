#include "lapwing_weather/smoothing/relaxation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dynamics/chunks.hpp"

namespace lapwing_weather {

using lapwing::Index;

double relaxation_weight(Index distance, Index width) {
    if (distance <= 0) return 1.0;
    if (distance >= width) return 0.0;
    return 0.5 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(distance) / static_cast<double>(width)));
}

std::vector<double> relaxation_weights(Index width) {
    std::vector<double> weights;
    for (Index distance = 0; distance <= width; ++distance) weights.push_back(relaxation_weight(distance, width));
    return weights;
}

std::vector<lapwing::Box> frame(const lapwing::Index3& size, Index width) {
    if (width == 0) return {};
    const Index nx = size[0], ny = size[1];
    const Index far_x = std::max(width, nx - width - 1), far_y = std::max(width, ny - width - 1);
    return {{{0, 0, 0}, {nx, width, 1}},
            {{0, far_y, 0}, {nx, ny, 1}},
            {{0, width, 0}, {width, far_y, 1}},
            {{far_x, width, 0}, {nx, far_y, 1}}};
}

namespace {

using Records = std::array<lapwing::View<const double>, 2>;  // of one field

// Relaxes one field in row j, from column i on.
void relax_row(const lapwing::View<double>& field, const Records& records, const std::array<double, 2>& shares, Index i,
               Index j, Index n, Index levels, const Row& weight) {
    for (Index k = 0; k < levels; ++k) {
        double* __restrict value = field.row(j, k) + i;
        const double *one_record = records[0].row(j, k) + i, *other = records[1].row(j, k) + i;
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            const double given = shares[0] * one_record[m] + shares[1] * other[m];
            const double drawn = value[m] + weight[m] * (given - value[m]);
            value[m] = weight[m] < 1.0 ? drawn : given;
        }
    }
}

void relax(const Relaxation& at, const lapwing::Box& box, const Points& points, const lapwing::View<double>& field,
           const Records& records) {
    Row weight;
    const Index points_x = at.cells[0] - (points.axis == 0 ? 1 : 0);
    const Index points_y = at.cells[1] - (points.axis == 1 ? 1 : 0);
    const lapwing::Box inside{box.lo, {std::min(box.hi[0], points_x), std::min(box.hi[1], points_y), box.hi[2]}};
    for_chunks(inside, [&](Index i, Index j, Index n) {
        const Index from_y = std::min(j, points_y - 1 - j);
        for (Index m = 0; m < n; ++m) {
            const Index from_x = std::min(i + m, points_x - 1 - i - m);
            weight[m] = at.weights[std::min({from_x, from_y, at.width})];
        }
        relax_row(field, records, *at.shares, i, j, n, points.levels(), weight);
    });
}

}  // namespace

void Relaxation::operator()(lapwing::Box box, const Views& fields, const ConstViews& given) const {
    const std::size_t other_record = given.size() - fields.size();
    for (std::size_t f = 0; f < fields.size(); ++f)
        relax(*this, box, points[f], fields[f], {given[f], given[other_record + f]});
}

}  // namespace lapwing_weather
