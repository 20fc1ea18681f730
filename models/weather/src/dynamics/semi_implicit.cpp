#include "lapwing_weather/dynamics/semi_implicit.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lapwing/base/error.hpp"

#include "dynamics/chunks.hpp"

namespace lapwing_weather {

namespace {

using lapwing::Index;
using lapwing::View;

int levels_of(const LinearWaves& at) { return static_cast<int>(at.vertical->speeds.size()); }

// Row `level` of one of the workspaces, each of `levels` rows.
double* work_row(LinearWaves& at, int which, int level) {
    return at.work.data() + static_cast<Index>(which * levels_of(at) + level) * chunk_columns;
}

// out += factor * in.
void add(double* __restrict out, const double* in, double factor, Index n) {
#pragma omp simd
    for (Index m = 0; m < n; ++m) out[m] += factor * in[m];
}

// Values at column m of rows at several times, made one: y = next + old - 2 now, and now - old.
struct SecondDifference {
    static constexpr int times = 3;
    double operator()(const std::array<const double*, 3>& at, Index m) const {
        return at[2][m] + at[0][m] - 2.0 * at[1][m];
    }
};
struct Increment {
    static constexpr int times = 2;
    double operator()(const std::array<const double*, 2>& at, Index m) const { return at[1][m] - at[0][m]; }
};

// Row j of a field at these times, from column i on.
template <class Made>
std::array<const double*, Made::times> rows_of(const ConstViews& field, Index i, Index j, Index k = 0) {
    std::array<const double*, Made::times> rows;
    for (int time = 0; time < Made::times; ++time) rows[time] = field[time].row(j, k) + i;
    return rows;
}

// The divergence of the winds in row k of the layers.
template <class Made>
void find_divergence(const LinearWaves& at, const ConstViews& wind_x, const ConstViews& wind_y, Index i, Index j,
                     Index n, int k, double* __restrict divergence) {
    constexpr Made made{};
    const double over_x = at.over_x, over_y = at.over_y;
    const auto u = rows_of<Made>(wind_x, i, j, k), v = rows_of<Made>(wind_y, i, j, k),
               v_south = rows_of<Made>(wind_y, i, j - 1, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double east = made(u, m), west = made(u, m - 1), north = made(v, m), south = made(v_south, m);
        divergence[m] = (east - west) * over_x + (north - south) * over_y;
    }
}

// The temperature of row k of the layers, in the first workspace.
template <class Made>
void find_temperature(LinearWaves& at, const ConstViews& temperature, Index i, Index j, Index n, int k) {
    constexpr Made made{};
    const auto rows = rows_of<Made>(temperature, i, j, k);
    double* __restrict found = work_row(at, 0, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) found[m] = made(rows, m);
}

// P = gamma T + push ps / p_ref of the layers, whose rows `row_of` gives.
template <class Made, class RowOf>
void find_geopotential(LinearWaves& at, const ConstViews& temperature, const ConstViews& pressure, Index i, Index j,
                       Index n, RowOf&& row_of) {
    constexpr Made made{};
    const int levels = levels_of(at);
    for (int k = 0; k < levels; ++k) find_temperature<Made>(at, temperature, i, j, n, k);
    double* __restrict share = work_row(at, 2, 0);  // ps / p_ref
    const auto rows = rows_of<Made>(pressure, i, j);
    for (Index m = 0; m < n; ++m) share[m] = made(rows, m) / at.vertical->pressure;
    for (int k = 0; k < levels; ++k) {
        double* whole = row_of(k);
        std::fill_n(whole, n, 0.0);
        add(whole, share, at.vertical->push[k], n);
        const double* gamma = at.vertical->gamma.data() + static_cast<Index>(k) * levels;
        for (int above = 0; above < levels; ++above) add(whole, work_row(at, 0, above), gamma[above], n);
    }
}

// The right-hand sides of the modes, of P in the second workspace.
void find_sources(LinearWaves& at, const View<double>& modes, const View<double>& divergence, Index i, Index j,
                  Index n) {
    const int levels = levels_of(at);
    for (int mode = 0; mode < levels; ++mode) {
        double* source = modes.row(j, mode) + i;
        std::fill_n(source, n, 0.0);
        const double crossed = at.time_step * at.vertical->speeds[mode];  // m
        const double share = 1.0 / (crossed * crossed), flow = -1.0 / at.time_step;
        const double* to_modes = at.vertical->to_modes.data() + static_cast<Index>(mode) * levels;
        for (int k = 0; k < levels; ++k) {
            add(source, work_row(at, 1, k), share * to_modes[k], n);
            add(source, divergence.row(j, k) + i, flow * to_modes[k], n);
        }
    }
}

struct Winds {
    View<double> x, y;
};

// Winds of a row of one layer, and what is left of its divergence, in the first workspace.
void correct_winds(LinearWaves& at, const Winds& next, const View<const double>& geopotential,
                   const View<const double>& divergence, Index i, Index j, Index n, int k) {
    const double* here = geopotential.row(j, k) + i;
    const double *south = geopotential.row(j - 1, k) + i, *north = geopotential.row(j + 1, k) + i;
    const double* link = at.links_x.from(i);
    const double link_south = *at.links_y.from(j - 1), link_north = *at.links_y.from(j);
    const double* before = divergence.row(j, k) + i;
    double* __restrict u = next.x.row(j, k) + i;
    double* __restrict v = next.y.row(j, k) + i;
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
        left[m] = before[m] - dt * ((east_slope - west_slope) * over_x + (north_slope - south_slope) * over_y);
    }
}

// -dt tau D on `change` of layer k, with the divergence D in the first workspace.
void add_warming(LinearWaves& at, Index n, int k, double* change) {
    const int levels = levels_of(at);
    const double* tau = at.vertical->tau.data() + static_cast<Index>(k) * levels;
    for (int layer = 0; layer < levels; ++layer) add(change, work_row(at, 0, layer), -at.time_step * tau[layer], n);
}

// -dt p_ref nu D on `change`, likewise.
void add_pressing(LinearWaves& at, Index n, double* change) {
    const double weight = -at.time_step * at.vertical->pressure;  // Pa s
    for (int k = 0; k < levels_of(at); ++k) add(change, work_row(at, 0, k), weight * at.vertical->nu[k], n);
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

std::vector<double> implicit_work(const VerticalModes& vertical) {
    return std::vector<double>((2 * vertical.speeds.size() + 1) * static_cast<std::size_t>(chunk_columns));
}

void ModeSources::operator()(lapwing::Box box, View<double> modes, View<double> divergence, const ConstViews& wind_x,
                             const ConstViews& wind_y, const ConstViews& temperature, const ConstViews& pressure) {
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels_of(*this); ++k)
            find_divergence<SecondDifference>(*this, wind_x, wind_y, i, j, n, k, divergence.row(j, k) + i);
        find_geopotential<SecondDifference>(*this, temperature, pressure, i, j, n,
                                            [&](int k) { return work_row(*this, 1, k); });
        find_sources(*this, modes, divergence, i, j, n);
    });
}

void GeopotentialOfModes::operator()(lapwing::Box box, View<double> geopotential, View<const double> modes) {
    const int levels = levels_of(*this);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels; ++k) {
            double* whole = geopotential.row(j, k) + i;
            std::fill_n(whole, n, 0.0);
            const double* from_modes = vertical->from_modes.data() + static_cast<Index>(k) * levels;
            for (int mode = 0; mode < levels; ++mode) add(whole, modes.row(j, mode) + i, from_modes[mode], n);
        }
    });
}

void WaveCorrection::operator()(lapwing::Box box, View<double> wind_x, View<double> wind_y, View<double> temperature,
                                View<double> pressure, View<const double> geopotential, View<const double> divergence) {
    const int levels = levels_of(*this);
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels; ++k) correct_winds(*this, {wind_x, wind_y}, geopotential, divergence, i, j, n, k);
        for (int k = 0; k < levels; ++k) add_warming(*this, n, k, temperature.row(j, k) + i);
        add_pressing(*this, n, pressure.row(j) + i);
    });
}

void IncrementGeopotential::operator()(lapwing::Box box, View<double> geopotential, const ConstViews& temperature,
                                       const ConstViews& pressure) {
    for_chunks(box, [&](Index i, Index j, Index n) {
        find_geopotential<Increment>(*this, temperature, pressure, i, j, n,
                                     [&](int k) { return geopotential.row(j, k) + i; });
    });
}

namespace {

// Takes `amount` off what is advected and puts it where the trajectories end, in row j from column i on.
void split(const Views& field, const double* amount, Index i, Index j, Index n, Index k = 0) {
    double* __restrict advected = field[0].row(j, k) + i;
    double* __restrict at_end = field[1].row(j, k) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        advected[m] -= amount[m];
        at_end[m] += amount[m];
    }
}

// -dt grad P, of the winds of a row of one layer.
void split_winds(LinearWaves& at, const Views& wind_x, const Views& wind_y, const View<const double>& geopotential,
                 Index i, Index j, Index n, int k) {
    const double *here = geopotential.row(j, k) + i, *north = geopotential.row(j + 1, k) + i;
    const double* link = at.links_x.from(i);
    const double link_north = *at.links_y.from(j), to_x = -at.time_step * at.over_x, to_y = -at.time_step * at.over_y;
    double* __restrict amount = work_row(at, 1, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) amount[m] = to_x * link[m] * (here[m + 1] - here[m]);
    split(wind_x, amount, i, j, n, k);
#pragma omp simd
    for (Index m = 0; m < n; ++m) amount[m] = to_y * link_north * (north[m] - here[m]);
    split(wind_y, amount, i, j, n, k);
}

// Applies the divergence in the first workspace to temperature and pressure.
void split_air(LinearWaves& at, const Views& temperature, const Views& pressure, Index i, Index j, Index n) {
    double* amount = work_row(at, 1, 0);
    for (int k = 0; k < levels_of(at); ++k) {
        std::fill_n(amount, n, 0.0);
        add_warming(at, n, k, amount);
        split(temperature, amount, i, j, n, k);
    }
    std::fill_n(amount, n, 0.0);
    add_pressing(at, n, amount);
    split(pressure, amount, i, j, n);
}

}  // namespace

void IncrementSplit::operator()(lapwing::Box box, const Views& wind_x, const Views& wind_y, const Views& temperature,
                                const Views& pressure, View<const double> geopotential, const ConstViews& winds_x,
                                const ConstViews& winds_y) {
    for_chunks(box, [&](Index i, Index j, Index n) {
        for (int k = 0; k < levels_of(*this); ++k) {
            split_winds(*this, wind_x, wind_y, geopotential, i, j, n, k);
            find_divergence<Increment>(*this, winds_x, winds_y, i, j, n, k, work_row(*this, 0, k));
        }
        split_air(*this, temperature, pressure, i, j, n);
    });
}

}  // namespace lapwing_weather
