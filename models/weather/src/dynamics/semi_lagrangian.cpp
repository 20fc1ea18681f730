#include "lapwing_weather/dynamics/semi_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/chunks.hpp"

namespace lapwing_weather {

using lapwing::Index;
using lapwing::View;

namespace {

constexpr int iterations = 2;

// Clamps a value to the bounds, and NaN to the lower bound: it becomes an index.
[[gnu::always_inline]] inline double within(double value, double least, double most) {
    return value > least ? (value < most ? value : most) : least;
}

// Values of one layer around a row, by cells away from its column i.
struct Around {
    const double* here;
    Index next_row;

    Around(const View<const double>& field, Index i, Index j, Index k)
        : here(field.row(j, k) + i), next_row(field.row(j + 1, k) - field.row(j, k)) {}
};

// The range of departure points along an axis: between the ends of one that is closed, cells from a position on it.
struct Room {
    double first = -std::numeric_limits<double>::max(), last = std::numeric_limits<double>::max();
};

Room room_of(const Walls& walls, std::size_t axis, Index position) {
    Room room;
    if (!walls.closed[axis]) return room;
    room.first = static_cast<double>(-position);
    room.last = static_cast<double>(walls.cells[axis] - 1 - position);
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

// The mean of the four values around a point, the first of which is that to the south-west.
[[gnu::always_inline]] inline double bilinear(const double* south, Index row, double share_x, double share_y) {
    const double* north = south + row;
    const double low = south[0] + share_x * (south[1] - south[0]);
    const double high = north[0] + share_x * (north[1] - north[0]);
    return low + share_y * (high - low);
}

// From points of the grid to their departure points, in cells, with the displacements at the middle of the
// trajectories.
void find_departures(const Walls& walls, int axis, const ConstViews& displacements, Index i, Index j, Index n,
                     Index level, Row& dx, Row& dy) {
    const Around along_x(displacements[0], i, j, level), along_y(displacements[1], i, j, level);
    const Room room_x = room_of(walls, 0, i), room_y = room_of(walls, 1, j);
    const double ahead_x = axis == 0 ? 0.5 : 0.0, ahead_y = axis == 1 ? 0.5 : 0.0;
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
            const double middle_x = bilinear(x + j0 * row_x + i0, row_x, a.share, b.share);
            const double middle_y = bilinear(y + j0 * row_y + i0, row_y, a.share, b.share);
            dx[m] = within(-middle_x, -farthest_departure, farthest_departure);
            dy[m] = within(-middle_y, -farthest_departure, farthest_departure);
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

void interpolate(const Walls& walls, const View<const double>& advected, const View<double>& into, Index i, Index j,
                 Index n, Index k, const Row& dx, const Row& dy) {
    const Around around(advected, i, j, k);
    const Room room_x = room_of(walls, 0, i), room_y = room_of(walls, 1, j);
    const Index row = around.next_row;
    const double* const here = around.here;
    double* __restrict stepped = into.row(j, k) + i;
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

void displace_row(const Displacements& at, const Views& displacements, const View<const double>& wind_x,
                  const View<const double>& wind_y, Index i, Index j, Index n, Index k, double& longest) {
    const Index mean_level = at.shares.size();
    const double *u = wind_x.row(j, k) + i, *v = wind_y.row(j, k) + i, *v_behind = wind_y.row(j - 1, k) + i;
    double* __restrict x = displacements[0].row(j, k) + i;
    double* __restrict y = displacements[1].row(j, k) + i;
    double* __restrict mean_x = displacements[0].row(j, mean_level) + i;
    double* __restrict mean_y = displacements[1].row(j, mean_level) + i;
    const double share = at.shares[k];
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

void Displacements::operator()(lapwing::Box box, const Views& displacements, View<const double> wind_x,
                               View<const double> wind_y, double& widest) const {
    const Index levels = shares.size();
    double longest = 0.0;
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (const View<double>& along : displacements) std::fill_n(along.row(j, levels) + i, n, 0.0);
        for (Index k = 0; k < levels; ++k) displace_row(*this, displacements, wind_x, wind_y, i, j, n, k, longest);
    });
    const double cells = std::floor(within(longest, 0.0, farthest_departure)) + 2.0;
    widest = std::max({widest, cells, static_cast<double>(least_departure_halo)});
}

void Arrival::operator()(lapwing::Box box, const Views& stepped, const ConstViews& advected,
                         const ConstViews& displacements) const {
    Row dx, dy;
    for (std::size_t f = 0; f < points.size(); ++f) {
        const Points& at = points[f];
        const Index first = at.layers == 0 ? mean_level : 0;
        for_chunks(walls.inside(box, at.axis), [&](Index i, Index j, Index n) {
            for (Index k = 0; k < at.levels(); ++k) {
                find_departures(walls, at.axis, displacements, i, j, n, first + k, dx, dy);
                interpolate(walls, advected[f], stepped[f], i, j, n, k, dx, dy);
            }
        });
    }
}

}  // namespace lapwing_weather
