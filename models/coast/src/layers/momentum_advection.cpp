#include "lapwing_coast/layers/momentum_advection.hpp"

#include <algorithm>
#include <type_traits>

#include "lapwing_coast/row_vectors.hpp"

namespace lapwing_coast {

namespace {

// Rows around a row of faces; element n of each belongs to the n-th face.
struct Rows {
    double* __restrict tendency;
    const double *here, *behind, *ahead, *left, *right;                      // flow along the axis, m2/s
    const double *over, *over_behind, *over_ahead, *over_left, *over_right;  // 1 over the thicknesses there, 1/m
    const double *across, *across_ahead;                                     // flow at the corners on the left, m2/s
    const double *across_right, *across_right_ahead;                         // and on the right
    const double *below, *above;                                             // flow along the axis in those layers
    const double *through_bottom, *through_bottom_ahead;                     // vertical velocity, m/s
    const double *through_top, *through_top_ahead;
};

// The fields that rows are taken from.
struct Fields {
    View<double> tendency;
    View<const double> along, across, vertical_velocity, over_thickness;
};

// "Left" is one face behind across the axis, "right" one ahead.
Rows rows_of(const MomentumAdvection& at, const Fields& fields, Index i, Index j, Index k) {
    const auto [di, dj] = ahead_along[at.axis];
    const Index below = std::max<Index>(k - 1, 0), above = std::min<Index>(k + 1, at.levels - 1);
    const auto flow = [&](Index x, Index y) { return fields.along.row(y, k) + x; };
    const auto over = [&](Index x, Index y) { return fields.over_thickness.row(y) + x; };
    const auto across = [&](Index x, Index y) { return fields.across.row(y, k) + x; };
    const auto through = [&](Index x, Index y, Index layer) { return fields.vertical_velocity.row(y, layer) + x; };
    return {fields.tendency.row(j, k) + i,
            flow(i, j),
            flow(i - di, j - dj),
            flow(i + di, j + dj),
            flow(i - dj, j - di),
            flow(i + dj, j + di),
            over(i, j),
            over(i - di, j - dj),
            over(i + di, j + dj),
            over(i - dj, j - di),
            over(i + dj, j + di),
            across(i - dj, j - di),
            across(i - dj + di, j - di + dj),
            across(i, j),
            across(i + di, j + dj),
            fields.along.row(j, below) + i,
            fields.along.row(j, above) + i,
            through(i, j, below),
            through(i + di, j + dj, below),
            through(i, j, k),
            through(i + di, j + dj, k)};
}

// The metrics around a row of faces; "across" are the faces that Rows calls so.
template <class Width, class Factor>
struct Lengths {
    Width here, behind, ahead, across, across_ahead, across_right, across_right_ahead, over_area;
    Factor over_along, over_across;
    Width widening_along, widening_across;
};

// The change of momentum along an axis by the flow across it, because the axes turn, m2/s2.
template <class Metric>
[[gnu::always_inline]] inline double turned(const Rows& r, const Metric& m, double u, Index i) {
    const double flow = 0.25 * ((r.across[i] + r.across_ahead[i]) + (r.across_right[i] + r.across_right_ahead[i]));
    return flow * (flow * r.over[i] * m.widening_along[i] - u * m.widening_across[i]);
}

// Both ways it may flow are computed, so that the loop has no branch.
inline double carried(double flow, double from, double to) { return flow * (flow >= 0.0 ? from : to); }

inline double mean(double a, double b) { return 0.5 * (a + b); }

// What leaves the cells around faces through their sides, with the velocity u of the face; m2/s2.
template <class Metric>
[[gnu::always_inline]] inline double through_sides(const Rows& r, const Metric& m, double u, Index i) {
    const double in =
        carried(mean(m.behind[i] * r.behind[i], m.here[i] * r.here[i]), r.behind[i] * r.over_behind[i], u);
    const double out = carried(mean(m.here[i] * r.here[i], m.ahead[i] * r.ahead[i]), u, r.ahead[i] * r.over_ahead[i]);
    const double to_left = mean(m.across[i] * r.across[i], m.across_ahead[i] * r.across_ahead[i]);
    const double to_right =
        mean(m.across_right[i] * r.across_right[i], m.across_right_ahead[i] * r.across_right_ahead[i]);
    const double left = carried(to_left, r.left[i] * r.over_left[i], u);
    const double right = carried(to_right, u, r.right[i] * r.over_right[i]);
    return m.over_along[i] * (out - in) + m.over_across[i] * (right - left);
}

// The mean thickness over the thicknesses of a layer and its neighbours: what makes velocities of `Rows` theirs.
struct OverThickness {
    double here, below, above;
};

// The flow through the bottom of a layer is computed again, as the layer below found it: that is cheaper than a second
// pass over the tendency. Nothing is advected through the sea's bottom and surface.
template <bool has_below, bool has_above, bool varies, class Metric>
void advect_row(const Rows& r, Index n, const Metric& m, const OverThickness& share) {
    double* __restrict tendency = r.tendency;
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, tendency, r.above, r.across_right_ahead, r.through_top_ahead);
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double u = r.here[i] * r.over[i];                        // m/s
            const double change = share.here * through_sides(r, m, u, i);  // m2/s2
            double value = tendency[i] - (r.over[i] > 0.0 ? change : 0.0);
            if constexpr (has_below)
                value += m.over_area[i] * carried(mean(r.through_bottom[i], r.through_bottom_ahead[i]),
                                                  share.below * (r.below[i] * r.over[i]), share.here * u);
            if constexpr (has_above)
                value -= m.over_area[i] * carried(mean(r.through_top[i], r.through_top_ahead[i]), share.here * u,
                                                  share.above * (r.above[i] * r.over[i]));
            if constexpr (varies) value += share.here * turned(r, m, u, i);
            tendency[i] = value;
        }
    });
}

struct SameLengths {
    Lengths<Unit, Same> row(Index, Index) const { return {.over_along = {over_along}, .over_across = {over_across}}; }
    double over_along, over_across;
};

struct VaryingLengths {
    Axis axis;
    const View<const double>&width, &width_across, &over_face_area, &widening_along, &widening_across;

    [[nodiscard]] Lengths<Varying, Varying> row(Index i, Index j) const {
        const auto [di, dj] = ahead_along[axis];
        const auto at = [](const View<const double>& view, Index x, Index y) { return Varying{view.row(y) + x}; };
        const Varying over = at(over_face_area, i, j);
        return {at(width, i, j),
                at(width, i - di, j - dj),
                at(width, i + di, j + dj),
                at(width_across, i - dj, j - di),
                at(width_across, i - dj + di, j - di + dj),
                at(width_across, i, j),
                at(width_across, i + di, j + dj),
                over,
                over,
                over,
                at(widening_along, i, j),
                at(widening_across, i, j)};
    }
};

template <bool varies, class Metrics>
void advect(const MomentumAdvection& at, const Fields& fields, const Metrics& metrics, const Box& box) {
    const auto layer = [&]<bool has_below, bool has_above>(Index k, std::bool_constant<has_below>,
                                                           std::bool_constant<has_above>) {
        const OverThickness share{at.shape.over(k), has_below ? at.shape.over(k - 1) : 1.0,
                                  has_above ? at.shape.over(k + 1) : 1.0};
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            advect_row<has_below, has_above, varies>(rows_of(at, fields, box.lo[0], j, k), box.size(0),
                                                     metrics.row(box.lo[0], j), share);
    };
    const std::true_type yes;
    const std::false_type no;
    const Index top = at.levels - 1;
    if (top == 0) return layer(0, no, no);
    layer(0, no, yes);
    for (Index k = 1; k < top; ++k) layer(k, yes, yes);
    layer(top, yes, no);
}

}  // namespace

void MomentumAdvection::operator()(Box box, View<double> tendency, View<const double> along, View<const double> across,
                                   View<const double> vertical_velocity, View<const double> over_thickness,
                                   const Views& width, const Views& width_across, const Views& over_face_area,
                                   const Views& widening_along, const Views& widening_across) const {
    const Fields fields{tendency, along, across, vertical_velocity, over_thickness};
    if (width.empty()) return advect<false>(*this, fields, SameLengths{over_along, over_across}, box);
    const VaryingLengths lengths{
        axis, width[0], width_across[0], over_face_area[0], widening_along[0], widening_across[0]};
    advect<true>(*this, fields, lengths, box);
}

}  // namespace lapwing_coast
