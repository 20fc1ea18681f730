#include "lapwing_weather/dynamics/columns.hpp"

#include "dynamics/chunks.hpp"
#include "dynamics/face_pressures.hpp"
#include "dynamics/logarithm.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using lapwing::View;

struct State {
    View<const double> wind_x, wind_y, temperature, pressure, surface_geopotential;
    const ConstViews& humidity;
};

struct Results {
    View<double> geopotential, gradient_factor, vertical_velocity, heating, outflow;
};

// The values that the layers of a row of columns share: surface pressure, around it too, and what was summed from
// above.
struct Columns {
    FacePressures faces;
    Row slope_west, slope_east, slope_south, slope_north;  // of the pressure there, Pa/m
    Row outflow;                                           // of the layers above, Pa/s
    Row height;                                            // geopotential of a half level, m2/s2
};

void begin(const ColumnFlow& at, const View<const double>& pressure, Index i, Index j, Index n, Columns& c) {
    measure(pressure, i, j, n, c.faces);
    const double *here = pressure.row(j) + i, *below = pressure.row(j - 1) + i, *above = pressure.row(j + 1) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        c.slope_west[m] = (here[m] - here[m - 1]) * at.over_x;
        c.slope_east[m] = (here[m + 1] - here[m]) * at.over_x;
        c.slope_south[m] = (here[m] - below[m]) * at.over_y;
        c.slope_north[m] = (above[m] - here[m]) * at.over_y;
        c.outflow[m] = 0.0;
    }
}

// The factors of a layer (Simmons and Burridge 1981): l = ln(p below / p above), alpha, and c of the pressure gradient,
// 1/Pa.
struct Shape {
    double over_dp, l, alpha, c;
};

template <bool open_top>
[[gnu::always_inline]] inline Shape shape(double above, double dp, double b, double db) {
    const double over_dp = 1.0 / dp;
    const double l = open_top ? 0.0 : natural_log((above + dp) / above);
    const double alpha = open_top ? 1.0 : 1.0 - above * over_dp * l;
    return {over_dp, l, alpha, (b * l + alpha * db) * over_dp};
}

// Layer k of a row, from the top downwards. `open_top`: its upper end is at 0 Pa. `thick` becomes R Tv l, and the rows
// of geopotential alpha R Tv, which the way up needs.
template <bool open_top, bool moist>
void layer(const ColumnFlow& at, const State& now, const Results& made, Index i, Index j, Index n, int k, Columns& c,
           double* __restrict thick) {
    const double a = at.levels->a[k], b = at.levels->b[k];
    const auto dp = at.levels->thickness(k);  // Pa, by the pressure at the surface
    const double *u = now.wind_x.row(j, k) + i, *v = now.wind_y.row(j, k) + i, *v_behind = now.wind_y.row(j - 1, k) + i;
    const double* t = now.temperature.row(j, k) + i;
    const double* q = moist ? now.humidity[0].row(j, k) + i : nullptr;
    double* __restrict alpha_part = made.geopotential.row(j, k) + i;
    double* __restrict gradient_factor = made.gradient_factor.row(j, k) + i;
    double* __restrict flow_above = made.vertical_velocity.row(j, k) + i;
    double* __restrict heating = made.heating.row(j, k) + i;
    const double over_x = at.over_x, over_y = at.over_y, gas = at.air.gas_constant, kappa = at.air.kappa;
    const double excess = at.air.virtual_excess;
    const auto virtual_temperature = [=](Index m) {  // Tv, K
        if constexpr (moist) return t[m] * (1.0 + excess * q[m]);
        return t[m];
    };
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double west = u[m - 1] * dp(c.faces.west[m]), east = u[m] * dp(c.faces.east[m]);
        const double south = v_behind[m] * dp(c.faces.south[m]), north = v[m] * dp(c.faces.north[m]);
        const double d = (east - west) * over_x + (north - south) * over_y;  // D, Pa/s
        const double along = 0.5 * ((east * c.slope_east[m] + west * c.slope_west[m]) +
                                    (north * c.slope_north[m] + south * c.slope_south[m]));  // V dp . grad ps, Pa2/s
        const Shape of = shape<open_top>(a + b * c.faces.cell[m], dp(c.faces.cell[m]), b, dp.db);
        const double tv = virtual_temperature(m);
        heating[m] = kappa * tv * of.over_dp * (of.c * along - (of.l * c.outflow[m] + of.alpha * d));
        gradient_factor[m] = gas * tv * of.c;
        thick[m] = gas * tv * of.l;
        alpha_part[m] = of.alpha * (gas * tv);
        c.outflow[m] += d;
        flow_above[m] = c.outflow[m];
    }
}

template <bool moist>
void downwards(ColumnFlow& at, const State& now, const Results& made, Index i, Index j, Index n, Columns& c) {
    for (int k = 0; k < at.levels->levels(); ++k) {
        double* thick = at.work.data() + k * chunk_columns;
        if (k == 0 && at.levels->a[0] == 0.0) {
            layer<true, moist>(at, now, made, i, j, n, k, c, thick);
        } else {
            layer<false, moist>(at, now, made, i, j, n, k, c, thick);
        }
    }
}

void upwards(const ColumnFlow& at, const State& now, const Results& made, Index i, Index j, Index n, Columns& c) {
    const double* ground = now.surface_geopotential.row(j) + i;
    double* whole = made.outflow.row(j) + i;
    for (Index m = 0; m < n; ++m) {
        c.height[m] = ground[m];
        whole[m] = c.outflow[m];
    }
    for (int k = at.levels->levels() - 1; k >= 0; --k) {
        const double b = at.levels->b[k + 1];
        const double* thick = at.work.data() + k * chunk_columns;
        double* __restrict geopotential = made.geopotential.row(j, k) + i;
        double* __restrict velocity = made.vertical_velocity.row(j, k) + i;  // so far the outflow of the layers above
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            geopotential[m] += c.height[m];
            c.height[m] += thick[m];
            velocity[m] = b * c.outflow[m] - velocity[m];
        }
    }
}

}  // namespace

std::vector<double> columns_work(const HybridLevels& levels) {
    return std::vector<double>(static_cast<std::size_t>(levels.levels() * chunk_columns));
}

void ColumnFlow::operator()(lapwing::Box box, View<double> geopotential, View<double> gradient_factor,
                            View<double> vertical_velocity, View<double> heating, View<double> outflow,
                            View<const double> wind_x, View<const double> wind_y, View<const double> temperature,
                            View<const double> pressure, View<const double> surface_geopotential,
                            const ConstViews& humidity) {
    const State now{wind_x, wind_y, temperature, pressure, surface_geopotential, humidity};
    const Results made{geopotential, gradient_factor, vertical_velocity, heating, outflow};
    Columns c;
    for_chunks(box, [&](Index i, Index j, Index n) {
        begin(*this, pressure, i, j, n, c);
        humidity.empty() ? downwards<false>(*this, now, made, i, j, n, c)
                         : downwards<true>(*this, now, made, i, j, n, c);
        upwards(*this, now, made, i, j, n, c);
    });
}

void LayerHeights::operator()(lapwing::Box box, View<double> geopotential, View<const double> temperature,
                              View<const double> pressure, View<const double> surface_geopotential,
                              const ConstViews& humidity) const {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            double height = surface_geopotential(i, j);  // of the lower end of a layer, m2/s2
            for (int k = levels->levels() - 1; k >= 0; --k) {
                const double upper = levels->a[k] + levels->b[k] * pressure(i, j);
                const double dp = levels->thickness(k)(pressure(i, j));
                const double log = upper > 0.0 ? natural_log((upper + dp) / upper) : 0.0;
                double energy = air.gas_constant * temperature(i, j, k);  // R Tv, m2/s2
                if (!humidity.empty()) energy *= 1.0 + air.virtual_excess * humidity[0](i, j, k);
                geopotential(i, j, k) = height + (1.0 - upper / dp * log) * energy;
                height += log * energy;
            }
        }
    }
}

}  // namespace lapwing_weather
