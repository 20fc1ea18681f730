#include "lapwing_lattice/kernels.hpp"

#include <algorithm>

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Index;
using lapwing::Index3;
using lapwing::View;

namespace {

constexpr Index chunk_bytes = 1024;  // of a population: all 19 stay in the nearest cache

template <class T>
constexpr Index chunk = chunk_bytes / static_cast<Index>(sizeof(T));

// Populations of a piece of a row.
template <class T>
struct alignas(64) Piece {
    T f[directions][static_cast<std::size_t>(chunk<T>)];
    T extra[static_cast<std::size_t>(chunk<T>)][directions];  // what pressure sides add, by cell and direction
};

// Cell i of population q is rows[q][i].
template <class T>
using Rows = std::array<T*, directions>;

// Where the populations of a row's cells are read: those that fly `sign` times their velocity away.
template <class T>
Rows<T> rows_at(const View<T>& view, Index j, Index k, Index sign, bool exchanged) {
    Rows<T> rows;
    for (std::size_t q = 0; q < directions; ++q) {
        const Index3& c = velocities[q];
        const auto stored = static_cast<Index>(exchanged ? opposite(q) : q);
        rows[q] = view.row(j + sign * c[1], k + sign * c[2], stored) + sign * c[0];
    }
    return rows;
}

template <class T>
struct RowsOfPattern {
    Rows<T> in, out;
    Rows<T> echo_in;   // where population q waits that comes from a wall; only with `echoes_apart`
    Rows<T> echo_out;  // where it is left for the next step
    bool echoes_apart = false;
};

template <class T>
RowsOfPattern<T> rows_of(Pattern pattern, const View<T>& from, const View<T>& to, Index j, Index k) {
    switch (pattern) {
        case Pattern::pull:
            return {rows_at(from, j, k, -1, false), rows_at(to, j, k, 0, false), rows_at(from, j, k, 0, true), {}, true};
        case Pattern::around:
            return {rows_at(from, j, k, -1, true), rows_at(to, j, k, 1, false), rows_at(from, j, k, 0, false),
                    rows_at(to, j, k, 0, false), true};
        case Pattern::within: break;
    }
    return {rows_at(from, j, k, 0, false), rows_at(to, j, k, 0, true), {}, {}, false};
}

template <class T>
void load(Piece<T>& piece, const Rows<T>& rows, Index i, Index n) {
    for (std::size_t q = 0; q < directions; ++q) {
        const T* in = rows[q] + i;
        T* __restrict f = piece.f[q];
#pragma omp simd
        for (Index m = 0; m < n; ++m) f[m] = in[m];
    }
}

template <class T>
void store(const Piece<T>& piece, const Rows<T>& rows, Index i, Index n) {
    for (std::size_t q = 0; q < directions; ++q) {
        T* __restrict out = rows[q] + i;
        const T* f = piece.f[q];
#pragma omp simd
        for (Index m = 0; m < n; ++m) out[m] = f[m];
    }
}

template <class T, bool forced>
void collide_all(const Relaxation<T>& relaxation, Piece<T>& piece, Index n) {
    const Relaxation<T> at = relaxation;  // in registers: the populations might overlap it otherwise
    T* __restrict f = &piece.f[0][0];
#pragma omp simd
    for (Index m = 0; m < n; ++m) collide<T, forced>(at, f + m, chunk<T>);
}

template <class T, bool forced>
void observe(const LatticeContext& at, const Relaxation<T>& relaxation, const Piece<T>& piece, const Index3& first,
             Index n) {
    double* density = at.density.row(first[1], first[2]) + first[0];
    std::array<double*, 3> velocity;
    for (std::size_t a = 0; a < 3; ++a) velocity[a] = at.velocity[a].row(first[1], first[2]) + first[0];
    for (Index m = 0; m < n; ++m) {
        const Moments<T> u = moments<T, forced>(relaxation, &piece.f[0][0] + m, chunk<T>);
        density[m] = static_cast<double>(u.rho);
        velocity[0][m] = static_cast<double>(u.ux);
        velocity[1][m] = static_cast<double>(u.uy);
        velocity[2][m] = static_cast<double>(u.uz);
    }
}

// What a pressure side adds to the population that comes back: 2 w rho (1 + 4.5 e e - 1.5 u u) of the cell's velocity.
template <class T>
T pressure_part(const Echo<T>& echo, std::size_t q, const Moments<T>& u) {
    const Index3& c = velocities[q];
    const T e = (T(c[0]) * u.ux + T(c[1]) * u.uy) + T(c[2]) * u.uz;
    const T base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    return (T(2.0 * weight(q)) * echo.density) * (base + (T(4.5) * e) * e);
}

// The links of a piece, whose cells begin at i.
template <class T>
struct Walls {
    std::span<const Link> links;
    const std::array<Echo<T>, 7>& echoes;
    Index i;

    [[nodiscard]] std::size_t cell(const Link& link) const { return static_cast<std::size_t>(link.i - i); }

    void take(Piece<T>& piece, const Rows<T>& waiting) const {
        for (const Link& link : links) piece.f[link.incoming][cell(link)] = waiting[link.incoming][link.i];
    }

    // Before the collision, which changes the velocity that pressure sides ask for.
    template <bool forced>
    void prepare(Piece<T>& piece, const Relaxation<T>& relaxation) const {
        for (const Link& link : links) {
            const Echo<T>& echo = echoes[link.side];
            if (echo.density == T(0)) continue;
            const Moments<T> u = moments<T, forced>(relaxation, &piece.f[0][0] + cell(link), chunk<T>);
            piece.extra[cell(link)][link.incoming] = pressure_part(echo, link.incoming, u);
        }
    }

    // What flew to the walls becomes what comes back from them.
    void echo(Piece<T>& piece) const {
        for (const Link& link : links) {
            const Echo<T>& echo = echoes[link.side];
            T& value = piece.f[opposite(link.incoming)][cell(link)];
            value = echo.sign * value + echo.add[link.incoming];
            if (echo.density != T(0)) value = value + piece.extra[cell(link)][link.incoming];
        }
    }

    void leave(const Piece<T>& piece, const Rows<T>& places) const {
        for (const Link& link : links) places[link.incoming][link.i] = piece.f[opposite(link.incoming)][cell(link)];
    }
};

template <class T, bool forced, Pattern pattern>
void stretch(const LatticeContext& at, const RowsOfPattern<T>& rows, const Index3& first, Index end) {
    const auto& relaxation = *static_cast<const Relaxation<T>*>(at.relaxation);
    const auto& echoes = *static_cast<const std::array<Echo<T>, 7>*>(at.echoes);
    Piece<T> piece;
    for (Index i = first[0]; i < end; i += chunk<T>) {
        const Index n = std::min(chunk<T>, end - i);
        const Walls<T> walls{at.rows->links(first[1], first[2], i, i + n), echoes, i};
        load(piece, rows.in, i, n);
        if (pattern != Pattern::within) walls.take(piece, rows.echo_in);
        walls.template prepare<forced>(piece, relaxation);
        if (*at.observing) observe<T, forced>(at, relaxation, piece, {i, first[1], first[2]}, n);
        collide_all<T, forced>(relaxation, piece, n);
        walls.echo(piece);
        store(piece, rows.out, i, n);
        if (pattern == Pattern::around) walls.leave(piece, rows.echo_out);
    }
}

template <class T, bool forced, Pattern pattern>
void step(void* context, Box box) {
    const auto& at = *static_cast<const LatticeContext*>(context);
    const View<T> from(*at.from), to(*at.to);
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const RowsOfPattern<T> rows = rows_of(pattern, from, to, j, k);
            for (const Stretch& fluid : at.rows->stretches(j, k)) {
                const Index lo = std::max<Index>(fluid.lo, box.lo[0]), hi = std::min<Index>(fluid.hi, box.hi[0]);
                if (lo < hi) stretch<T, forced, pattern>(at, rows, {lo, j, k}, hi);
            }
        }
    }
}

template <class T, bool forced>
LatticeKernel kernel_of(Pattern pattern) {
    switch (pattern) {
        case Pattern::pull: return step<T, forced, Pattern::pull>;
        case Pattern::around: return step<T, forced, Pattern::around>;
        case Pattern::within: break;
    }
    return step<T, forced, Pattern::within>;
}

}  // namespace

template <class T>
std::array<Echo<T>, 7> make_echoes(const Sides& sides) {
    std::array<Echo<T>, 7> echoes;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const Side& side = sides[s];
        for (std::size_t q = 0; q < directions && side.kind == SideKind::velocity; ++q) {
            double along = 0.0;
            for (std::size_t a = 0; a < 3; ++a) along += static_cast<double>(velocities[q][a]) * side.velocity[a];
            echoes[s].add[q] = T(6.0 * weight(q) * along);
        }
        if (side.kind == SideKind::pressure) {
            echoes[s].sign = T(-1);
            echoes[s].density = T(side.density);
        }
    }
    return echoes;
}

template <class T>
LatticeKernel lattice_kernel(Pattern pattern, bool forced) {
    return forced ? kernel_of<T, true>(pattern) : kernel_of<T, false>(pattern);
}

template <class T>
void put_equilibrium(const LatticeContext& context, Pattern first) {
    const auto& echoes = *static_cast<const std::array<Echo<T>, 7>*>(context.echoes);
    const View<T> view(*context.from);
    const Box& box = context.from->owned;
    const bool exchanged = first == Pattern::around;
    const auto at = [&](const Index3& cell, std::size_t q) -> T& {
        return view(cell[0], cell[1], cell[2], static_cast<Index>(exchanged ? opposite(q) : q));
    };
    const auto moments_at = [&](const Index3& cell) {
        const auto value = [&](const View<double>& of) { return T(of(cell[0], cell[1], cell[2])); };
        return Moments<T>{value(context.density), value(context.velocity[0]), value(context.velocity[1]),
                          value(context.velocity[2])};
    };
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                for (std::size_t q = 0; q < directions; ++q) at({i, j, k}, q) = T(weight(q));
            for (const Stretch& fluid : context.rows->stretches(j, k))
                for (Index i = std::max<Index>(fluid.lo, box.lo[0]); i < std::min<Index>(fluid.hi, box.hi[0]); ++i)
                    for (std::size_t q = 0; q < directions; ++q)
                        at({i, j, k}, q) = equilibrium(q, moments_at({i, j, k}));
            for (const Link& link : context.rows->links(j, k, box.lo[0], box.hi[0])) {
                const Index3 cell{link.i, j, k};
                const Echo<T>& echo = echoes[link.side];
                T& value = at(cell, opposite(link.incoming));
                value = echo.sign * value + echo.add[link.incoming];
                if (echo.density != T(0)) value = value + pressure_part(echo, link.incoming, moments_at(cell));
            }
        }
    }
}

template std::array<Echo<float>, 7> make_echoes<float>(const Sides&);
template std::array<Echo<double>, 7> make_echoes<double>(const Sides&);
template LatticeKernel lattice_kernel<float>(Pattern, bool);
template LatticeKernel lattice_kernel<double>(Pattern, bool);
template void put_equilibrium<float>(const LatticeContext&, Pattern);
template void put_equilibrium<double>(const LatticeContext&, Pattern);

}  // namespace lapwing_lattice
