#include "lapwing_weather/dynamics/momentum.hpp"

#include <algorithm>

#include "dynamics/chunks.hpp"
#include "smoothing/diffuse_row.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using lapwing::View;

// Surface pressure around the faces of a row, Pa: at the cells behind and ahead of each, and means at faces: of the
// axis behind, here and ahead; of the other axis on either side of both cells.
struct Around {
    Row cell, cell_ahead;
    Row behind, here, ahead;
    Row side, side_ahead, other_side, other_side_ahead;
};

void measure(int axis, const View<const double>& pressure, Index i, Index j, Index n, Around& p) {
    const int di = axis == 0 ? 1 : 0, dj = 1 - di;  // along the axis; (dj, di) is across it
    const auto at = [&](int along, int across) {
        return pressure.row(j + along * dj + across * di) + i + along * di + across * dj;
    };
    const double *behind = at(-1, 0), *here = at(0, 0), *ahead = at(1, 0), *beyond = at(2, 0);
    const double *side = at(0, 1), *side_ahead = at(1, 1);
    const double *other = at(0, -1), *other_ahead = at(1, -1);
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        p.cell[m] = here[m];
        p.cell_ahead[m] = ahead[m];
        p.behind[m] = 0.5 * (behind[m] + here[m]);
        p.here[m] = 0.5 * (here[m] + ahead[m]);
        p.ahead[m] = 0.5 * (ahead[m] + beyond[m]);
        p.side[m] = 0.5 * (here[m] + side[m]);
        p.side_ahead[m] = 0.5 * (ahead[m] + side_ahead[m]);
        p.other_side[m] = 0.5 * (other[m] + here[m]);
        p.other_side_ahead[m] = 0.5 * (other_ahead[m] + ahead[m]);
    }
}

struct Winds {
    View<double> stepped;
    const Views& advected;
    View<const double> along, across, old, geopotential, gradient_factor, vertical_velocity;
};

template <int axis, bool semi_lagrangian>
void step_row(const Momentum& at, const Winds& of, const Piece& piece, const Around& p, const Row& diffused) {
    constexpr int di = axis == 0 ? 1 : 0, dj = 1 - di;
    const Index i = piece.i, n = piece.n, j = piece.j;
    const int k = piece.k;
    const int last = at.levels->levels() - 1;
    const auto dp = at.levels->thickness(k);  // Pa, by the pressure at the surface
    const double* wind = of.along.row(j, k) + i;
    const double *ahead = of.along.row(j + dj, k) + i + di, *behind = of.along.row(j - dj, k) + i - di;
    const double *side = of.along.row(j + di, k) + i + dj, *other = of.along.row(j - di, k) + i - dj;
    const double *above = of.along.row(j, std::max(k - 1, 0)) + i, *below = of.along.row(j, std::min(k + 1, last)) + i;
    const double *c = of.across.row(j, k) + i, *c_ahead = of.across.row(j + dj, k) + i + di;
    const double *c_other = of.across.row(j - di, k) + i - dj,
                 *c_other_ahead = of.across.row(j + dj - di, k) + i + di - dj;
    // above the uppermost layer nothing flows: its own flow downwards, times 0
    const double top = k == 0 ? 0.0 : 0.25;
    const int k_top = std::max(k - 1, 0);
    const View<const double>& velocity = of.vertical_velocity;
    const double *in = velocity.row(j, k_top) + i, *in_ahead = velocity.row(j + dj, k_top) + i + di;
    const double *out = velocity.row(j, k) + i, *out_ahead = velocity.row(j + dj, k) + i + di;
    const double *height = of.geopotential.row(j, k) + i, *height_ahead = of.geopotential.row(j + dj, k) + i + di;
    const double *factor = of.gradient_factor.row(j, k) + i, *factor_ahead = of.gradient_factor.row(j + dj, k) + i + di;
    const double* old = of.old.row(j, k) + i;
    double* __restrict stepped = of.stepped.row(j, k) + i;
    double* __restrict advected = semi_lagrangian ? of.advected[0].row(j, k) + i : nullptr;
    const double f = 0.25 * (at.coriolis + at.beta * static_cast<double>(j));
    const double f_ahead = 0.25 * (at.coriolis + at.beta * static_cast<double>(j + dj));
    const double along = 0.25 * at.over_along, across = 0.25 * at.over_across, over = at.over_along;
    const double dt = *at.time_step;
    const auto flow = [=](const double* speed, const Row& pressure, Index m)
                          __attribute__((always_inline)) {  // dp u, Pa m/s
                              return speed[m] * dp(pressure[m]);
                          };
    // A by the air that flows through the ends of the layer, Pa m/s2
    const auto through_ends = [=](Index m) __attribute__((always_inline)) {
        return 0.25 * (out[m] + out_ahead[m]) * (below[m] - wind[m]) +
               top * (in[m] + in_ahead[m]) * (wind[m] - above[m]);
    };
    // and by what flows between this face and its neighbours along the layer: the means of the flows at their faces
    const auto along_layer = [=, &p](Index m) __attribute__((always_inline)) {
        const double u = wind[m], here = flow(wind, p.here, m);
        const double flow_ahead = here + flow(ahead, p.ahead, m), flow_behind = here + flow(behind, p.behind, m);
        const double flow_side = flow(c, p.side, m) + flow(c_ahead, p.side_ahead, m);
        const double flow_other = flow(c_other, p.other_side, m) + flow(c_other_ahead, p.other_side_ahead, m);
        return along * (flow_ahead * (ahead[m] - u) + flow_behind * (u - behind[m])) +
               across * (flow_side * (side[m] - u) + flow_other * (u - other[m]));
    };
    // F, the mean of f dp v over both cells, Pa m/s2
    const auto coriolis = [=, &p](Index m) __attribute__((always_inline)) {
        return f * dp(p.cell[m]) * (c[m] + c_other[m]) +
               f_ahead * dp(p.cell_ahead[m]) * (c_ahead[m] + c_other_ahead[m]);
    };
    // d(phi) + R Tv d(ln p) between both cells, m2/s2
    const auto gradient = [=, &p](Index m) __attribute__((always_inline)) {
        return (height_ahead[m] - height[m]) + 0.5 * (factor[m] + factor_ahead[m]) * (p.cell_ahead[m] - p.cell[m]);
    };
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double transport = semi_lagrangian ? through_ends(m) : along_layer(m) + through_ends(m);
        const double change = dt * ((coriolis(m) - transport) / dp(p.here[m]) - gradient(m) * over + diffused[m]);
        stepped[m] = semi_lagrangian ? change : old[m] + change;
        if constexpr (semi_lagrangian) advected[m] = old[m] + change;
    }
}

template <int axis>
auto step_row_of(const Views& advected) {
    return advected.empty() ? step_row<axis, false> : step_row<axis, true>;
}

}  // namespace

void Momentum::operator()(lapwing::Box box, View<double> stepped, const Views& advected, View<const double> wind,
                          View<const double> across, View<const double> pressure, View<const double> old,
                          View<const double> geopotential, View<const double> gradient_factor,
                          View<const double> vertical_velocity) const {
    const Winds of{stepped, advected, wind, across, old, geopotential, gradient_factor, vertical_velocity};
    const auto step = axis == 0 ? step_row_of<0>(advected) : step_row_of<1>(advected);
    Around around;
    Row diffused;
    diffused.fill(0.0);
    for_slabs(
        box, levels->levels(), [&](Index i, Index j, Index n) { measure(axis, pressure, i, j, n, around); },
        [&](const Piece& piece) {
            fetch_next(old, piece, diffusion ? 2 : 0);
            if (diffusion) diffuse_row(*diffusion, old, piece.i, piece.j, piece.k, piece.n, diffused.data());
            fetch_next(wind, piece, 1);
            for (const View<const double>* field : {&across, &geopotential, &gradient_factor, &vertical_velocity})
                fetch_next(*field, piece, axis);
            fetch_next(stepped, piece);
            step(*this, of, piece, around, diffused);
        });
}

}  // namespace lapwing_weather
