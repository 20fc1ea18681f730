// The acoustic wave equation of `lapwing bench acoustic`, a time step in one sweep over a box.
//
//   m d2u/dt2 = d2u/dx2 + d2u/dy2 + d2u/dz2,   m = 1 / c^2
//
// by the second order in time and the eighth in space, on cells of one width h; u is 0 beyond the grid:
//   u(n+1) = 2 u(n) - u(n-1) + k lap u(n),   k = (c dt / h)^2
// lap is the sum, over the three axes, of w0 u + sum over r = 1 ... 4 of w[r] (u(-r) + u(+r)).

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/sweep.hpp"

namespace lapwing::bench {

inline constexpr int acoustic_reach = 4;  // cells that the stencil reads along each axis, on both sides

// u, k, and u at n - 1, which becomes u at n + 1.
using AcousticViews = SweepViews<float>;

struct AcousticKernel {
    using Value = float;
    static constexpr int reach = acoustic_reach;

    // Steps the cells of a box. All views are laid out alike: one row and one plane more is as far in each, which
    // leaves registers for the stencil. Throws std::logic_error for arrays with different strides. Local.
    void step(const Box& box, const AcousticViews& views) const;
    // The same passes through memory without the neighbours of a cell: what memory allows at most. Local.
    void stream(const Box& box, const AcousticViews& views) const;
};

namespace {

// Weights of the second derivative of the eighth order: of the cell, and of those at 1 to 4 cells.
constexpr std::array<float, acoustic_reach + 1> weight{-205.0F / 72, 8.0F / 5, -1.0F / 5, 8.0F / 315, -1.0F / 560};

constexpr Index cache_bytes = 512 << 10;  // of the second cache, for the planes that a tile of rows reads
constexpr int together = 2;               // rows that are computed together: they share what they read
constexpr Index ahead = 2;                // rows that are fetched before they are needed, where memory is far:
constexpr Index far_bytes = 4 << 20;      // once the three arrays have this many bytes

// The cells of a row that are computed together, at any address: as many as fit into a register of `bytes` bytes, and
// one alone. No template takes the vector itself, whose alignment would be lost.
template <int bytes>
struct Register {
    typedef float Value __attribute__((vector_size(bytes), aligned(4), may_alias));
    static constexpr Index cells = bytes / sizeof(float);
    static const Value& at(const float* cell) { return *reinterpret_cast<const Value*>(cell); }
    static Value& to(float* cell) { return *reinterpret_cast<Value*>(cell); }
};
struct Single {
    using Value = float;
    static constexpr Index cells = 1;
    static const Value& at(const float* cell) { return *cell; }
    static Value& to(float* cell) { return *cell; }
};

// Pointers to the first cell of some rows, and values from a row and from a plane to the next.
struct Rows {
    const float* now;
    const float* courant;
    float* next;
    Index row, plane;

    [[nodiscard]] Rows from(Index cell) const { return {now + cell, courant + cell, next + cell, row, plane}; }
};

// Prefetches what lies far away: the last plane that is read, and what is read once. Beyond the end it does nothing.
[[gnu::always_inline]] inline void fetch(const Rows& at, Index row) {
    __builtin_prefetch(at.now + row * at.row + acoustic_reach * at.plane);
    __builtin_prefetch(at.courant + row * at.row);
    __builtin_prefetch(at.next + row * at.row, 1);
}

// The first cells of `rows` rows, as many as `Cells` holds of each. What the rows read along y is loaded once.
template <class Cells, int rows>
[[gnu::always_inline]] inline void step_cells(const Rows& first) {
    constexpr int reach = acoustic_reach;
    typename Cells::Value column[rows + 2 * reach], sum[rows];
#pragma GCC unroll 16
    for (int j = 0; j < rows + 2 * reach; ++j) column[j] = Cells::at(first.now + (j - reach) * first.row);
#pragma GCC unroll 8
    for (int j = 0; j < rows; ++j) {
        const float* u = first.now + j * first.row;
        sum[j] = 3 * weight[0] * column[j + reach];
#pragma GCC unroll 8
        for (int r = 1; r <= reach; ++r) {
            const Index z = r * first.plane;
            const auto along_x = Cells::at(u - r) + Cells::at(u + r);
            const auto along_y = column[j + reach - r] + column[j + reach + r];
            sum[j] += weight[r] * ((along_x + along_y) + (Cells::at(u - z) + Cells::at(u + z)));
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < rows; ++j) {
        const typename Cells::Value& u = column[j + reach];
        typename Cells::Value& next = Cells::to(first.next + j * first.row);
        next = ((u + u) - next) + Cells::at(first.courant + j * first.row) * sum[j];
    }
}

// From cell `begin` on, as many as `Cells` fit before `end`; gives the first one that is left.
template <class Cells, int rows, bool far>
[[gnu::always_inline]] inline Index step_part(const Rows& first, Index begin, Index end) {
    Index i = begin;
    for (; i + Cells::cells <= end; i += Cells::cells) {
        const Rows here = first.from(i);
        for (int j = 0; far && j < rows; ++j) fetch(here, ahead + j);
        step_cells<Cells, rows>(here);
    }
    return i;
}

// Not inlined: a loop around it takes registers that its addresses need.
template <int rows, bool far>
[[gnu::noinline]] void step_rows(const Rows& first, Index cells) {
    Index i = step_part<Register<64>, rows, far>(first, 0, cells);
    i = step_part<Register<16>, rows, false>(first, i, cells);
    step_part<Single, rows, false>(first, i, cells);
}

// Rows of a tile, so that the planes that it reads stay in the second cache from one plane to the next.
Index tile_rows(Index row) {
    constexpr Index planes = 2 * acoustic_reach + 1;
    const Index fit = cache_bytes / (planes * row * static_cast<Index>(sizeof(float))) - 2 * acoustic_reach;
    return std::max<Index>(fit / together, 4) * together;
}

// Values from a row to the next, and from a plane.
template <class T>
std::array<Index, 2> strides_of(const View<T>& view) {
    return {view.row(1, 0) - view.row(0, 0), view.row(0, 1) - view.row(0, 0)};
}

Rows rows_at(const AcousticViews& views, Index i, Index j, Index k) {
    const auto [row, plane] = strides_of(views.now);
    return {views.now.row(j, k) + i, views.factor.row(j, k) + i, views.next.row(j, k) + i, row, plane};
}

void require_alike(const AcousticViews& views) {
    const auto strides = strides_of(views.now);
    if (strides_of(views.factor) != strides || strides_of(views.next) != strides) {
        throw std::logic_error("acoustic: arrays that are not laid out alike");
    }
}

// Computes a number of rows of a plane.
template <bool far>
void step_plane(const Rows& first, Index rows, Index cells) {
    Index j = 0;
    for (; j + together <= rows; j += together) step_rows<together, far>(first.from(j * first.row), cells);
    for (; j < rows; ++j) step_rows<1, far>(first.from(j * first.row), cells);
}

}  // namespace

void AcousticKernel::step(const Box& box, const AcousticViews& views) const {
    require_alike(views);
    const Rows first = rows_at(views, box.lo[0], box.lo[1], box.lo[2]);
    const bool far = 3 * static_cast<Index>(sizeof(float)) * first.plane * box.size(2) > far_bytes;
    const auto plane = far ? step_plane<true> : step_plane<false>;
    const Index tile = tile_rows(first.row);
    for (Index j = 0; j < box.size(1); j += tile) {
        const Index rows = std::min(tile, box.size(1) - j);
        for (Index k = 0; k < box.size(2); ++k) plane(first.from(j * first.row + k * first.plane), rows, box.size(0));
    }
}

void AcousticKernel::stream(const Box& box, const AcousticViews& views) const {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const float* __restrict now = views.now.row(j, k);
            const float* __restrict courant = views.factor.row(j, k);
            float* __restrict next = views.next.row(j, k);
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) next[i] = (now[i] + now[i]) - next[i] + courant[i] * now[i];
        }
    }
}

namespace {

using Made = std::unique_ptr<SweepMethod<float>>;

Made made_step(Domain& domain, const std::string& strategy, const std::string& transport) {
    return std::make_unique<StepSweep<AcousticKernel>>(domain, AcousticKernel{}, strategy, transport);
}

Made made_hand(const Domain& domain, bool overlaps) {
    return std::make_unique<HandSweep<AcousticKernel>>(domain, AcousticKernel{}, overlaps);
}

Made made_limit(const Domain& domain) { return std::make_unique<LimitSweep<AcousticKernel>>(domain, AcousticKernel{}); }

}  // namespace

void bind_acoustic(nb::module_& module) {
    bind_sweep<float>(module, "AcousticMethod",
                      "One way to step the wave equation, written in C++: u, and the factor (c dt / h)^2.");
    module.def("step_acoustic", &made_step, "domain"_a, "strategy"_a, "transport"_a, nb::keep_alive<0, 1>(),
               "By a stage of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_acoustic", &made_hand, "domain"_a, "overlaps"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.");
    module.def("limit_acoustic", &made_limit, "domain"_a, nb::keep_alive<0, 1>(),
               "The same passes through memory, without any neighbours. Local.");
}

}  // namespace lapwing::bench
