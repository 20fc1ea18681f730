#include "lapwing_coast/barotropic/transport_advection.hpp"

#include <algorithm>

namespace lapwing_coast {

namespace {

// The speeds of a row of cells and corners.
struct Speeds {
    double *from_behind, *from_here, *to_next, *from_next;
};

// The widths of the faces around a row of them.
template <class Width>
struct Widths {
    Width here, behind, side_here, side_ahead;
};

// Adds one layer of the row, still without the factors that are the same in every layer.
template <class Width>
void add_layer(const CarryingSpeeds& at, const View<const double>& along, const View<const double>& across,
               const View<const double>& over_thickness, const Widths<Width>& width, const Speeds& speeds, Index j,
               Index k, Index first, Index last) {
    const auto [di, dj] = ahead_along[at.axis];
    const double *here = along.row(j, k), *behind = along.row(j - dj, k) - di;
    const double *over = over_thickness.row(j), *over_behind = over_thickness.row(j - dj) - di;
    const double *side_here = across.row(j, k), *side_ahead = across.row(j + dj, k) + di;
    double* __restrict from_behind = speeds.from_behind, * __restrict from_here = speeds.from_here;
    double* __restrict to_next = speeds.to_next, * __restrict from_next = speeds.from_next;
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double q = 0.5 * (width.behind[i] * behind[i] + width.here[i] * here[i]);  // m2/s
        const double side = 0.5 * (width.side_here[i] * side_here[i] + width.side_ahead[i] * side_ahead[i]);
        const double from_back = behind[i] * over_behind[i], from_front = here[i] * over[i];  // m/s
        const double half = 0.5 * (q >= 0.0 ? from_back : from_front);
        from_behind[i] += (q >= 0.0 ? q : 0.0) * over_behind[i] + half * width.behind[i];
        from_here[i] += (q >= 0.0 ? 0.0 : q) * over[i] + half * width.here[i];
        to_next[i] += side >= 0.0 ? side : 0.0;
        from_next[i] += side >= 0.0 ? 0.0 : side;
    }
}

void finish_row(const CarryingSpeeds& at, const View<const double>& over_thickness, const Speeds& speeds, Index j,
                Index first, Index last) {
    const auto [di, dj] = ahead_along[at.axis];
    const double share = 1.0 / static_cast<double>(at.levels);
    const double *over = over_thickness.row(j), *over_next = over_thickness.row(j + di) + dj;
    double* __restrict from_behind = speeds.from_behind, * __restrict from_here = speeds.from_here;
    double* __restrict to_next = speeds.to_next, * __restrict from_next = speeds.from_next;
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        from_behind[i] *= share;
        from_here[i] *= share;
        to_next[i] *= share * over[i];
        from_next[i] *= share * over_next[i];
    }
}

}  // namespace

void CarryingSpeeds::operator()(Box box, View<double> from_behind, View<double> from_here, View<double> to_next,
                                View<double> from_next, View<const double> along, View<const double> across,
                                View<const double> over_thickness, const Views& width_along,
                                const Views& width_across) const {
    const auto [di, dj] = ahead_along[axis];
    const Index first = box.lo[0], last = box.hi[0];
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const Speeds speeds{from_behind.row(j), from_here.row(j), to_next.row(j), from_next.row(j)};
        for (double* speed : {speeds.from_behind, speeds.from_here, speeds.to_next, speeds.from_next})
            std::fill(speed + first, speed + last, 0.0);
        const auto add_layers = [&](const auto& widths) {
            for (Index k = 0; k < levels; ++k)
                add_layer(*this, along, across, over_thickness, widths, speeds, j, k, first, last);
        };
        if (width_along.empty()) {
            add_layers(Widths<Unit>{});
        } else {
            const View<const double>&w = width_along[0], &side = width_across[0];
            add_layers(Widths<Varying>{{w.row(j)}, {w.row(j - dj) - di}, {side.row(j)}, {side.row(j + dj) + di}});
        }
        finish_row(*this, over_thickness, speeds, j, first, last);
    }
}

void TransportAdvection::operator()(Box box, View<double> change, View<const double> transport,
                                    View<const double> face_depth, View<const double> from_behind,
                                    View<const double> from_here, View<const double> to_next,
                                    View<const double> from_next, const Views& over_face_area) const {
    const auto [di, dj] = ahead_along[axis];
    const auto advect_row = [&, di = di, dj = dj](Index j, const auto per_along, const auto per_across) {
        const double* here = transport.row(j);
        const double *behind = transport.row(j - dj) - di, *ahead = transport.row(j + dj) + di;
        const double *left = transport.row(j - di) - dj, *right = transport.row(j + di) + dj;
        const double *in_behind = from_behind.row(j), *in_here = from_here.row(j);
        const double *out_here = from_behind.row(j + dj) + di, *out_ahead = from_here.row(j + dj) + di;
        const double *left_left = to_next.row(j - di) - dj, *left_here = from_next.row(j - di) - dj;
        const double *right_here = to_next.row(j), *right_right = from_next.row(j);
        const double* depth = face_depth.row(j);
        double* __restrict changed = change.row(j);
#pragma omp simd
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double in = in_behind[i] * behind[i] + in_here[i] * here[i];                       // m3/s2
            const double out = out_here[i] * here[i] + out_ahead[i] * ahead[i];                      // m3/s2
            const double from_left = left_left[i] * left[i] + left_here[i] * here[i];                // m3/s2
            const double to_right = right_here[i] * here[i] + right_right[i] * right[i];             // m3/s2
            const double lost = per_along[i] * (out - in) + per_across[i] * (to_right - from_left);  // m2/s2
            changed[i] = depth[i] > 0.0 ? -lost : 0.0;
        }
    };
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        if (over_face_area.empty()) {
            advect_row(j, Same{over_along}, Same{over_across});
        } else {
            advect_row(j, Varying{over_face_area[0].row(j)}, Varying{over_face_area[0].row(j)});
        }
    }
}

}  // namespace lapwing_coast
