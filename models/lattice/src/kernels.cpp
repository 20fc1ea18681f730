#include "lapwing_lattice/kernels.hpp"

#include <algorithm>
#include <utility>

#include "registers.hpp"

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
    T f[directions][chunk<T>];
    T extra[chunk<T>][directions];  // what pressure sides add, by cell and direction
};

// Population q of a cell is rows[q][place], with the place of the cell as `Places` has it.
template <class T>
using Rows = std::array<T*, directions>;

// The distance of cells from the first of a block: the same for all populations and both lattices.
struct Places {
    Index per_j, per_k;

    template <class T>
    explicit Places(const View<T>& view)
        : per_j(view.row(1, 0) - view.row(0, 0)), per_k(view.row(0, 1) - view.row(0, 0)) {}
    [[nodiscard]] Index operator()(const Index3& cell) const { return cell[0] + cell[1] * per_j + cell[2] * per_k; }
};

// Populations of the cells that lie `sign` times their velocity away from a cell.
template <class T>
Rows<T> rows_at(const View<T>& view, Index sign, bool exchanged) {
    Rows<T> rows;
    for (std::size_t q = 0; q < directions; ++q) {
        const Index3& c = velocities[q];
        const Index stored = exchanged ? opposite(q) : q;
        rows[q] = view.row(sign * c[1], sign * c[2], stored) + sign * c[0];
    }
    return rows;
}

template <class T>
struct RowsOfPattern {
    Rows<const T> in;
    Rows<T> out;
    Rows<const T> echo_in;  // where population q waits that comes from a wall; not `within`
    Rows<T> echo_out;       // where it is left for the next step; `around`
};

template <class T>
RowsOfPattern<T> rows_of(Pattern pattern, const View<const T>& from, const View<T>& to) {
    switch (pattern) {
        case Pattern::pull:
            return {rows_at(from, -1, false), rows_at(to, 0, false), rows_at(from, 0, true), {}};
        case Pattern::around:
            return {rows_at(from, -1, true), rows_at(to, 1, false), rows_at(from, 0, false), rows_at(to, 0, false)};
        case Pattern::within:
            break;
    }
    return {rows_at(from, 0, false), rows_at(to, 0, true), {}, {}};
}

// The place of density and the three velocities of a row, from its first cell on; null: they are not observed.
using Observed = std::array<double*, 4>;

template <class T, bool forced>
void observe(const Observed& kept, const Relaxation<T>& relaxation, const Piece<T>& piece, Index n) {
    for (Index m = 0; m < n; ++m) {
        const Moments<T> u = moments<T, forced>(relaxation, &piece.f[0][0] + m, chunk<T>);
        kept[0][m] = static_cast<double>(u.rho);
        kept[1][m] = static_cast<double>(u.ux);
        kept[2][m] = static_cast<double>(u.uy);
        kept[3][m] = static_cast<double>(u.uz);
    }
}

// The term that a pressure side adds to the population that comes back: 2 w rho (1 + 4.5 e e - 1.5 u u) of the cell's
// velocity.
template <class T>
T pressure_part(const Echo<T>& echo, std::size_t q, const Moments<T>& u) {
    const Index3& c = velocities[q];
    const T e = (T(c[0]) * u.ux + T(c[1]) * u.uy) + T(c[2]) * u.uz;
    const T base = T(1) - T(1.5) * ((u.ux * u.ux + u.uy * u.uy) + u.uz * u.uz);
    return (T(2.0 * weight(q)) * echo.density) * (base + (T(4.5) * e) * e);
}

// The links of a piece, whose cells begin at i of a row with cell 0 at place `row`.
template <class T>
struct Walls {
    std::span<const Link> links;
    const std::array<Echo<T>, 7>& echoes;
    Index i, row;

    [[nodiscard]] std::size_t cell(const Link& link) const { return link.i - i; }

    void take(Piece<T>& piece, const Rows<const T>& waiting) const {
        for (const Link& link : links) piece.f[link.incoming][cell(link)] = waiting[link.incoming][row + link.i];
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

    // Turns what flew to the walls into what comes back from them.
    void echo(Piece<T>& piece) const {
        for (const Link& link : links) {
            const Echo<T>& echo = echoes[link.side];
            T& value = piece.f[opposite(link.incoming)][cell(link)];
            value = echo.sign * value + echo.add[link.incoming];
            if (echo.density != T(0)) value = value + piece.extra[cell(link)][link.incoming];
        }
    }

    void leave(const Piece<T>& piece, const Rows<T>& places) const {
        for (const Link& link : links)
            places[link.incoming][row + link.i] = piece.f[opposite(link.incoming)][cell(link)];
    }
};

// The treatment of the lines that a loop writes.
enum class Lines {
    in_place,    // they are those that it reads
    fetched,     // they come into the caches first
    past_caches  // whole ones go to memory at once, where a register holds a line and rows begin on lines
};

// The distance at which lines are prefetched, bytes: the processor does not follow this many streams by itself. The
// distance is shorter for the 38 streams of two lattices, which gains more with slow memory than it loses with fast
// memory.
template <Lines lines>
constexpr Index ahead_to_read = lines == Lines::in_place  ? 1024
                                : lines == Lines::fetched ? 128
                                                          : 256;
constexpr Index ahead_to_write = 192;

// n cells from place m on: a whole register of them, or `some`.
template <class T, bool forced, Lines lines, bool observing, bool some, std::size_t... q>
[[gnu::always_inline]] inline void collide_at(const Relaxation<T>& at, const Rows<const T>& in, const Rows<T>& out,
                                              double* const* observed, Index m, Index n, std::index_sequence<q...>) {
    constexpr Index size = sizeof(T);
    (__builtin_prefetch(in[q] + m + ahead_to_read<lines> / size, lines == Lines::in_place ? 1 : 0), ...);
    if constexpr (lines == Lines::fetched) (__builtin_prefetch(out[q] + m + ahead_to_write / size, 1), ...);
    Register<T> f[directions];
    ((f[q] = some ? load_some(in[q] + m, n) : load(in[q] + m)), ...);
    const Moments<Register<T>> u = moments<T, forced>(at, f, 1);
    if constexpr (observing) {
        keep<T>(u.rho, n, observed[0]);
        keep<T>(u.ux, n, observed[1]);
        keep<T>(u.uy, n, observed[2]);
        keep<T>(u.uz, n, observed[3]);
    }
    collide<T, forced>(at, u, f, 1);
    if constexpr (some) {
        (store_some(out[q] + m, f[q], n), ...);
    } else if constexpr (lines == Lines::past_caches) {
        (lapwing::store_line(&f[q], out[q] + m), ...);
    } else {
        (store(out[q] + m, f[q]), ...);
    }
}

// Returns how many of `n` cells lie before the first that begins a line.
template <class T>
Index before_line(const T* first, Index n) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(first) % lapwing::line_bytes;
    return std::min<Index>(n, static_cast<Index>((lapwing::line_bytes - past) % lapwing::line_bytes / sizeof(T)));
}

// n cells without walls from place `first` on, straight from memory to memory.
template <class T, bool forced, Lines lines, bool observing, std::size_t... q>
void collide_rows(const Relaxation<T>& relaxation, const RowsOfPattern<T>& rows, const Observed& observed, Index first,
                  Index n, std::index_sequence<q...> all) {
    const Relaxation<T> at = relaxation;  // of this function alone: what is stored might be part of it otherwise
    const Rows<const T> in = rows.in;     // not from `first` on: 38 sums take as long as some ten cells
    const Rows<T> out = rows.out;
    const auto seen = [&](Index m) {
        if constexpr (!observing) return observed;
        const Index done = m - first;
        return Observed{observed[0] + done, observed[1] + done, observed[2] + done, observed[3] + done};
    };
    const Index end = first + n;
    Index m = first;
    if constexpr (lines == Lines::past_caches) {
        m += before_line(out[0] + first, n);
        // A last line that is not whole is fetched while the others are computed: stores behind it would wait.
        if ((end - m) % lanes<T> > 0) (__builtin_prefetch(out[q] + end - 1, 1), ...);
    }
    if (m > first) collide_at<T, forced, lines, observing, true>(at, in, out, observed.data(), first, m - first, all);
    for (; m + lanes<T> <= end; m += lanes<T>)
        collide_at<T, forced, lines, observing, false>(at, in, out, seen(m).data(), m, lanes<T>, all);
    if (m < end) collide_at<T, forced, lines, observing, true>(at, in, out, seen(m).data(), m, end - m, all);
}

// The first n cells of a piece.
template <class T, bool forced>
void collide_piece(const Relaxation<T>& relaxation, Piece<T>& piece, Index n) {
    RowsOfPattern<T> rows;
    for (std::size_t q = 0; q < directions; ++q) rows.in[q] = rows.out[q] = piece.f[q];
    collide_rows<T, forced, Lines::in_place, false>(relaxation, rows, {}, 0, n, std::make_index_sequence<directions>());
}

template <class T>
void copy(const T* from, T* to, Index n) {
    Index m = 0;
    for (; m + lanes<T> <= n; m += lanes<T>) store(to + m, load(from + m));
    if (m < n) store_some(to + m, load_some(from + m, n - m), n - m);
}

// The arguments of a kernel except the box.
template <class T>
struct Views {
    View<const T> from;
    View<T> to;
    View<double> density;
    const std::vector<View<double>>& velocity;

    [[nodiscard]] Observed observed(const Index3& first) const {
        const auto [i, j, k] = first;
        return {density.row(j, k) + i, velocity[0].row(j, k) + i, velocity[1].row(j, k) + i, velocity[2].row(j, k) + i};
    }
};

// Rows of a box, one after the other.
template <class T, bool forced, Pattern pattern, Lines lines>
class Sweep {
  public:
    Sweep(const LatticeKernel<T>& kernel, const Views<T>& views)
        : at_(kernel), views_(views), place_(views.from), rows_(rows_of(pattern, views.from, views.to)) {}

    // The fluid cells of a row from `first` to before `end` along x: those next to walls by pieces, the others at once.
    void run(const Index3& first, Index end) {
        constexpr std::make_index_sequence<forwards.size()> all{};
        const bool closed = pattern == Pattern::around && at_.closed > 0;
        if (closed) fetch_across(first, end, all);
        compute(first, end);
        if (closed) return_across(first, end, all);
    }

  private:
    static constexpr Index worth_alone = 16;  // cells without walls, of which a loop is made

    // Fills the halo at the ends of a periodic row from the other end while the row is in the caches: filled
    // for all rows at once, halos fetch their ends once more. It also prefetches the far end of the next row: the near
    // end is where this row ends.
    template <std::size_t... n>
    void fetch_across(const Index3& first, Index end, std::index_sequence<n...>) const {
        const auto& in = rows_.out;  // of the opposite population, which goes where this one comes from
        const Index length = at_.closed, row = place_({0, first[1], first[2]}), next = place_({0, 1, 0}) + row;
        (__builtin_prefetch(in[backwards[n]] + next + length, 1), ...);
        if (first[0] == 0) ((in[backwards[n]][row] = in[backwards[n]][row + length]), ...);
        if (end == length) ((in[forwards[n]][row + length - 1] = in[forwards[n]][row - 1]), ...);
    }

    // Takes what flew across from them out of the halo there.
    template <std::size_t... n>
    void return_across(const Index3& first, Index end, std::index_sequence<n...>) const {
        const auto& out = rows_.out;
        const Index length = at_.closed, row = place_({0, first[1], first[2]});
        if (first[0] == 0) ((out[backwards[n]][row + length] = out[backwards[n]][row]), ...);
        if (end == length) ((out[forwards[n]][row - 1] = out[forwards[n]][row + length - 1]), ...);
    }

    // Pieces end where registers of cells do, counted from the first owned cell: so do the loops between.
    void compute(const Index3& first, Index end) {
        const auto [i, j, k] = first;
        Index done = i;
        Index free = i;  // first cell after the last one next to a wall
        for (const Link& link : at_.rows->links(j, k, i, end)) {
            const Index wall = before(link.i);
            if (wall - free >= worth_alone) {
                run_pieces({done, j, k}, free);
                run_free({free, j, k}, wall);
                done = wall;
            }
            free = before(link.i + lanes<T>);
        }
        if (end - free < worth_alone) return run_pieces({done, j, k}, end);
        if (done < free) run_pieces({done, j, k}, free);
        run_free({free, j, k}, end);
    }

    // The last cell that begins a register.
    [[nodiscard]] Index before(Index i) const { return i - ((i - at_.first) & (lanes<T> - 1)); }

    void run_free(const Index3& first, Index end) const {
        constexpr std::make_index_sequence<directions> all{};
        const Index n = end - first[0];
        if (*at_.observing) {
            collide_rows<T, forced, lines, true>(at_.relaxation, rows_, views_.observed(first), place_(first), n, all);
        } else {
            collide_rows<T, forced, lines, false>(at_.relaxation, rows_, {}, place_(first), n, all);
        }
    }

    void run_pieces(const Index3& first, Index end) {
        const auto [lo, j, k] = first;
        const Index row = place_({0, j, k});
        for (Index i = lo; i < end; i += chunk<T>) {
            const Index n = std::min(chunk<T>, end - i);
            const Walls<T> walls{at_.rows->links(j, k, i, i + n), at_.echoes, i, row};
            for (std::size_t q = 0; q < directions; ++q) copy<T>(rows_.in[q] + row + i, piece_.f[q], n);
            if (pattern != Pattern::within) walls.take(piece_, rows_.echo_in);
            walls.template prepare<forced>(piece_, at_.relaxation);
            if (*at_.observing) observe<T, forced>(views_.observed({i, j, k}), at_.relaxation, piece_, n);
            collide_piece<T, forced>(at_.relaxation, piece_, n);
            walls.echo(piece_);
            for (std::size_t q = 0; q < directions; ++q) copy<T>(piece_.f[q], rows_.out[q] + row + i, n);
            if (pattern == Pattern::around) walls.leave(piece_, rows_.echo_out);
        }
    }

    const LatticeKernel<T>& at_;
    const Views<T>& views_;
    Places place_;
    RowsOfPattern<T> rows_;
    Piece<T> piece_;
};

template <class T, bool forced, Pattern pattern, Lines lines>
void step(const LatticeKernel<T>& kernel, const Box& box, const Views<T>& views) {
    Sweep<T, forced, pattern, lines> sweep(kernel, views);
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (const Stretch& fluid : kernel.rows->stretches(j, k)) {
                const Index lo = std::max<Index>(fluid.lo, box.lo[0]), hi = std::min<Index>(fluid.hi, box.hi[0]);
                if (lo < hi) sweep.run({lo, j, k}, hi);
            }
        }
    }
    if constexpr (lines == Lines::past_caches)
        lapwing::order_line_stores();  // before anyone is told that they are there
}

template <class T, Pattern pattern, Lines lines>
void step(const LatticeKernel<T>& kernel, const Box& box, const Views<T>& views) {
    kernel.forced ? step<T, true, pattern, lines>(kernel, box, views)
                  : step<T, false, pattern, lines>(kernel, box, views);
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
void LatticeKernel<T>::operator()(Box box, View<const T> from, View<T> to, View<double> density,
                                  Velocity& velocity) const {
    const Views<T> views{from, to, density, velocity};
    stores == Stores::past_caches&& register_is_line ? step<T, Pattern::pull, Lines::past_caches>(*this, box, views)
                                                     : step<T, Pattern::pull, Lines::fetched>(*this, box, views);
}

template <class T>
void LatticeKernel<T>::operator()(Box box, View<T> populations, View<double> density, Velocity& velocity) const {
    const Views<T> views{populations, populations, density, velocity};
    pattern == Pattern::around ? step<T, Pattern::around, Lines::in_place>(*this, box, views)
                               : step<T, Pattern::within, Lines::in_place>(*this, box, views);
}

template <class T>
void LatticeKernel<T>::put_equilibrium(Box owned, View<T> populations, View<double> density,
                                       const Velocity& velocity) const {
    const auto at = [&](Index i, Index j, Index k, std::size_t q) -> T& {
        return populations(i, j, k, pattern == Pattern::around ? opposite(q) : q);
    };
    const auto moments_at = [&](Index i, Index j, Index k) {
        return Moments<T>{T(density(i, j, k)), T(velocity[0](i, j, k)), T(velocity[1](i, j, k)),
                          T(velocity[2](i, j, k))};
    };
    const auto& [lo, hi] = owned;
    for (Index k = lo[2]; k < hi[2]; ++k) {
        for (Index j = lo[1]; j < hi[1]; ++j) {
            for (Index i = lo[0]; i < hi[0]; ++i)
                for (std::size_t q = 0; q < directions; ++q) at(i, j, k, q) = T(weight(q));
            for (const Stretch& fluid : rows->stretches(j, k))
                for (Index i = std::max<Index>(fluid.lo, lo[0]); i < std::min<Index>(fluid.hi, hi[0]); ++i)
                    for (std::size_t q = 0; q < directions; ++q) at(i, j, k, q) = equilibrium(q, moments_at(i, j, k));
            for (const Link& link : rows->links(j, k, lo[0], hi[0])) {
                const Echo<T>& echo = echoes[link.side];
                T& value = at(link.i, j, k, opposite(link.incoming));
                value = echo.sign * value + echo.add[link.incoming];
                if (echo.density != T(0)) value = value + pressure_part(echo, link.incoming, moments_at(link.i, j, k));
            }
        }
    }
}

template std::array<Echo<float>, 7> make_echoes<float>(const Sides&);
template std::array<Echo<double>, 7> make_echoes<double>(const Sides&);
template struct LatticeKernel<float>;
template struct LatticeKernel<double>;

}  // namespace lapwing_lattice
