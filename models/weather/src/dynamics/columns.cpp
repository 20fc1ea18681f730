#include "lapwing_weather/dynamics/columns.hpp"

#include <algorithm>
#include <array>

#include "dynamics/face_pressures.hpp"
#include "dynamics/logarithm.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using Row = std::array<double, chunk_columns>;

// What the layers of a row of columns share: surface pressure, around it too, and what was summed from above.
struct Columns {
    FacePressures faces;
    Row slope_west, slope_east, slope_south, slope_north;  // of the pressure there, Pa/m
    Row outflow;                                           // of the layers above, Pa/s
    Row height;                                            // geopotential of a half level, m2/s2
};

void begin(const ColumnsContext& at, Index i, Index j, Index n, Columns& c) {
    measure(at.pressure, i, j, n, c.faces);
    const double *here = at.pressure.row(j) + i, *below = at.pressure.row(j - 1) + i,
                 *above = at.pressure.row(j + 1) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        c.slope_west[m] = (here[m] - here[m - 1]) * at.over_x;
        c.slope_east[m] = (here[m + 1] - here[m]) * at.over_x;
        c.slope_south[m] = (here[m] - below[m]) * at.over_y;
        c.slope_north[m] = (above[m] - here[m]) * at.over_y;
        c.outflow[m] = 0.0;
    }
}

// Layer k of a row, from the top downwards. `open_top`: its upper end is at 0 Pa. `thick` becomes R Tv l, and the rows
// of geopotential alpha R Tv, which the way up needs.
template <bool open_top, bool moist>
void layer(const ColumnsContext& at, Index i, Index j, Index n, int k, Columns& c, double* __restrict thick) {
    const double a = at.levels->a[k], b = at.levels->b[k], da = at.levels->da(k), db = at.levels->db(k);
    const double *u = at.wind_x.row(j, k) + i, *v = at.wind_y.row(j, k) + i, *v_behind = at.wind_y.row(j - 1, k) + i;
    const double* t = at.temperature.row(j, k) + i;
    const double* q = moist ? at.humidity.row(j, k) + i : nullptr;
    double* __restrict alpha_part = at.geopotential.row(j, k) + i;
    double* __restrict push = at.push.row(j, k) + i;
    double* __restrict down = at.flow_down.row(j, k) + i;
    double* __restrict heating = at.heating.row(j, k) + i;
    const double over_x = at.over_x, over_y = at.over_y, gas = at.air.gas_constant, kappa = at.air.kappa;
    const double excess = at.air.virtual_excess;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double west = u[m - 1] * (da + db * c.faces.west[m]), east = u[m] * (da + db * c.faces.east[m]);
        const double south = v_behind[m] * (da + db * c.faces.south[m]), north = v[m] * (da + db * c.faces.north[m]);
        const double out = (east - west) * over_x + (north - south) * over_y;  // Pa/s
        const double upper = a + b * c.faces.cell[m], dp = da + db * c.faces.cell[m], over_dp = 1.0 / dp;
        const double log = open_top ? 0.0 : natural_log((upper + dp) / upper);
        const double alpha = open_top ? 1.0 : 1.0 - upper * over_dp * log;
        const double factor = (b * log + alpha * db) * over_dp;  // 1/Pa
        double virtual_t = t[m];                                 // K
        if constexpr (moist) virtual_t *= 1.0 + excess * q[m];
        const double along = 0.5 * ((east * c.slope_east[m] + west * c.slope_west[m]) +
                                    (north * c.slope_north[m] + south * c.slope_south[m]));  // Pa2/s
        heating[m] = kappa * virtual_t * over_dp * (factor * along - (log * c.outflow[m] + alpha * out));
        push[m] = gas * virtual_t * factor;
        thick[m] = gas * virtual_t * log;
        alpha_part[m] = alpha * (gas * virtual_t);
        c.outflow[m] += out;
        down[m] = c.outflow[m];
    }
}

template <bool moist>
void downwards(const ColumnsContext& at, Index i, Index j, Index n, Columns& c) {
    for (int k = 0; k < at.levels->levels(); ++k) {
        double* thick = at.work + k * chunk_columns;
        if (k == 0 && at.levels->a[0] == 0.0) {
            layer<true, moist>(at, i, j, n, k, c, thick);
        } else {
            layer<false, moist>(at, i, j, n, k, c, thick);
        }
    }
}

void upwards(const ColumnsContext& at, Index i, Index j, Index n, Columns& c) {
    const double* ground = at.surface_geopotential.row(j) + i;
    double* whole = at.outflow.row(j) + i;
    for (Index m = 0; m < n; ++m) {
        c.height[m] = ground[m];
        whole[m] = c.outflow[m];
    }
    for (int k = at.levels->levels() - 1; k >= 0; --k) {
        const double b = at.levels->b[k + 1];
        const double* thick = at.work + k * chunk_columns;
        double* __restrict geopotential = at.geopotential.row(j, k) + i;
        double* __restrict down = at.flow_down.row(j, k) + i;
#pragma omp simd
        for (Index m = 0; m < n; ++m) {
            geopotential[m] += c.height[m];
            c.height[m] += thick[m];
            down[m] = b * c.outflow[m] - down[m];
        }
    }
}

}  // namespace

Index columns_work(int levels) { return levels * chunk_columns; }

void columns(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ColumnsContext*>(context);
    Columns c;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns) {
            const Index n = std::min(chunk_columns, box.hi[0] - i);
            begin(at, i, j, n, c);
            at.moist ? downwards<true>(at, i, j, n, c) : downwards<false>(at, i, j, n, c);
            upwards(at, i, j, n, c);
        }
    }
}

void find_heights(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ColumnsContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            double height = at.surface_geopotential(i, j);  // of the lower end of a layer, m2/s2
            for (int k = at.levels->levels() - 1; k >= 0; --k) {
                const double upper = at.levels->a[k] + at.levels->b[k] * at.pressure(i, j);
                const double dp = at.levels->da(k) + at.levels->db(k) * at.pressure(i, j);
                const double log = upper > 0.0 ? natural_log((upper + dp) / upper) : 0.0;
                double warmth = at.air.gas_constant * at.temperature(i, j, k);  // R Tv, m2/s2
                if (at.moist) warmth *= 1.0 + at.air.virtual_excess * at.humidity(i, j, k);
                at.geopotential(i, j, k) = height + (1.0 - upper / dp * log) * warmth;
                height += log * warmth;
            }
        }
    }
}

}  // namespace lapwing_weather
