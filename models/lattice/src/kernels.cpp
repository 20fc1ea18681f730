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

// How far cells lie from the first of a block: the same for all populations and both lattices.
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
    Rows<T> in, out;
    Rows<T> echo_in;   // where population q waits that comes from a wall; not `within`
    Rows<T> echo_out;  // where it is left for the next step; `around`
};

template <class T>
RowsOfPattern<T> rows_of(Pattern pattern, const View<T>& from, const View<T>& to) {
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

// The links of a piece, whose cells begin at i of a row with cell 0 at place `row`.
template <class T>
struct Walls {
    std::span<const Link> links;
    const std::array<Echo<T>, 7>& echoes;
    Index i, row;

    [[nodiscard]] std::size_t cell(const Link& link) const { return link.i - i; }

    void take(Piece<T>& piece, const Rows<T>& waiting) const {
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
        for (const Link& link : links)
            places[link.incoming][row + link.i] = piece.f[opposite(link.incoming)][cell(link)];
    }
};

// Where density and the three velocities of a row are kept, from its first cell on; null: nobody observes.
using Observed = std::array<double*, 4>;

// What a loop does with the lines that it writes.
enum class Lines {
    in_place,    // they are those that it reads
    fetched,     // they come into the caches first
    past_caches  // whole ones go to memory at once, where a register holds a line and rows begin on lines
};

// How far ahead lines are asked for, bytes: so many streams are more than the processor follows by itself. Of the 38 of
// two lattices less far, which gains more where memory is slow than it loses where it is fast.
template <Lines lines>
constexpr Index ahead_to_read = lines == Lines::in_place  ? 1024
                                : lines == Lines::fetched ? 128
                                                          : 256;
constexpr Index ahead_to_write = 192;

// n cells from place m on: a whole register of them, or `some`.
template <class T, bool forced, Lines lines, bool observing, bool some, std::size_t... q>
[[gnu::always_inline]] inline void collide_at(const Relaxation<T>& at, const Rows<T>& in, const Rows<T>& out,
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

// How many of n cells lie before the first that begins a line.
template <class T>
Index before_line(const T* first, Index n) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(first) % lapwing::line_bytes;
    return std::min<Index>(n, static_cast<Index>((lapwing::line_bytes - past) % lapwing::line_bytes / sizeof(T)));
}

// n cells without walls from place `first` on, straight from memory to memory.
template <class T, bool forced, Lines lines, bool observing, std::size_t... q>
void collide_rows(const Relaxation<T>& relaxation, const RowsOfPattern<T>& rows, const Observed& observed, Index first,
                  Index n, std::index_sequence<q...> all) {
    const Relaxation<T> at = relaxation;         // of this function alone: what is stored might be part of it otherwise
    const Rows<T> in = rows.in, out = rows.out;  // not from `first` on: 38 sums take as long as some ten cells
    const auto seen = [&](Index m) {
        if constexpr (!observing) return observed;
        const Index done = m - first;
        return Observed{observed[0] + done, observed[1] + done, observed[2] + done, observed[3] + done};
    };
    const Index end = first + n;
    Index m = first;
    if constexpr (lines == Lines::past_caches) m += before_line(out[0] + first, n);
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

// Rows of a box, one after the other.
template <class T, bool forced, Pattern pattern, Lines lines>
class Sweep {
  public:
    explicit Sweep(const LatticeContext& at)
        : at_(at),
          relaxation_(*static_cast<const Relaxation<T>*>(at.relaxation)),
          echoes_(*static_cast<const std::array<Echo<T>, 7>*>(at.echoes)),
          origin_(at.from->owned.lo[0] - lanes<T> * at.from->allocated.size(0)),
          place_(View<T>(*at.from)),
          rows_(rows_of(pattern, View<T>(*at.from), View<T>(*at.to))) {}

    // The fluid cells of a row from `first` to before `end` along x: those beside walls by pieces, the others at once.
    void run(const Index3& first, Index end) {
        constexpr std::make_index_sequence<forwards.size()> all{};
        const bool closed = pattern == Pattern::around && at_.closed > 0;
        if (closed) fetch_across(first, end, all);
        compute(first, end);
        if (closed) return_across(first, end, all);
    }

  private:
    static constexpr Index worth_alone = 16;  // cells without walls, of which a loop is made

    // What comes to the ends of a closed row from across, into the halo there, while the row is in the caches: filled
    // for all rows at once, halos fetch their ends once more. Of the next row it asks for the far end: the near one is
    // where this row ends.
    template <std::size_t... n>
    void fetch_across(const Index3& first, Index end, std::index_sequence<n...>) const {
        const auto& in = rows_.in;
        const Index length = at_.closed, row = place_({0, first[1], first[2]}), next = place_({0, 1, 0}) + row;
        (__builtin_prefetch(in[forwards[n]] + next + length, 1), ...);
        if (first[0] == 0) ((in[forwards[n]][row] = in[forwards[n]][row + length]), ...);
        if (end == length) ((in[backwards[n]][row + length - 1] = in[backwards[n]][row - 1]), ...);
    }

    // What flew across from them, out of the halo there.
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
        Index free = i;  // first cell after the last one beside a wall
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
    [[nodiscard]] Index before(Index i) const { return i - ((i - origin_) & (lanes<T> - 1)); }

    void run_free(const Index3& first, Index end) const {
        constexpr std::make_index_sequence<directions> all{};
        const auto [i, j, k] = first;
        if (*at_.observing) {
            const Observed observed{at_.density.row(j, k) + i, at_.velocity[0].row(j, k) + i,
                                    at_.velocity[1].row(j, k) + i, at_.velocity[2].row(j, k) + i};
            collide_rows<T, forced, lines, true>(relaxation_, rows_, observed, place_(first), end - i, all);
        } else {
            collide_rows<T, forced, lines, false>(relaxation_, rows_, {}, place_(first), end - i, all);
        }
    }

    void run_pieces(const Index3& first, Index end) {
        const auto [lo, j, k] = first;
        const Index row = place_({0, j, k});
        for (Index i = lo; i < end; i += chunk<T>) {
            const Index n = std::min(chunk<T>, end - i);
            const Walls<T> walls{at_.rows->links(j, k, i, i + n), echoes_, i, row};
            for (std::size_t q = 0; q < directions; ++q) copy<T>(rows_.in[q] + row + i, piece_.f[q], n);
            if (pattern != Pattern::within) walls.take(piece_, rows_.echo_in);
            walls.template prepare<forced>(piece_, relaxation_);
            if (*at_.observing) observe<T, forced>(at_, relaxation_, piece_, {i, j, k}, n);
            collide_piece<T, forced>(relaxation_, piece_, n);
            walls.echo(piece_);
            for (std::size_t q = 0; q < directions; ++q) copy<T>(piece_.f[q], rows_.out[q] + row + i, n);
            if (pattern == Pattern::around) walls.leave(piece_, rows_.echo_out);
        }
    }

    const LatticeContext& at_;
    const Relaxation<T>& relaxation_;
    const std::array<Echo<T>, 7>& echoes_;
    Index origin_;  // of registers; before all cells
    Places place_;
    RowsOfPattern<T> rows_;
    Piece<T> piece_;
};

template <class T, bool forced, Pattern pattern, Lines lines>
void step(void* context, Box box) {
    const auto& at = *static_cast<const LatticeContext*>(context);
    Sweep<T, forced, pattern, lines> sweep(at);
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (const Stretch& fluid : at.rows->stretches(j, k)) {
                const Index lo = std::max<Index>(fluid.lo, box.lo[0]), hi = std::min<Index>(fluid.hi, box.hi[0]);
                if (lo < hi) sweep.run({lo, j, k}, hi);
            }
        }
    }
    if constexpr (lines == Lines::past_caches)
        lapwing::order_line_stores();  // before anyone is told that they are there
}

template <class T, bool forced>
LatticeKernel kernel_of(Pattern pattern, Stores stores) {
    switch (pattern) {
        case Pattern::pull:
            return stores == Stores::past_caches && register_is_line
                       ? step<T, forced, Pattern::pull, Lines::past_caches>
                       : step<T, forced, Pattern::pull, Lines::fetched>;
        case Pattern::around:
            return step<T, forced, Pattern::around, Lines::in_place>;
        case Pattern::within:
            break;
    }
    return step<T, forced, Pattern::within, Lines::in_place>;
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
LatticeKernel lattice_kernel(Pattern pattern, bool forced, Stores stores) {
    return forced ? kernel_of<T, true>(pattern, stores) : kernel_of<T, false>(pattern, stores);
}

template <class T>
void put_equilibrium(const LatticeContext& context, Pattern first) {
    const auto& echoes = *static_cast<const std::array<Echo<T>, 7>*>(context.echoes);
    const View<T> view(*context.from);
    const Box& box = context.from->owned;
    const bool exchanged = first == Pattern::around;
    const auto at = [&](const Index3& cell, std::size_t q) -> T& {
        return view(cell[0], cell[1], cell[2], exchanged ? opposite(q) : q);
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
template LatticeKernel lattice_kernel<float>(Pattern, bool, Stores);
template LatticeKernel lattice_kernel<double>(Pattern, bool, Stores);
template void put_equilibrium<float>(const LatticeContext&, Pattern);
template void put_equilibrium<double>(const LatticeContext&, Pattern);

}  // namespace lapwing_lattice
