#include "lapwing_coast/tracer/flow_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "lapwing/mpi/reduction.hpp"

#include "lapwing_coast/setup_check.hpp"
#include "lapwing_coast/state_check.hpp"
#include "tracer/flow_rows.hpp"

namespace lapwing_coast {

using lapwing::Domain;
using lapwing::Index3;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// True if `a` comes before `b` among cells with equal values.
bool is_earlier(const Extreme& a, const Extreme& b) {
    const auto key = [](const Extreme& e) { return std::array{e.cell[2], e.cell[1], e.cell[0], Index{e.fraction}}; };
    return key(a) < key(b);
}

// The extremes of values that must be small, and of values that must be large.
Extreme larger(const Extreme& a, const Extreme& b) {
    if (a.value != b.value) return a.value > b.value ? a : b;
    return is_earlier(a, b) ? a : b;
}
Extreme smaller(const Extreme& a, const Extreme& b) {
    if (a.value != b.value) return a.value < b.value ? a : b;
    return is_earlier(a, b) ? a : b;
}

// The share of a cell that leaves it, in the rows of a fractional step.
template <class... Flows>
double share_of(Index c, const double* thickness, double time_step, const Flows&... flows) {
    const double share = time_step * (... + flows.outflow(c)) / thickness[c];
    const double known = share >= 0.0 ? share : infinite;  // it may not be a number
    return thickness[c] > 0.0 ? known : 0.0;               // else it is the thickness that is found
}

// True if a cell of the row can have a share as large as `most`, or is thinner than `least`: without a division, which
// costs more than all else. No flows: whether it is thinner.
template <class... Flows>
bool may_exceed(double most, double least, const double* thickness, double time_step, Index n, const Flows... flows) {
    const double nearly = most * (1.0 - 1e-12);
    double exceeding = 0.0;
#pragma omp simd reduction(+ : exceeding)
    for (Index c = 0; c < n; ++c) {
        const bool slow = time_step * (0.0 + ... + flows.outflow(c)) <= nearly * thickness[c];
        const bool thick = thickness[c] >= least;
        exceeding += slow & thick ? 0.0 : 1.0;
    }
    return exceeding > 0.0;
}

// Looks for worse limits in rows before fractional step `f`, or in the end: only a row that can have them is searched
// by cells. Rows of equally thin layers that come later are skipped.
class Search {
  public:
    Search(const LayerFlow& at, std::size_t f, FlowLimits& limits)
        : at_(at), layers_(layers_of(at)), fraction_(static_cast<int>(f)), limits_(limits) {}

    template <class... Flows>
    void row(Index3 cell, Index n, const double* thickness, const Flows... flows) {
        Extreme &share = limits_.share, &thinnest = limits_.thickness;
        const bool earlier = is_earlier({0.0, cell, fraction_}, thinnest);
        const double least = earlier ? std::nextafter(thinnest.value, infinite) : thinnest.value;
        if (!may_exceed(share.value, least, thickness, at_.time_step, n, flows...)) return;
        for (Index c = 0; c < n; ++c, ++cell[layers_.cell_axis()]) {
            const double known = thickness[c] == thickness[c] ? thickness[c] : -infinite;
            thinnest = smaller(thinnest, {known, cell, fraction_});
            if constexpr (sizeof...(flows) > 0)
                share = larger(share, {share_of(c, thickness, at_.time_step, flows...), cell, fraction_});
        }
    }

  private:
    const LayerFlow& at_;
    Layers layers_;
    int fraction_;
    FlowLimits& limits_;
};

void look_before(const LayerFlow& at, std::size_t f, const Box& box, FlowLimits& limits) {
    const Layers layers = layers_of(at);
    const Fraction& fraction = fractions_of(at.split)[f];
    Search search(at, f, limits);
    for_planes(layers, fraction.axis(), box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const auto thickness = rows_at(layers, at.thickness[f], cell);
        with_flows(at, fraction, cell, [&](const auto&... flows) {
            for (Index p = 0; p < planes; ++p)
                for (Index r = 0; r < rows; ++r)
                    search.row(layers.cell(cell, p, r), n, thickness(p, r), flows.row(p, r)...);
        });
    });
}

void look_in_the_end(const LayerFlow& at, const Box& box, FlowLimits& limits) {
    const Layers layers = layers_of(at);
    Search search(at, fractions_of(at.split).size(), limits);
    for_planes(layers, lapwing::x, box, [&](const Index3& cell, Index planes, Index rows, Index n) {
        const auto thickness = rows_at(layers, new_thickness(at), cell);
        for (Index p = 0; p < planes; ++p)
            for (Index r = 0; r < rows; ++r) search.row(layers.cell(cell, p, r), n, thickness(p, r));
    });
}

// Returns how far the surface of a column would have to move beyond what its thickness says.
Extreme surface_of(const LayerFlow& at, Index i, Index j) {
    const Index top = at.levels - 1;
    const double below = top > 0 ? at.flow_z(i, j, top - 1) : 0.0;  // m/s
    const double left = below - horizontal_loss(at, i, j, top) - growth(at, i, j, top);
    const double share = std::abs(left) * at.time_step / at.thickness[0](i, j, top);
    return {share >= 0.0 ? share : infinite, {i, j, top}};
}

bool is_in(std::span<const Box> boxes, Index i, Index j) {
    return std::ranges::any_of(boxes, [&](const Box& cells) { return cells.contains(Index3{i, j, 0}); });
}

// Returns the place of an extreme as one number, in the order of `is_earlier`.
struct Numbering {
    Index3 size;
    static constexpr Index fractions = most_fractions + 1;

    [[nodiscard]] Index number(const Extreme& at) const {
        return ((at.cell[2] * size[1] + at.cell[1]) * size[0] + at.cell[0]) * fractions + at.fraction;
    }
    [[nodiscard]] Extreme extreme(double value, Index number) const {
        const Index cell = number / fractions;
        return {value,
                {cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1]},
                static_cast<int>(number % fractions)};
    }
};

[[noreturn]] void stop(const std::string& got, const std::string& expected, const Extreme& at, Index step,
                       const std::string& remedy) {
    throw lapwing::StateError("flow of the tracers: got " + got + " at step " + std::to_string(step) + ", cell " +
                              text(at.cell) + "; expected " + expected + "; " + remedy);
}

void require_kept(const FlowLimits& limits, Split split, Index step) {
    const auto fractions = fractions_of(split);
    if (!limits.share_is_kept())
        stop("a flow that takes " + text(limits.share.value) + " of a cell along " +
                 axes_of(fractions[limits.share.fraction]),
             "at most 1 in a fractional step", limits.share, step, "choose a shorter time step");
    const std::size_t number = limits.thickness.fraction;
    if (!limits.thickness_is_kept())
        stop(text(limits.thickness.value) + " m of water in a layer " +
                 (number < fractions.size() ? "before the fractional step along " + axes_of(fractions[number])
                                            : "in the end"),
             "more than 0 m", limits.thickness, step, "choose a shorter time step or more depth there");
    if (!limits.surface_is_kept())
        stop("a surface that moves by " + text(limits.surface.value) + " of the uppermost layer without water",
             "layers that grow as the flow brings water", limits.surface, step,
             "compute thicknesses and flow from the same transports");
}

}  // namespace

FlowLimits flow_limits(const LayerFlow& at, const Box& box, std::span<const Box> prescribed) {
    FlowLimits limits;
    for_parts(layers_of(at), box, [&](const Box& part) {
        for (std::size_t f = 0; f < fractions_of(at.split).size(); ++f) look_before(at, f, part, limits);
        look_in_the_end(at, part, limits);
    });
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            if (!is_in(prescribed, i, j)) limits.surface = larger(limits.surface, surface_of(at, i, j));
    return limits;
}

FlowLimits worse(const FlowLimits& a, const FlowLimits& b) {
    return {larger(a.share, b.share), smaller(a.thickness, b.thickness), larger(a.surface, b.surface)};
}

FlowLimits of_all_ranks(const Domain& domain, const FlowLimits& mine) {
    const Numbering numbering{domain.partition().grid().size};
    const auto worst = [&](const Extreme& local, double sign) {
        const double value = sign * lapwing::maximum(domain, sign * local.value);
        const bool is_here = local.value == value;
        const Index here = is_here ? numbering.number(local) : std::numeric_limits<Index>::max();
        return numbering.extreme(value, lapwing::minimum(domain, here));
    };
    return {worst(mine.share, 1.0), worst(mine.thickness, -1.0), worst(mine.surface, 1.0)};
}

void check_limits(const Domain& domain, const FlowLimits& mine, Split split, Index step_number) {
    if (lapwing::any(domain, !mine.all_are_kept())) require_kept(of_all_ranks(domain, mine), split, step_number);
}

std::string axes_of(const Fraction& fraction) {
    std::string axes;
    for (const Axis axis : {lapwing::x, lapwing::y, lapwing::z}) {
        if (!fraction.moves_along(axis)) continue;
        axes += axes.empty() ? "" : " and ";
        axes += axis_names[axis];
    }
    return axes;
}

std::string text(const Index3& cell) {
    std::ostringstream out;
    out << "(" << cell[0] << ", " << cell[1] << ", " << cell[2] << ")";
    return out.str();
}

}  // namespace lapwing_coast
