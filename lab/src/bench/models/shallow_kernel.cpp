#include "models/shallow_kernel.hpp"

#include <algorithm>
#include <array>

namespace lapwing::bench {

namespace {

constexpr Index tile = 496;   // cells of a row at a time, so that all rows below stay in the nearest cache
constexpr Index margin = 16;  // values before the first cell of a row: it begins a line
constexpr Index length = tile + 2 * margin;  // values of a row

// One row of a number that is computed on the way, addressed like a row of a field.
template <class Real>
struct alignas(64) Row {
    std::array<Real, length> values;
};

// The rows of a number at j and at j - 1.
template <class Real>
class TwoRows {
  public:
    Real* at(Index j, Index i0) { return rows_[j & 1].values.data() + margin - i0; }

  private:
    std::array<Row<Real>, 2> rows_;
};

// A tile of columns, swept from south to north. The numbers carry factors that are left out until the end:
//   sum = h(i) + h(i+1)              twice the depth at the east face
//   east, north = 2 h u, 2 h v       fluxes through faces
//   vorticity = q / 4
//   energy = 4 K
template <class Real>
class Sweep {
  public:
    Sweep(const ShallowStep<Real>& step, const ShallowViews<Real>& views) : step_(step), views_(views) {}

    void run(const Box& box) {
        i0_ = box.lo[0];
        i1_ = box.hi[0];
        flow(box.lo[1] - 1);
        for (Index j = box.lo[1]; j <= box.hi[1]; ++j) {
            flow(j);
            fluxes(j);
            if (j > box.lo[1]) finish(j - 1);
        }
    }

  private:
    // No depth beyond a wall: that of the cell next to it.
    const Real* depth(Index j) const { return views_.h.row(std::clamp(j, Index{0}, step_.rows - 1)); }

    void flow(Index j);
    void fluxes(Index j);
    void finish(Index j);

    const ShallowStep<Real>& step_;
    const ShallowViews<Real>& views_;
    Index i0_ = 0, i1_ = 0;
    TwoRows<Real> u_, v_, sum_, east_, north_, vorticity_, energy_;
};

// A row of u or v after friction. Nothing passes through walls.
template <class Real>
[[gnu::always_inline]] inline void friction_row(const ShallowStep<Real>& step, View<const Real> before, Index j,
                                                Index i0, Index i1, Real keep, Real* __restrict out) {
    const Real *south = before.row(j - 1), *here = before.row(j), *north = before.row(j + 1);
    const Real x = step.friction_x;
    const Real to_south = j > 0 ? step.friction_y : 0, to_north = j < step.rows - 1 ? step.friction_y : 0;
    for (Index i = i0; i < i1; ++i) {
        const Real along = x * ((here[i + 1] - here[i]) - (here[i] - here[i - 1]));
        const Real across = to_north * (north[i] - here[i]) - to_south * (here[i] - south[i]);
        out[i] = keep * (here[i] + (along + across));
    }
}

// Nothing flows through the walls, which are the north faces of row -1 and of the last one.
template <class Real>
Real kept_v(const ShallowStep<Real>& step, Index j) {
    return j < 0 || j >= step.rows - 1 ? Real{0} : Real{1};
}

template <class Real>
void Sweep<Real>::flow(Index j) {
    friction_row(step_, views_.u, j, i0_ - 1, i1_ + 1, Real{1}, u_.at(j, i0_));
    friction_row(step_, views_.v, j, i0_ - 1, i1_ + 1, kept_v(step_, j), v_.at(j, i0_));
    const Real* h = depth(j);
    Real* __restrict sum = sum_.at(j, i0_);
    for (Index i = i0_ - 1; i < i1_; ++i) sum[i] = h[i] + h[i + 1];
}

// Adds row j: its fluxes and energy, and what lies between it and row j - 1.
template <class Real>
void Sweep<Real>::fluxes(Index j) {
    const Real *u = u_.at(j, i0_), *v = v_.at(j, i0_), *u_south = u_.at(j - 1, i0_), *v_south = v_.at(j - 1, i0_);
    const Real *sum = sum_.at(j, i0_), *sum_south = sum_.at(j - 1, i0_), *h = depth(j), *h_south = depth(j - 1);
    Real* __restrict east = east_.at(j, i0_);
    Real* __restrict energy = energy_.at(j, i0_);
    Real* __restrict north = north_.at(j - 1, i0_);
    Real* __restrict vorticity = vorticity_.at(j - 1, i0_);
    const Real coriolis = step_.coriolis + static_cast<Real>(j - 1) * step_.beta_dy;
    const Real per_dx = step_.per_dx, per_dy = step_.per_dy;
    // two of them are also needed in the column before the first cell, the others in the one behind the last
    const auto east_and_vorticity = [&](Index i) {
        east[i] = sum[i] * u[i];
        const Real turning = (v_south[i + 1] - v_south[i]) * per_dx - (u[i] - u_south[i]) * per_dy;
        vorticity[i] = (coriolis + turning) / (sum_south[i] + sum[i]);
    };
    const auto north_and_energy = [&](Index i) {
        north[i] = (h_south[i] + h[i]) * v_south[i];
        energy[i] = (u[i] * u[i] + u[i - 1] * u[i - 1]) + (v[i] * v[i] + v_south[i] * v_south[i]);
    };
    east_and_vorticity(i0_ - 1);
#pragma GCC ivdep  // rows of different arrays
    for (Index i = i0_; i < i1_; ++i) {
        east_and_vorticity(i);
        north_and_energy(i);
    }
    north_and_energy(i1_);
}

template <class Real>
void Sweep<Real>::finish(Index j) {
    const Real *u = u_.at(j, i0_), *v = v_.at(j, i0_), *h = views_.h.row(j), *h_north = depth(j + 1);
    const Real *east = east_.at(j, i0_), *east_n = east_.at(j + 1, i0_);
    const Real *north = north_.at(j, i0_), *north_s = north_.at(j - 1, i0_);
    const Real *q = vorticity_.at(j, i0_), *q_s = vorticity_.at(j - 1, i0_);
    const Real *energy = energy_.at(j, i0_), *energy_n = energy_.at(j + 1, i0_);
    Real* __restrict new_h = views_.new_h.row(j);
    Real* __restrict new_u = views_.new_u.row(j);
    Real* __restrict new_v = views_.new_v.row(j);
    Real* __restrict dh = views_.dh.row(j);
    Real* __restrict du = views_.du.row(j);
    Real* __restrict dv = views_.dv.row(j);
    const Real half{0.5}, quarter{0.25}, keep = kept_v(step_, j), dt = step_.dt;
    const Real half_x = half * step_.per_dx, half_y = half * step_.per_dy;
    const Real quarter_x = quarter * step_.per_dx, quarter_y = quarter * step_.per_dy;
    const Real g_x = step_.gravity_x, g_y = step_.gravity_y, now = step_.now, before = step_.before;
#pragma GCC ivdep  // rows of different arrays
    for (Index i = i0_; i < i1_; ++i) {
        const Real dh_now = (east[i - 1] - east[i]) * half_x + (north_s[i] - north[i]) * half_y;
        const Real along_u = half * (q[i] * (north[i] + north[i + 1]) + q_s[i] * (north_s[i] + north_s[i + 1]));
        const Real along_v = half * (q[i] * (east[i] + east_n[i]) + q[i - 1] * (east[i - 1] + east_n[i - 1]));
        const Real du_now = along_u - g_x * (h[i + 1] - h[i]) - quarter_x * (energy[i + 1] - energy[i]);
        const Real dv_now = -along_v - g_y * (h_north[i] - h[i]) - quarter_y * (energy_n[i] - energy[i]);
        new_h[i] = h[i] + dt * (now * dh_now + before * dh[i]);
        new_u[i] = u[i] + dt * (now * du_now + before * du[i]);
        new_v[i] = keep * (v[i] + dt * (now * dv_now + before * dv[i]));
        dh[i] = dh_now;
        du[i] = du_now;
        dv[i] = dv_now;
    }
}

}  // namespace

template <class Real>
void step_shallow(const ShallowStep<Real>& step, const Box& box, const ShallowViews<Real>& views) {
    Sweep<Real> sweep(step, views);
    for (Index i = box.lo[0]; i < box.hi[0]; i += tile) {
        sweep.run({{i, box.lo[1], 0}, {std::min(i + tile, box.hi[0]), box.hi[1], 1}});
    }
}

template <class Real>
void add_friction(const ShallowStep<Real>& step, const Box& box, int component, View<const Real> before,
                  View<Real> after) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const Real keep = component == 1 ? kept_v(step, j) : Real{1};
        friction_row(step, before, j, box.lo[0], box.hi[0], keep, after.row(j));
    }
}

template void step_shallow(const ShallowStep<float>&, const Box&, const ShallowViews<float>&);
template void step_shallow(const ShallowStep<double>&, const Box&, const ShallowViews<double>&);
template void add_friction(const ShallowStep<float>&, const Box&, int, View<const float>, View<float>);
template void add_friction(const ShallowStep<double>&, const Box&, int, View<const double>, View<double>);

}  // namespace lapwing::bench
