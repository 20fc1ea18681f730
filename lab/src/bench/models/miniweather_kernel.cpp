#include "models/miniweather_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lapwing::bench {

namespace {

constexpr double gravity = 9.8;                // m/s2
constexpr double heat_ratio = 1004.0 / 717.0;  // gamma = cp / cv
constexpr double hyperviscosity = 0.05;        // share of waves of two cells that a stage takes away
constexpr Index most = 64;                     // cells that are computed together: their fluxes stay in the cache

constexpr int variables = miniweather_variables;
constexpr int cells_of_face = 2 * miniweather_reach;
constexpr std::array<double, cells_of_face> mean{-1.0 / 12, 7.0 / 12, 7.0 / 12, -1.0 / 12};
constexpr std::array<double, cells_of_face> third{-1, 3, -3, 1};

// A value of each variable at each of some faces in a row.
struct Faces {
    alignas(64) double of[variables][most + 1];
};

// One row of cells for each of the four that a face of a row reads, with what each counts; and the background.
struct FaceRow {
    const double* cells[variables][cells_of_face];
    double factor[variables][cells_of_face];
    double density = 0, density_theta = 0, pressure = 0;
    double open = 1;  // 0: a wall, through which nothing flows
};

// Values at faces, and third differences across them, which the hyperviscosity takes.
void interpolate(const FaceRow& row, Index faces, Faces& value, Faces& difference) {
    for (int v = 0; v < variables; ++v) {
        const auto& [a, b, c, d] = row.cells[v];
        double m[cells_of_face], t[cells_of_face];
        for (int s = 0; s < cells_of_face; ++s) {
            m[s] = mean[s] * row.factor[v][s];
            t[s] = third[s] * row.factor[v][s];
        }
        for (Index i = 0; i < faces; ++i) {
            value.of[v][i] = m[0] * a[i] + m[1] * b[i] + m[2] * c[i] + m[3] * d[i];
            difference.of[v][i] = t[0] * a[i] + t[1] * b[i] + t[2] * c[i] + t[3] * d[i];
        }
    }
}

// The first factors of (1 + e)^gamma - 1 = e (gamma + e (gamma (gamma - 1) / 2 + ...)): exact to rounding up to `near`.
constexpr double near = 1.0 / 32;
constexpr auto series = [] {
    std::array<double, 9> factors{};
    double factor = 1;
    for (std::size_t n = 0; n < factors.size(); ++n) {
        factor *= (heat_ratio - static_cast<double>(n)) / static_cast<double>(n + 1);
        factors[n] = factor;
    }
    return factors;
}();

// Departures of the pressure: p0 ((1 + e)^gamma - 1), e = (rho theta)' / (rho theta)0. A power would take most of the
// time of the model, and lose digits where e is small.
void pressures(const FaceRow& row, Index faces, const double* density_theta, double* pressure) {
    const double per_theta = 1 / row.density_theta;
    int far = 0;
    for (Index i = 0; i < faces; ++i) {
        const double e = density_theta[i] * per_theta;
        double sum = series.back();
#pragma GCC unroll 16
        for (std::size_t n = series.size() - 1; n-- > 0;) sum = series[n] + e * sum;
        pressure[i] = row.pressure * (e * sum);
        far |= static_cast<int>(e > near) | static_cast<int>(e < -near);
    }
    for (Index i = 0; far != 0 && i < faces; ++i) {
        const double e = density_theta[i] * per_theta;
        if (std::abs(e) > near) pressure[i] = row.pressure * (std::pow(1 + e, heat_ratio) - 1);
    }
}

// The fluxes f (axis 0) or h (axis 1); `damping`: of third differences, m/s.
template <int axis>
void fluxes(const FaceRow& row, Index faces, double damping, Faces& flux) {
    Faces value, difference;
    alignas(64) double pressure[most + 1];
    interpolate(row, faces, value, difference);
    pressures(row, faces, value.of[3], pressure);
    for (Index i = 0; i < faces; ++i) {
        const double mass = value.of[1 + axis][i] * row.open;  // rho u or rho w
        const double along = mass / (value.of[0][i] + row.density);
        const double in_x = axis == 0 ? pressure[i] : 0.0, in_z = axis == 1 ? pressure[i] : 0.0;
        flux.of[0][i] = mass + damping * row.open * difference.of[0][i];
        flux.of[1][i] = along * value.of[1][i] + in_x + damping * difference.of[1][i];
        flux.of[2][i] = along * value.of[2][i] + in_z + damping * difference.of[2][i];
        flux.of[3][i] = along * (value.of[3][i] + row.density_theta) + damping * difference.of[3][i];
    }
}

// Faces of row k on the lower side, from cell i on: they read along the row.
FaceRow along_x(const MiniweatherModel& model, View<const double> at, Index i, Index k) {
    FaceRow row;
    for (int v = 0; v < variables; ++v) {
        for (int s = 0; s < cells_of_face; ++s) {
            row.cells[v][s] = at.row(k, 0, v) + i + s - miniweather_reach;
            row.factor[v][s] = 1;
        }
    }
    row.density = model.background.density[k + miniweather_reach];
    row.density_theta = model.background.density_theta[k];
    row.pressure = model.background.pressure[k];
    return row;
}

// Faces below row k. Beyond a wall lies what is in the cell at the wall: its rho' and theta', its u, and no w.
FaceRow along_z(const MiniweatherModel& model, View<const double> at, Index i, Index k) {
    const Background& background = model.background;
    FaceRow row;
    for (int s = 0; s < cells_of_face; ++s) {
        const Index level = k + s - miniweather_reach, inside = std::clamp<Index>(level, 0, model.nz - 1);
        for (int v = 0; v < variables; ++v) {
            row.cells[v][s] = at.row(inside, 0, v) + i;
            row.factor[v][s] = 1;
        }
        row.factor[1][s] =
            background.density[level + miniweather_reach] / background.density[inside + miniweather_reach];
        row.factor[2][s] = level == inside ? 1 : 0;
    }
    row.density = background.face_density[k];
    row.density_theta = background.face_density_theta[k];
    row.pressure = background.face_pressure[k];
    row.open = k == 0 || k == model.nz ? 0 : 1;
    return row;
}

// From cell i of row k on. `share` = dt / width of a cell; `weight` = dt g, or 0.
void update(const MiniweatherViews& views, Index i, Index k, Index cells, double share, double weight,
            const Faces& below, const Faces& above, Index shift) {
    const double* density = views.at.row(k, 0, 0) + i;
    for (int v = 0; v < variables; ++v) {
        const double* before = views.before.row(k, 0, v) + i;
        double* after = views.after.row(k, 0, v) + i;
        const double falls = v == 2 ? weight : 0.0;
#pragma GCC ivdep
        for (Index n = 0; n < cells; ++n) {
            const double divergence = share * (above.of[v][n + shift] - below.of[v][n]);
            after[n] = before[n] - divergence - falls * density[n];
        }
    }
}

void advance_x(const MiniweatherModel& model, double dt, const Box& box, const MiniweatherViews& views) {
    const double damping = hyperviscosity * model.dx / (16 * dt), share = dt / model.dx;
    Faces flux;
    for (Index k = box.lo[1]; k < box.hi[1]; ++k) {
        for (Index i = box.lo[0]; i < box.hi[0]; i += most) {
            const Index cells = std::min(most, box.hi[0] - i);
            fluxes<0>(along_x(model, views.at, i, k), cells + 1, damping, flux);
            update(views, i, k, cells, share, 0, flux, flux, 1);
        }
    }
}

void advance_z(const MiniweatherModel& model, double dt, const Box& box, const MiniweatherViews& views) {
    const double damping = hyperviscosity * model.dz / (16 * dt), share = dt / model.dz;
    std::array<Faces, 2> flux;
    for (Index i = box.lo[0]; i < box.hi[0]; i += most) {
        const Index cells = std::min(most, box.hi[0] - i);
        fluxes<1>(along_z(model, views.at, i, box.lo[1]), cells, damping, flux[box.lo[1] % 2]);
        for (Index k = box.lo[1]; k < box.hi[1]; ++k) {
            Faces &below = flux[k % 2], &above = flux[(k + 1) % 2];
            fluxes<1>(along_z(model, views.at, i, k + 1), cells, damping, above);
            update(views, i, k, cells, share, dt * gravity, below, above, 0);
        }
    }
}

}  // namespace

void advance(const MiniweatherModel& model, int axis, double dt, const Box& box, const MiniweatherViews& views) {
    (axis == 0 ? advance_x : advance_z)(model, dt, box, views);
}

}  // namespace lapwing::bench
