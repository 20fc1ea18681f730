#include "lapwing_weather/dynamics/scalars.hpp"

#include <algorithm>
#include <array>

#include "dynamics/face_pressures.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using Row = std::array<double, chunk_columns>;

// Flow of air around the cells of a row in one layer, halved for the centred means: Pa/s.
struct Flows {
    Row west, east, south, north, top, bottom;
    Row over_dp;  // 1/Pa
};

void find_flows(const ScalarsContext& at, Index i, Index j, Index n, int k, const FacePressures& p, Flows& flows) {
    const double da = at.levels->da(k), db = at.levels->db(k), x = 0.5 * at.over_x, y = 0.5 * at.over_y;
    const double top = k == 0 ? 0.0 : 0.5;
    const double *u = at.wind_x.row(j, k) + i, *v = at.wind_y.row(j, k) + i, *v_behind = at.wind_y.row(j - 1, k) + i;
    const double *down = at.flow_down.row(j, k) + i, *in = at.flow_down.row(j, std::max(k - 1, 0)) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        flows.west[m] = x * (u[m - 1] * (da + db * p.west[m]));
        flows.east[m] = x * (u[m] * (da + db * p.east[m]));
        flows.south[m] = y * (v_behind[m] * (da + db * p.south[m]));
        flows.north[m] = y * (v[m] * (da + db * p.north[m]));
        flows.bottom[m] = 0.5 * down[m];
        flows.top[m] = top * in[m];
        flows.over_dp[m] = 1.0 / (da + db * p.cell[m]);
    }
}

// `paths`: semi-Lagrangian.
template <bool heated, bool paths>
void carry(const ScalarsContext& at, const Carried& carried, Index i, Index j, Index n, int k, const Flows& flows) {
    Row diffused;
    if (at.diffuses) {
        diffuse_row(carried.diffusion, carried.old, i, j, k, n, diffused.data());
    } else {
        std::fill_n(diffused.begin(), n, 0.0);
    }
    const int last = at.levels->levels() - 1;
    const double *here = carried.now.row(j, k) + i, *south = carried.now.row(j - 1, k) + i,
                 *north = carried.now.row(j + 1, k) + i;
    const double *above = carried.now.row(j, std::max(k - 1, 0)) + i,
                 *below = carried.now.row(j, std::min(k + 1, last)) + i;
    const double* old = carried.old.row(j, k) + i;
    const double* heating = heated ? at.heating.row(j, k) + i : nullptr;
    double* __restrict stepped = carried.stepped.row(j, k) + i;
    double* __restrict on_paths = paths ? carried.on_paths.row(j, k) + i : nullptr;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double t = here[m];
        double transport = flows.bottom[m] * (below[m] - t) + flows.top[m] * (t - above[m]);
        if constexpr (!paths)
            transport = (flows.east[m] * (here[m + 1] - t) + flows.west[m] * (t - here[m - 1])) +
                        (flows.north[m] * (north[m] - t) + flows.south[m] * (t - south[m])) + transport;
        double change = diffused[m] - transport * flows.over_dp[m];
        if constexpr (heated) change += heating[m];
        stepped[m] = paths ? dt * change : old[m] + dt * change;
        if constexpr (paths) on_paths[m] = old[m] + dt * change;
    }
}

// How fast the mean wind carries pressure about in the columns of a row, from centred means: Pa/s.
void find_transport_of_pressure(const ScalarsContext& at, Index i, Index j, Index n, Row& transport) {
    const double x = 0.5 * at.over_x, y = 0.5 * at.over_y;
    const double *here = at.pressure.row(j) + i, *south = at.pressure.row(j - 1) + i,
                 *north = at.pressure.row(j + 1) + i;
    std::fill_n(transport.begin(), n, 0.0);
    for (int k = 0; k < at.levels->levels(); ++k) {
        const double db = at.levels->db(k);
        const double *u = at.wind_x.row(j, k) + i, *v = at.wind_y.row(j, k) + i;
        const double* v_behind = at.wind_y.row(j - 1, k) + i;
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            const double p = here[m];
            transport[m] += db * (x * (u[m] * (here[m + 1] - p) + u[m - 1] * (p - here[m - 1])) +
                                  y * (v[m] * (north[m] - p) + v_behind[m] * (p - south[m])));
        }
    }
}

void step_pressure_on_paths(const ScalarsContext& at, Index i, Index j, Index n) {
    Row transport;
    find_transport_of_pressure(at, i, j, n, transport);
    const double *old = at.old_pressure.row(j) + i, *outflow = at.outflow.row(j) + i;
    double* __restrict stepped = at.stepped_pressure.row(j) + i;
    double* __restrict on_paths = at.pressure_on_paths.row(j) + i;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double change = dt * (transport[m] - outflow[m]);
        stepped[m] = change;
        on_paths[m] = old[m] + change;
    }
}

void step_pressure(const ScalarsContext& at, Index i, Index j, Index n) {
    const double *old = at.old_pressure.row(j) + i, *outflow = at.outflow.row(j) + i;
    double* __restrict stepped = at.stepped_pressure.row(j) + i;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) stepped[m] = old[m] - dt * outflow[m];
}

template <bool paths>
void step_box(const ScalarsContext& at, const lapwing::Box& box) {
    FacePressures pressures;
    Flows flows;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns) {
            const Index n = std::min(chunk_columns, box.hi[0] - i);
            measure(at.pressure, i, j, n, pressures);
            for (int k = 0; k < at.levels->levels(); ++k) {
                find_flows(at, i, j, n, k, pressures, flows);
                carry<true, paths>(at, at.temperature, i, j, n, k, flows);
                if (at.moist) carry<false, paths>(at, at.humidity, i, j, n, k, flows);
            }
            (paths ? step_pressure_on_paths : step_pressure)(at, i, j, n);
        }
    }
}

}  // namespace

void scalars(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ScalarsContext*>(context);
    (at.semi_lagrangian ? step_box<true> : step_box<false>)(at, box);
}

}  // namespace lapwing_weather
