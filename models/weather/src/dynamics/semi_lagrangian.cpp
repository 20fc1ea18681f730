#include "lapwing_weather/dynamics/semi_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lapwing_weather/dynamics/columns.hpp"

namespace lapwing_weather {

using lapwing::Index;
using lapwing::View;

namespace {

using Row = std::array<double, chunk_columns>;

constexpr int iterations = 2;

// Between the bounds, and the lower one for what is no number: an index is made of it.
[[gnu::always_inline]] inline double within(double value, double least, double most) {
    return value > least ? (value < most ? value : most) : least;
}

// Values of one layer around a row, by cells away from its column i.
struct Around {
    const double* here;
    Index next_row;

    Around(const View<double>& field, Index i, Index j, Index k)
        : here(field.row(j, k) + i), next_row(field.row(j + 1, k) - field.row(j, k)) {}
};

// Where paths may begin along an axis: between the ends of one that is closed, cells from a position on it.
struct Room {
    double first = -std::numeric_limits<double>::max(), last = std::numeric_limits<double>::max();
};

Room room_of(const PathContext& at, std::size_t axis, Index position) {
    Room room;
    if (!at.walls.closed[axis]) return room;
    room.first = static_cast<double>(-position);
    room.last = static_cast<double>(at.walls.cells[axis] - 1 - position);
    return room;
}

// One cell of bilinear interpolation along an axis: the lower point and the share of the upper one.
struct Halfway {
    double lower, share;
};

[[gnu::always_inline]] inline Halfway halfway(double position, double first, double last) {
    const double inside = within(position, first, last);
    const double floor = std::floor(inside);
    const double lower = floor > last - 1.0 ? last - 1.0 : floor;
    return {lower, inside - lower};
}

// Displacements to where the paths began, in cells, from the winds at their middle.
void find_paths(const PathContext& at, const Moved& moved, Index i, Index j, Index n, Index level, Row& dx, Row& dy) {
    const Around along_x(at.displacements.along[0], i, j, level), along_y(at.displacements.along[1], i, j, level);
    const Room room_x = room_of(at, 0, i), room_y = room_of(at, 1, j);
    const double ahead_x = moved.axis == 0 ? 0.5 : 0.0, ahead_y = moved.axis == 1 ? 0.5 : 0.0;
    const Index row_x = along_x.next_row, row_y = along_y.next_row;
    const double *const x = along_x.here, *const y = along_y.here;
    std::fill_n(dx.begin(), n, 0.0);
    std::fill_n(dy.begin(), n, 0.0);
    for (int iteration = 0; iteration <= iterations; ++iteration) {
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            const auto column = static_cast<double>(m);
            const Halfway a = halfway(ahead_x + 0.5 * dx[m], room_x.first - column, room_x.last - column);
            const Halfway b = halfway(ahead_y + 0.5 * dy[m], room_y.first, room_y.last);
            const Index i0 = m + static_cast<Index>(a.lower), j0 = static_cast<Index>(b.lower);
            const auto mean = [&](const double* values, Index row) {
                const double* south = values + j0 * row + i0;
                const double* north = south + row;
                const double low = south[0] + a.share * (south[1] - south[0]);
                const double high = north[0] + a.share * (north[1] - north[0]);
                return low + b.share * (high - low);
            };
            dx[m] = within(-mean(x, row_x), -longest_path, longest_path);
            dy[m] = within(-mean(y, row_y), -longest_path, longest_path);
        }
    }
}

// Four points along an axis: the first of them, and the weights of Lagrange's cubic through all.
struct Cubic {
    double first;
    std::array<double, 4> weights;
};

[[gnu::always_inline]] inline Cubic cubic(double displacement, double first, double last) {
    const double inside = within(displacement, first, last);
    const double begin = within(std::floor(inside) - 1.0, first, last - 3.0);
    const double s = inside - begin, s1 = s - 1.0, s2 = s - 2.0, s3 = s - 3.0;
    return {begin, {s1 * s2 * s3 * (-1.0 / 6.0), s * s2 * s3 * 0.5, s * s1 * s3 * -0.5, s * s1 * s2 * (1.0 / 6.0)}};
}

void fetch(const PathContext& at, const Moved& moved, Index i, Index j, Index n, Index k, const Row& dx,
           const Row& dy) {
    const Around carried(moved.carried, i, j, k);
    const Room room_x = room_of(at, 0, i), room_y = room_of(at, 1, j);
    const Index row = carried.next_row;
    const double* const here = carried.here;
    double* __restrict stepped = moved.stepped.row(j, k) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const auto column = static_cast<double>(m);
        const Cubic x = cubic(dx[m], room_x.first - column, room_x.last - column);
        const Cubic y = cubic(dy[m], room_y.first, room_y.last);
        const double* corner = here + static_cast<Index>(y.first) * row + m + static_cast<Index>(x.first);
        const auto line = [&](const double* p) {
            return (x.weights[0] * p[0] + x.weights[1] * p[1]) + (x.weights[2] * p[2] + x.weights[3] * p[3]);
        };
        const double lower = y.weights[0] * line(corner) + y.weights[1] * line(corner + row);
        const double upper = y.weights[2] * line(corner + 2 * row) + y.weights[3] * line(corner + 3 * row);
        stepped[m] += lower + upper;
    }
}

void displace_row(const DisplacementContext& at, Index i, Index j, Index n, Index k, double share, double& longest) {
    const Index mean_level = at.shares.size();
    const double *u = at.wind_x.row(j, k) + i, *v = at.wind_y.row(j, k) + i, *v_behind = at.wind_y.row(j - 1, k) + i;
    double* __restrict x = at.displacements.along[0].row(j, k) + i;
    double* __restrict y = at.displacements.along[1].row(j, k) + i;
    double* __restrict mean_x = at.displacements.along[0].row(j, mean_level) + i;
    double* __restrict mean_y = at.displacements.along[1].row(j, mean_level) + i;
    const double to_x = 0.5 * *at.time_step * at.over_x, to_y = 0.5 * *at.time_step * at.over_y;
    double most = longest;
#pragma omp simd reduction(max : most)
    for (Index m = 0; m < n; ++m) {
        x[m] = to_x * (u[m - 1] + u[m]);
        y[m] = to_y * (v_behind[m] + v[m]);
        mean_x[m] += share * x[m];
        mean_y[m] += share * y[m];
        most = std::max(most, std::max(std::abs(x[m]), std::abs(y[m])));
    }
    longest = most;
}

}  // namespace

void find_displacements(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const DisplacementContext*>(context);
    const Index levels = at.shares.size();
    double longest = 0.0;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns) {
            const Index n = std::min(chunk_columns, box.hi[0] - i);
            for (const View<double>& along : at.displacements.along) std::fill_n(along.row(j, levels) + i, n, 0.0);
            for (Index k = 0; k < levels; ++k) displace_row(at, i, j, n, k, at.shares[k], longest);
        }
    const double cells = std::floor(within(longest, 0.0, longest_path)) + 2.0;
    *at.widest = std::max({*at.widest, cells, static_cast<double>(least_path_halo)});
}

void move(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const PathContext*>(context);
    Row dx, dy;
    for (const Moved& moved : at.moved) {
        const lapwing::Box inside = at.walls.inside(box, moved.axis);
        for (Index j = inside.lo[1]; j < inside.hi[1]; ++j)
            for (Index i = inside.lo[0]; i < inside.hi[0]; i += chunk_columns) {
                const Index n = std::min(chunk_columns, inside.hi[0] - i);
                for (Index k = 0; k < moved.levels; ++k) {
                    find_paths(at, moved, i, j, n, moved.path + k, dx, dy);
                    fetch(at, moved, i, j, n, k, dx, dy);
                }
            }
    }
}

}  // namespace lapwing_weather
