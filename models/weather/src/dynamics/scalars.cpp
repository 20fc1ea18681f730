#include "lapwing_weather/dynamics/scalars.hpp"

#include <algorithm>

#include "dynamics/face_pressures.hpp"
#include "smoothing/diffuse_row.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using lapwing::View;

struct State {
    View<const double> wind_x, wind_y, pressure, old_pressure, vertical_velocity, heating, outflow;
    const ConstViews &now, &old;      // by quantity
    const Views &stepped, &advected;  // likewise
    View<double> stepped_pressure;
    const Views& advected_pressure;
};

// Flow of air around the cells of a row in one layer, halved for the centred means: Pa/s.
struct Flows {
    Row west, east, south, north, top, bottom;
    Row over_dp;  // 1/Pa
};

void find_flows(const Scalars& at, const State& of, const Piece& piece, const FacePressures& p, Flows& flows) {
    const Index i = piece.i, n = piece.n, j = piece.j;
    const int k = piece.k;
    for (const View<const double>* field : {&of.wind_x, &of.wind_y, &of.vertical_velocity}) fetch_next(*field, piece);
    const auto dp = at.levels->thickness(k);  // Pa, by the pressure at the surface
    const double x = 0.5 * at.over_x, y = 0.5 * at.over_y;
    const double top = k == 0 ? 0.0 : 0.5;
    const double *u = of.wind_x.row(j, k) + i, *v = of.wind_y.row(j, k) + i, *v_behind = of.wind_y.row(j - 1, k) + i;
    const double *out = of.vertical_velocity.row(j, k) + i, *in = of.vertical_velocity.row(j, std::max(k - 1, 0)) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        flows.west[m] = x * (u[m - 1] * dp(p.west[m]));
        flows.east[m] = x * (u[m] * dp(p.east[m]));
        flows.south[m] = y * (v_behind[m] * dp(p.south[m]));
        flows.north[m] = y * (v[m] * dp(p.north[m]));
        flows.bottom[m] = 0.5 * out[m];
        flows.top[m] = top * in[m];
        flows.over_dp[m] = 1.0 / dp(p.cell[m]);
    }
}

template <bool heated, bool semi_lagrangian>
void carry(const Scalars& at, const State& of, std::size_t quantity, const Piece& piece, const Flows& flows) {
    const Index i = piece.i, n = piece.n, j = piece.j;
    const int k = piece.k;
    const View<const double>&now = of.now[quantity], &before = of.old[quantity];
    fetch_next(now, piece, 1);
    fetch_next(before, piece, at.diffusion ? 2 : 0);
    if (heated) fetch_next(of.heating, piece);
    fetch_next(of.stepped[quantity], piece);
    Row diffused;
    if (at.diffusion) {
        diffuse_row(*at.diffusion, before, i, j, k, n, diffused.data());
    } else {
        std::fill_n(diffused.begin(), n, 0.0);
    }
    const int last = at.levels->levels() - 1;
    const double *here = now.row(j, k) + i, *south = now.row(j - 1, k) + i, *north = now.row(j + 1, k) + i;
    const double *above = now.row(j, std::max(k - 1, 0)) + i, *below = now.row(j, std::min(k + 1, last)) + i;
    const double* old = before.row(j, k) + i;
    const double* heating = heated ? of.heating.row(j, k) + i : nullptr;
    double* __restrict stepped = of.stepped[quantity].row(j, k) + i;
    double* __restrict advected = semi_lagrangian ? of.advected[quantity].row(j, k) + i : nullptr;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double t = here[m];
        double transport = flows.bottom[m] * (below[m] - t) + flows.top[m] * (t - above[m]);
        if constexpr (!semi_lagrangian)
            transport = (flows.east[m] * (here[m + 1] - t) + flows.west[m] * (t - here[m - 1])) +
                        (flows.north[m] * (north[m] - t) + flows.south[m] * (t - south[m])) + transport;
        double change = diffused[m] - transport * flows.over_dp[m];
        if constexpr (heated) change += heating[m];
        stepped[m] = semi_lagrangian ? dt * change : old[m] + dt * change;
        if constexpr (semi_lagrangian) advected[m] = old[m] + dt * change;
    }
}

// The advection of pressure by the mean wind in the columns of a row, from centred means: Pa/s.
void find_transport_of_pressure(const Scalars& at, const State& of, Index i, Index j, Index n, Row& transport) {
    const double x = 0.5 * at.over_x, y = 0.5 * at.over_y;
    const double *here = of.pressure.row(j) + i, *south = of.pressure.row(j - 1) + i,
                 *north = of.pressure.row(j + 1) + i;
    std::fill_n(transport.begin(), n, 0.0);
    for (int k = 0; k < at.levels->levels(); ++k) {
        const double db = at.levels->thickness(k).db;
        const double *u = of.wind_x.row(j, k) + i, *v = of.wind_y.row(j, k) + i;
        const double* v_behind = of.wind_y.row(j - 1, k) + i;
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            const double p = here[m];
            transport[m] += db * (x * (u[m] * (here[m + 1] - p) + u[m - 1] * (p - here[m - 1])) +
                                  y * (v[m] * (north[m] - p) + v_behind[m] * (p - south[m])));
        }
    }
}

void step_advected_pressure(const Scalars& at, const State& of, Index i, Index j, Index n) {
    Row transport;
    find_transport_of_pressure(at, of, i, j, n, transport);
    const double *old = of.old_pressure.row(j) + i, *outflow = of.outflow.row(j) + i;
    double* __restrict stepped = of.stepped_pressure.row(j) + i;
    double* __restrict advected = of.advected_pressure[0].row(j) + i;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double change = dt * (transport[m] - outflow[m]);
        stepped[m] = change;
        advected[m] = old[m] + change;
    }
}

void step_pressure(const Scalars& at, const State& of, Index i, Index j, Index n) {
    const double *old = of.old_pressure.row(j) + i, *outflow = of.outflow.row(j) + i;
    double* __restrict stepped = of.stepped_pressure.row(j) + i;
    const double dt = *at.time_step;
#pragma omp simd
    for (Index m = 0; m < n; ++m) stepped[m] = old[m] - dt * outflow[m];
}

template <bool semi_lagrangian>
void step_box(const Scalars& at, const State& of, const lapwing::Box& box) {
    FacePressures pressures;
    Flows flows;
    for_slabs(
        box, at.levels->levels(), [&](Index i, Index j, Index n) { measure(of.pressure, i, j, n, pressures); },
        [&](const Piece& piece) {
            find_flows(at, of, piece, pressures, flows);
            carry<true, semi_lagrangian>(at, of, 0, piece, flows);
            if (of.now.size() > 1) carry<false, semi_lagrangian>(at, of, 1, piece, flows);
        });
    for_chunks(box, [&](Index i, Index j, Index n) {
        (semi_lagrangian ? step_advected_pressure : step_pressure)(at, of, i, j, n);
    });
}

}  // namespace

void Scalars::operator()(lapwing::Box box, const Views& stepped, View<double> stepped_pressure, const Views& advected,
                         const Views& advected_pressure, View<const double> wind_x, View<const double> wind_y,
                         View<const double> pressure, const ConstViews& now, const ConstViews& old,
                         View<const double> old_pressure, View<const double> vertical_velocity,
                         View<const double> heating, View<const double> outflow) const {
    const State of{wind_x, wind_y, pressure, old_pressure, vertical_velocity, heating,          outflow,
                   now,    old,    stepped,  advected,     stepped_pressure,  advected_pressure};
    (advected.empty() ? step_box<false> : step_box<true>)(*this, of, box);
}

}  // namespace lapwing_weather
