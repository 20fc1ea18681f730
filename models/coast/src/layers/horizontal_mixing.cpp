#include "lapwing_coast/layers/horizontal_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lapwing/base/error.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"
#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

namespace {

// Elements i and i + `next` of two rows: the four values around a corner or a cell, or one value four times.
struct Four {
    const double *near, *far;  // rows
    Index next = 1;
    [[nodiscard]] double least(Index i) const {
        return std::min(std::min(near[i], near[i + next]), std::min(far[i], far[i + next]));
    }
    [[nodiscard]] double mean(Index i) const { return 0.25 * ((near[i] + near[i + next]) + (far[i] + far[i + next])); }
    [[nodiscard]] double mean_square(Index i) const {
        const auto square = [](double value) { return value * value; };
        return 0.25 * ((square(near[i]) + square(near[i + next])) + (square(far[i]) + square(far[i + next])));
    }
};

// The mean of two rows.
struct MeanOf {
    const double *one, *other;
    double operator[](Index i) const { return 0.5 * (one[i] + other[i]); }
};

// 1 over the values of a row.
struct Over {
    const double* values;
    double operator[](Index i) const { return 1.0 / values[i]; }
};

// One velocity of a row: the flow times 1 over the thickness, of a layer that is 1/over_thick of the mean.
struct Velocities {
    const double *flow, *over;
    double over_thick;
    double operator[](Index i) const { return over_thick * (flow[i] * over[i]); }
    [[nodiscard]] bool is_open(Index i) const { return over[i] > 0.0; }
};

// The velocities around row j of cells and their corners ahead.
struct StrainRow {
    double* __restrict tension;
    double* __restrict shear;
    Velocities u, u_behind, u_ahead, v, v_behind, v_ahead;  // behind along their axis, ahead across it
};

template <class Factor, class Corner>
void tension_row(const StrainRow& r, Index first, Index last, const Factor over_dx, const Corner over_dy) {
    double* __restrict tension = r.tension;
    for (Index i = first; i < last; ++i)
        tension[i] = over_dx[i] * (r.u[i] - r.u_behind[i]) - over_dy[i] * (r.v[i] - r.v_behind[i]);
}

template <class Factor, class Corner>
void shear_row(const StrainRow& r, Index first, Index last, const Factor over_dx, const Corner over_dy) {
    double* __restrict shear = r.shear;
    for (Index i = first; i < last; ++i) {
        const double found = over_dy[i] * (r.u_ahead[i] - r.u[i]) + over_dx[i] * (r.v_ahead[i] - r.v[i]);  // 1/s
        const bool open = r.u.is_open(i) && r.u_ahead.is_open(i) && r.v.is_open(i) && r.v_ahead.is_open(i);
        shear[i] = open ? found : 0.0;
    }
}

// The cells around the points of a row: their mean area and their least height.
struct SameCells {
    Four thickness;
    double size;  // m2
    [[nodiscard]] double area(Index) const { return size; }
    [[nodiscard]] double height(Index i) const { return thickness.least(i); }
};
struct VaryingCells {
    Four volume, areas;
    [[nodiscard]] double area(Index i) const { return areas.mean(i); }
    [[nodiscard]] double height(Index i) const {
        const auto least = [&](const double* v, const double* a) {
            return std::min(v[i] / a[i], v[i + volume.next] / a[i + volume.next]);
        };
        return std::min(least(volume.near, areas.near), least(volume.far, areas.far));
    }
};

// Rows of the stress and of what it is made of.
struct StressRow {
    double* __restrict stress;
    const double* own;
    Four other;
};

template <class Cells>
void stress_row(const MixingStress& at, const StressRow& r, Index first, Index last, const Cells cells) {
    const double c2 = at.mixing.smagorinsky * at.mixing.smagorinsky, nu = at.mixing.viscosity, most = at.largest;
    double* __restrict stress = r.stress;
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double own = r.own[i], strain = std::sqrt(own * own + r.other.mean_square(i));  // 1/s
        const double viscosity = std::min(nu + c2 * cells.area(i) * strain, most);            // m2/s
        stress[i] = cells.height(i) * viscosity * own;
    }
}

struct DivergenceRow {
    double* __restrict tendency;
    const double *tension, *tension_ahead, *shear, *shear_behind, *over_thickness;
};

template <class Along, class Across>
void diverge_row(const DivergenceRow& r, double sign, Index first, Index last, const Along over_along,
                 const Across over_across) {
    double* __restrict tendency = r.tendency;
    for (Index i = first; i < last; ++i) {
        const double along = sign * over_along[i] * (r.tension_ahead[i] - r.tension[i]);  // m2/s2
        const double across = over_across[i] * (r.shear[i] - r.shear_behind[i]);          // m2/s2
        tendency[i] += r.over_thickness[i] > 0.0 ? along + across : 0.0;
    }
}

// Calls work(j, k) for the rows of a box, layer after layer.
template <class Work>
void for_rows(const Box& box, Index levels, const Work& work) {
    for (Index k = 0; k < levels; ++k)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) work(j, k);
}

}  // namespace

double largest_diffusivity(const CoastSettings& settings, const CellMetrics& metrics, double time_step) {
    const auto of_cell = [time_step](double dx, double dy) {
        return 0.5 / (time_step * (1.0 / (dx * dx) + 1.0 / (dy * dy)));
    };
    if (!metrics.varies()) return of_cell(settings.spacing_x, settings.spacing_y);
    double largest = std::numeric_limits<double>::infinity();  // m2/s
    for (std::size_t cell = 0; cell < std::min(metrics.spacing_x.size(), metrics.spacing_y.size()); ++cell)
        largest = std::min(largest, of_cell(metrics.spacing_x[cell], metrics.spacing_y[cell]));
    return largest;
}

void check_mixing(const HorizontalMixing& mixing, double largest_diffusivity) {
    const auto check = [](const char* name, double value, double most, const char* unit, const std::string& why) {
        if (!(std::isfinite(value) && value >= 0.0 && value <= most))
            lapwing::user_error(name, text(value).append(" ").append(unit), why, "correct it, or take shorter steps");
    };
    const auto limit = [](double most) { return "0 to " + text(most) + " m2/s, for this time step and these cells"; };
    check("horizontal viscosity", mixing.viscosity, 0.5 * largest_diffusivity, "m2/s",
          limit(0.5 * largest_diffusivity));
    check("horizontal diffusivity", mixing.diffusivity, largest_diffusivity, "m2/s", limit(largest_diffusivity));
    check("Smagorinsky's coefficient", mixing.smagorinsky, 1.0, "", "0 to 1");
}

void Strain::operator()(Box box, View<double> tension, View<double> shear, View<const double> flow_x,
                        View<const double> flow_y, View<const double> over_thickness_x,
                        View<const double> over_thickness_y, const Views& over_distance_x,
                        const Views& over_distance_y) const {
    const Index first = box.lo[0], last = box.hi[0];
    for_rows(box, levels, [&](Index j, Index k) {
        const auto at = [&](const View<const double>& flow, const View<const double>& over, Index i, Index y) {
            return Velocities{flow.row(y, k) + i, over.row(y) + i, shape.over(k)};
        };
        const auto u = [&](Index i, Index y) { return at(flow_x, over_thickness_x, i, y); };
        const auto v = [&](Index i, Index y) { return at(flow_y, over_thickness_y, i, y); };
        const StrainRow row{tension.row(j, k), shear.row(j, k), u(0, j),     u(-1, j),
                            u(0, j + 1),       v(0, j),         v(0, j - 1), v(1, j)};
        if (over_distance_x.empty()) {
            const Same over_dx{over_spacing[0]}, over_dy{over_spacing[1]};
            tension_row(row, first, last, over_dx, over_dy);
            return shear_row(row, first, last, over_dx, over_dy);
        }
        const double *dx = over_distance_x[0].row(j), *dy = over_distance_y[0].row(j);
        tension_row(row, first, last, MeanOf{dx - 1, dx}, MeanOf{over_distance_y[0].row(j - 1), dy});
        shear_row(row, first, last, MeanOf{dx, over_distance_x[0].row(j + 1)}, MeanOf{dy, dy + 1});
    });
}

void MixingStress::operator()(Box box, View<double> stress, View<const double> own, View<const double> other,
                              View<const double> thickness, const Views& area_at) const {
    const Index ahead = at == lapwing::Location::corner ? 1 : 0, behind = 1 - ahead;
    for_rows(box, levels, [&](Index j, Index k) {
        const StressRow row{
            stress.row(j, k), own.row(j, k), {other.row(j - behind, k) - behind, other.row(j + ahead, k) - behind}};
        const Four heights{thickness.row(j, k), thickness.row(j + ahead, k), ahead};
        if (area_at.empty()) return stress_row(*this, row, box.lo[0], box.hi[0], SameCells{heights, area});
        const Four areas{area_at[0].row(j), area_at[0].row(j + ahead), ahead};
        stress_row(*this, row, box.lo[0], box.hi[0], VaryingCells{heights, areas});
    });
}

void MixMomentum::operator()(Box box, View<double> tendency, View<const double> tension_stress,
                             View<const double> shear_stress, View<const double> over_thickness,
                             const Views& over_distance, const Views& width) const {
    const auto [di, dj] = ahead_along[axis];
    const double sign = axis == lapwing::x ? 1.0 : -1.0;
    for_rows(box, levels, [&, di = di, dj = dj](Index j, Index k) {
        const DivergenceRow row{
            tendency.row(j, k),     tension_stress.row(j, k),         tension_stress.row(j + dj, k) + di,
            shear_stress.row(j, k), shear_stress.row(j - di, k) - dj, over_thickness.row(j)};
        if (over_distance.empty()) {
            diverge_row(row, sign, box.lo[0], box.hi[0], Same{over_along}, Same{over_across});
        } else {
            diverge_row(row, sign, box.lo[0], box.hi[0], Varying{over_distance[0].row(j)}, Over{width[0].row(j)});
        }
    });
}

namespace {

struct FluxRow {
    double* __restrict flux;
    const double *tracer, *tracer_ahead, *thickness, *thickness_ahead, *face_depth;
};

// `area` and `area_ahead` turn volumes on both sides into thicknesses.
template <class Factor, class Area>
void flux_row(const FluxRow& r, Index first, Index last, const Factor number, const Area area, const Area area_ahead) {
    double* __restrict flux = r.flux;
    for (Index i = first; i < last; ++i) {
        const double least = std::min(r.thickness[i] / area[i], r.thickness_ahead[i] / area_ahead[i]);  // m
        const double found = number[i] * least * (r.tracer_ahead[i] - r.tracer[i]);
        flux[i] = r.face_depth[i] > 0.0 ? found : 0.0;
    }
}

// dt K times the width of the faces over the distance of the cells.
struct Conductance {
    double number;
    const double *width, *over_distance;
    double operator[](Index i) const { return number * width[i] * over_distance[i]; }
};

}  // namespace

void DiffusiveFlux::operator()(Box box, View<double> flux, View<const double> tracer, View<const double> thickness,
                               View<const double> face_depth, const Views& area, const Views& width,
                               const Views& over_distance) const {
    const auto [di, dj] = ahead_along[axis];
    for_rows(box, levels, [&, di = di, dj = dj](Index j, Index k) {
        const FluxRow row{flux.row(j, k),
                          tracer.row(j, k),
                          tracer.row(j + dj, k) + di,
                          thickness.row(j, k),
                          thickness.row(j + dj, k) + di,
                          face_depth.row(j)};
        if (area.empty()) {
            flux_row(row, box.lo[0], box.hi[0], Same{number}, Unit{}, Unit{});
        } else {
            flux_row(row, box.lo[0], box.hi[0], Conductance{number, width[0].row(j), over_distance[0].row(j)},
                     Varying{area[0].row(j)}, Varying{area[0].row(j + dj) + di});
        }
    });
}

void TakeFlux::operator()(Box box, View<double> tracer, View<const double> flux_x, View<const double> flux_y,
                          View<const double> thickness) const {
    for_rows(box, levels, [&](Index j, Index k) {
        const double *x = flux_x.row(j, k), *y = flux_y.row(j, k), *y_behind = flux_y.row(j - 1, k);
        const double* thick = thickness.row(j, k);
        double* __restrict c = tracer.row(j, k);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) c[i] += ((x[i] - x[i - 1]) + (y[i] - y_behind[i])) / thick[i];
    });
}

}  // namespace lapwing_coast
