#include "lapwing_weather/smoothing/relaxation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "lapwing_weather/dynamics/columns.hpp"

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

namespace {

using Row = std::array<double, chunk_columns>;

// One field in row j, from column i on.
void relax_row(const Relaxed& one, const std::array<double, 2>& shares, Index i, Index j, Index n, const Row& weight) {
    for (Index k = 0; k < one.levels; ++k) {
        double* __restrict value = one.field.row(j, k) + i;
        const double *one_record = one.given[0].row(j, k) + i, *other = one.given[1].row(j, k) + i;
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            const double given = shares[0] * one_record[m] + shares[1] * other[m];
            const double drawn = value[m] + weight[m] * (given - value[m]);
            value[m] = weight[m] < 1.0 ? drawn : given;
        }
    }
}

}  // namespace

void relax(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const RelaxationContext*>(context);
    Row weight;
    for (const Relaxed& one : at.fields) {
        const Index points_x = at.cells_x - (one.axis == 0 ? 1 : 0), points_y = at.cells_y - (one.axis == 1 ? 1 : 0);
        const Index end_x = std::min(box.hi[0], points_x), end_y = std::min(box.hi[1], points_y);
        for (Index j = box.lo[1]; j < end_y; ++j) {
            const Index from_y = std::min(j, points_y - 1 - j);
            for (Index i = box.lo[0]; i < end_x; i += chunk_columns) {
                const Index n = std::min(chunk_columns, end_x - i);
                for (Index m = 0; m < n; ++m) {
                    const Index from_x = std::min(i + m, points_x - 1 - i - m);
                    weight[m] = at.weights[std::min({from_x, from_y, at.width})];
                }
                relax_row(one, *at.shares, i, j, n, weight);
            }
        }
    }
}

}  // namespace lapwing_weather
