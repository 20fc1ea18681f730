#include "lapwing_weather/dynamics/momentum.hpp"

#include <algorithm>
#include <array>

#include "lapwing_weather/dynamics/columns.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using Row = std::array<double, chunk_columns>;

// Surface pressure around the faces of a row, Pa: at the cells behind and ahead of each, and means at faces: of the
// axis behind, here and ahead; of the other axis on either side of both cells.
struct Around {
    Row cell, cell_ahead;
    Row behind, here, ahead;
    Row side, side_ahead, other_side, other_side_ahead;
};

void measure(const MomentumContext& at, Index i, Index j, Index n, Around& p) {
    const int di = at.ahead_x, dj = at.ahead_y;  // along the axis; (dj, di) is across it
    const auto pressure = [&](int along, int across) {
        return at.pressure.row(j + along * dj + across * di) + i + along * di + across * dj;
    };
    const double *behind = pressure(-1, 0), *here = pressure(0, 0), *ahead = pressure(1, 0), *beyond = pressure(2, 0);
    const double *side = pressure(0, 1), *side_ahead = pressure(1, 1);
    const double *other = pressure(0, -1), *other_ahead = pressure(1, -1);
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

// `paths`: semi-Lagrangian.
template <bool paths>
void step_row(const MomentumContext& at, Index i, Index j, Index n, int k, const Around& p, const Row& diffused) {
    const int di = at.ahead_x, dj = at.ahead_y, last = at.levels->levels() - 1;
    const double da = at.levels->da(k), db = at.levels->db(k);
    const double* wind = at.along.row(j, k) + i;
    const double *ahead = at.along.row(j + dj, k) + i + di, *behind = at.along.row(j - dj, k) + i - di;
    const double *side = at.along.row(j + di, k) + i + dj, *other = at.along.row(j - di, k) + i - dj;
    const double *above = at.along.row(j, std::max(k - 1, 0)) + i, *below = at.along.row(j, std::min(k + 1, last)) + i;
    const double *c = at.across.row(j, k) + i, *c_ahead = at.across.row(j + dj, k) + i + di;
    const double *c_other = at.across.row(j - di, k) + i - dj,
                 *c_other_ahead = at.across.row(j + dj - di, k) + i + di - dj;
    // above the uppermost layer nothing flows: its own flow downwards, times 0
    const double top = k == 0 ? 0.0 : 0.25;
    const int k_top = std::max(k - 1, 0);
    const double *in = at.flow_down.row(j, k_top) + i, *in_ahead = at.flow_down.row(j + dj, k_top) + i + di;
    const double *down = at.flow_down.row(j, k) + i, *down_ahead = at.flow_down.row(j + dj, k) + i + di;
    const double *height = at.geopotential.row(j, k) + i, *height_ahead = at.geopotential.row(j + dj, k) + i + di;
    const double *push = at.push.row(j, k) + i, *push_ahead = at.push.row(j + dj, k) + i + di;
    const double* old = at.old.row(j, k) + i;
    double* __restrict stepped = at.stepped.row(j, k) + i;
    double* __restrict on_paths = paths ? at.carried.row(j, k) + i : nullptr;
    const double f = 0.25 * (at.coriolis + at.beta * static_cast<double>(j));
    const double f_ahead = 0.25 * (at.coriolis + at.beta * static_cast<double>(j + dj));
    const double along = 0.25 * at.over_along, across = 0.25 * at.over_across, over = at.over_along;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double u = wind[m], dp = da + db * p.here[m];
        const double flow = u * dp;  // Pa m/s
        const double flow_ahead = flow + ahead[m] * (da + db * p.ahead[m]);
        const double flow_behind = flow + behind[m] * (da + db * p.behind[m]);
        const double flow_side = c[m] * (da + db * p.side[m]) + c_ahead[m] * (da + db * p.side_ahead[m]);
        const double flow_other =
            c_other[m] * (da + db * p.other_side[m]) + c_other_ahead[m] * (da + db * p.other_side_ahead[m]);
        double carried = 0.25 * (down[m] + down_ahead[m]) * (below[m] - u) +
                         top * (in[m] + in_ahead[m]) * (u - above[m]);  // Pa m/s2
        if constexpr (!paths)
            carried = along * (flow_ahead * (ahead[m] - u) + flow_behind * (u - behind[m])) +
                      across * (flow_side * (side[m] - u) + flow_other * (u - other[m])) + carried;
        const double turned = f * (da + db * p.cell[m]) * (c[m] + c_other[m]) +
                              f_ahead * (da + db * p.cell_ahead[m]) * (c_ahead[m] + c_other_ahead[m]);  // Pa m/s2
        const double pressed =
            (height_ahead[m] - height[m]) + 0.5 * (push[m] + push_ahead[m]) * (p.cell_ahead[m] - p.cell[m]);  // m2/s2
        const double change = dt * ((turned - carried) / dp - pressed * over + diffused[m]);
        stepped[m] = paths ? change : old[m] + change;
        if constexpr (paths) on_paths[m] = old[m] + change;
    }
}

}  // namespace

void momentum(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const MomentumContext*>(context);
    Around around;
    Row diffused;
    diffused.fill(0.0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns) {
            const Index n = std::min(chunk_columns, box.hi[0] - i);
            measure(at, i, j, n, around);
            for (int k = 0; k < at.levels->levels(); ++k) {
                if (at.diffuses) diffuse_row(at.diffusion, at.old, i, j, k, n, diffused.data());
                (at.semi_lagrangian ? step_row<true> : step_row<false>)(at, i, j, n, k, around, diffused);
            }
        }
    }
}

}  // namespace lapwing_weather
