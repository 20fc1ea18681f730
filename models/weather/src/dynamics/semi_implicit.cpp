#include "lapwing_weather/dynamics/semi_implicit.hpp"

#include <algorithm>
#include <string>

#include "lapwing/base/error.hpp"

#include "lapwing_weather/dynamics/columns.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;

int levels_of(const ImplicitContext& at) { return static_cast<int>(at.vertical->speeds.size()); }

// Row `level` of one of the workspaces, each of `levels` rows.
double* work_row(const ImplicitContext& at, int which, int level) {
    return at.work + static_cast<Index>(which * levels_of(at) + level) * chunk_columns;
}

// out += factor * in.
void add(double* __restrict out, const double* in, double factor, Index n) {
#pragma omp simd
    for (Index m = 0; m < n; ++m) out[m] += factor * in[m];
}

// What a step makes of a value at three times.
struct Leapt {
    double operator()(double old, double now, double next) const { return next + old - 2.0 * now; }
};
struct Growth {
    double operator()(double old, double now, double) const { return now - old; }
};

// The divergence of the winds in row k of the layers.
template <class Made>
void find_divergence(const ImplicitContext& at, Index i, Index j, Index n, int k, double* __restrict divergence) {
    constexpr Made made{};
    const double over_x = at.over_x, over_y = at.over_y;
    const auto row = [&](const Leap& field, Index dj) {
        return std::array{field.old.row(j + dj, k) + i, field.now.row(j + dj, k) + i, field.next.row(j + dj, k) + i};
    };
    const auto [u_old, u_now, u_next] = row(at.wind_x, 0);
    const auto [v_old, v_now, v_next] = row(at.wind_y, 0);
    const auto [s_old, s_now, s_next] = row(at.wind_y, -1);
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double east = made(u_old[m], u_now[m], u_next[m]);
        const double west = made(u_old[m - 1], u_now[m - 1], u_next[m - 1]);
        const double north = made(v_old[m], v_now[m], v_next[m]);
        const double south = made(s_old[m], s_now[m], s_next[m]);
        divergence[m] = (east - west) * over_x + (north - south) * over_y;
    }
}

// The temperature of row k of the layers, in the first workspace.
template <class Made>
void find_warmth(const ImplicitContext& at, Index i, Index j, Index n, int k) {
    constexpr Made made{};
    const double *old = at.temperature.old.row(j, k) + i, *now = at.temperature.now.row(j, k) + i,
                 *next = at.temperature.next.row(j, k) + i;
    double* __restrict warmth = work_row(at, 0, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) warmth[m] = made(old[m], now[m], next[m]);
}

// gamma T + push ps / p_ref of the layers, whose rows `row_of` gives.
template <class Made, class RowOf>
void find_push(const ImplicitContext& at, Index i, Index j, Index n, RowOf&& row_of) {
    constexpr Made made{};
    const int levels = levels_of(at);
    for (int k = 0; k < levels; ++k) find_warmth<Made>(at, i, j, n, k);
    double* __restrict pressed = work_row(at, 2, 0);
    const double *old = at.pressure.old.row(j) + i, *now = at.pressure.now.row(j) + i,
                 *next = at.pressure.next.row(j) + i;
    for (Index m = 0; m < n; ++m) pressed[m] = made(old[m], now[m], next[m]) / at.vertical->pressure;
    for (int k = 0; k < levels; ++k) {
        double* whole = row_of(k);
        std::fill_n(whole, n, 0.0);
        add(whole, pressed, at.vertical->push[k], n);
        const double* gamma = at.vertical->gamma.data() + static_cast<Index>(k) * levels;
        for (int above = 0; above < levels; ++above) add(whole, work_row(at, 0, above), gamma[above], n);
    }
}

void find_sources(const ImplicitContext& at, Index i, Index j, Index n) {
    const int levels = levels_of(at);
    for (int mode = 0; mode < levels; ++mode) {
        double* source = at.modes.row(j, mode) + i;
        std::fill_n(source, n, 0.0);
        const double crossed = at.time_step * at.vertical->speeds[mode];  // m
        const double share = 1.0 / (crossed * crossed), flow = -1.0 / at.time_step;
        const double* to_modes = at.vertical->to_modes.data() + static_cast<Index>(mode) * levels;
        for (int k = 0; k < levels; ++k) {
            add(source, work_row(at, 1, k), share * to_modes[k], n);
            add(source, at.divergence.row(j, k) + i, flow * to_modes[k], n);
        }
    }
}

// Winds of a row of one layer, and what is left of its divergence, in the first workspace.
void correct_winds(const ImplicitContext& at, Index i, Index j, Index n, int k) {
    const double* here = at.lift.row(j, k) + i;
    const double *south = at.lift.row(j - 1, k) + i, *north = at.lift.row(j + 1, k) + i;
    const double* link = at.links_x.from(i);
    const double link_south = *at.links_y.from(j - 1), link_north = *at.links_y.from(j);
    const double* divergence = at.divergence.row(j, k) + i;
    double* __restrict u = at.wind_x.next.row(j, k) + i;
    double* __restrict v = at.wind_y.next.row(j, k) + i;
    double* __restrict left = work_row(at, 0, k);
    const double dt = at.time_step, over_x = at.over_x, over_y = at.over_y;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double east_slope = link[m] * (here[m + 1] - here[m]) * over_x;
        const double west_slope = link[m - 1] * (here[m] - here[m - 1]) * over_x;
        const double north_slope = link_north * (north[m] - here[m]) * over_y;
        const double south_slope = link_south * (here[m] - south[m]) * over_y;
        u[m] -= dt * east_slope;
        v[m] -= dt * north_slope;
        left[m] = divergence[m] - dt * ((east_slope - west_slope) * over_x + (north_slope - south_slope) * over_y);
    }
}

void correct_air(const ImplicitContext& at, Index i, Index j, Index n) {
    const int levels = levels_of(at);
    for (int k = 0; k < levels; ++k) {
        const double* tau = at.vertical->tau.data() + static_cast<Index>(k) * levels;
        double* warmth = at.temperature.next.row(j, k) + i;
        for (int layer = 0; layer < levels; ++layer) add(warmth, work_row(at, 0, layer), -at.time_step * tau[layer], n);
    }
    const double weight = -at.time_step * at.vertical->pressure;  // Pa s
    double* pressure = at.pressure.next.row(j) + i;
    for (int k = 0; k < levels; ++k) add(pressure, work_row(at, 0, k), weight * at.vertical->nu[k], n);
}

// Calls work(i, j, n) for pieces of the rows of a box that fit the workspace.
template <class Work>
void for_chunks(const lapwing::Box& box, Work&& work) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; i += chunk_columns) work(i, j, std::min(chunk_columns, box.hi[0] - i));
}

}  // namespace

void check(const VerticalModes& modes, int levels) {
    const std::size_t lines = levels, squares = lines * lines;
    const auto require = [](const char* name, std::size_t got, std::size_t expected) {
        if (got == expected) return;
        lapwing::user_error(std::string("vertical modes, ") + name, std::to_string(got) + " numbers",
                            std::to_string(expected), "make them for the levels of the model");
    };
    require("speeds", modes.speeds.size(), lines);
    require("push", modes.push.size(), lines);
    require("nu", modes.nu.size(), lines);
    require("gamma", modes.gamma.size(), squares);
    require("tau", modes.tau.size(), squares);
    require("to_modes", modes.to_modes.size(), squares);
    require("from_modes", modes.from_modes.size(), squares);
    for (const double speed : modes.speeds)
        if (!(speed > 0))
            lapwing::user_error("speed of a vertical mode", std::to_string(speed) + " m/s", "above 0",
                                "choose a reference temperature that does not overturn");
}

Index implicit_work(int levels) { return (2 * levels + 1) * chunk_columns; }

void implicit_source(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ImplicitContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels_of(at); ++k) find_divergence<Leapt>(at, i, j, n, k, at.divergence.row(j, k) + i);
        find_push<Leapt>(at, i, j, n, [&](int k) { return work_row(at, 1, k); });
        find_sources(at, i, j, n);
    });
}

void implicit_lift(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ImplicitContext*>(context);
    const int levels = levels_of(at);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels; ++k) {
            double* lift = at.lift.row(j, k) + i;
            std::fill_n(lift, n, 0.0);
            const double* from_modes = at.vertical->from_modes.data() + static_cast<Index>(k) * levels;
            for (int mode = 0; mode < levels; ++mode) add(lift, at.modes.row(j, mode) + i, from_modes[mode], n);
        }
    });
}

void implicit_correction(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ImplicitContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels_of(at); ++k) correct_winds(at, i, j, n, k);
        correct_air(at, i, j, n);
    });
}

void lift_of_growth(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ImplicitContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index n) {
        find_push<Growth>(at, i, j, n, [&](int k) { return at.lift.row(j, k) + i; });
    });
}

namespace {

// Takes `amount` off what paths carry and puts it where they end.
void divide(double* __restrict on_paths, double* __restrict at_end, const double* amount, Index n) {
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        on_paths[m] -= amount[m];
        at_end[m] += amount[m];
    }
}

// What the slopes of P do to the winds of a row of one layer.
void divide_push(const ImplicitContext& at, Index i, Index j, Index n, int k) {
    const double *here = at.lift.row(j, k) + i, *north = at.lift.row(j + 1, k) + i;
    const double* link = at.links_x.from(i);
    const double link_north = *at.links_y.from(j), to_x = -at.time_step * at.over_x, to_y = -at.time_step * at.over_y;
    double* __restrict amount = work_row(at, 1, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) amount[m] = to_x * link[m] * (here[m + 1] - here[m]);
    divide(at.wind_x_on_paths.row(j, k) + i, at.wind_x.next.row(j, k) + i, amount, n);
#pragma omp simd
    for (Index m = 0; m < n; ++m) amount[m] = to_y * link_north * (north[m] - here[m]);
    divide(at.wind_y_on_paths.row(j, k) + i, at.wind_y.next.row(j, k) + i, amount, n);
}

// What divergence, in the first workspace, does to temperature and pressure.
void divide_divergence(const ImplicitContext& at, Index i, Index j, Index n) {
    const int levels = levels_of(at);
    double* amount = work_row(at, 1, 0);
    for (int k = 0; k < levels; ++k) {
        const double* tau = at.vertical->tau.data() + static_cast<Index>(k) * levels;
        std::fill_n(amount, n, 0.0);
        for (int layer = 0; layer < levels; ++layer) add(amount, work_row(at, 0, layer), -at.time_step * tau[layer], n);
        divide(at.temperature_on_paths.row(j, k) + i, at.temperature.next.row(j, k) + i, amount, n);
    }
    const double weight = -at.time_step * at.vertical->pressure;  // Pa s
    std::fill_n(amount, n, 0.0);
    for (int k = 0; k < levels; ++k) add(amount, work_row(at, 0, k), weight * at.vertical->nu[k], n);
    divide(at.pressure_on_paths.row(j) + i, at.pressure.next.row(j) + i, amount, n);
}

}  // namespace

void divide_growth(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const ImplicitContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels_of(at); ++k) {
            divide_push(at, i, j, n, k);
            find_divergence<Growth>(at, i, j, n, k, work_row(at, 0, k));
        }
        divide_divergence(at, i, j, n);
    });
}

}  // namespace lapwing_weather
