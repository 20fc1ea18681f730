#include "lapwing_coast/state_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <lapwing/reduction.hpp>

#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Field;
using lapwing::Index;
using lapwing::Index3;
using lapwing::View;

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

// The whole grid's cells are numbered by rows, then by levels, one field after the other.
struct Numbering {
    Index nx, ny, levels;
    [[nodiscard]] Index number(Index field, Index i, Index j, Index k) const {
        return ((field * levels + k) * ny + j) * nx + i;
    }
    [[nodiscard]] Index field(Index number) const { return number / (nx * ny * levels); }
    [[nodiscard]] Index3 cell(Index number) const {
        return {number % nx, number / nx % ny, number / (nx * ny) % levels};
    }
};

bool is_bad(double value, double floor) { return !std::isfinite(value) || (floor > 0.0 && value <= -floor); }

// The first bad cell of one block, or `none`.
Index first_bad(const Checked& checked, int block, Index field, const Numbering& grid) {
    const Box& owned = checked.field->blocks()[static_cast<std::size_t>(block)].owned;
    const View<double> values = checked.field->view<double>(block);
    const View<double> floors = checked.floor ? checked.floor->view<double>(block) : View<double>{};
    for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                if (is_bad(values(i, j, k), checked.floor ? floors(i, j) : 0.0)) return grid.number(field, i, j, k);
    return none;
}

Index first_bad(std::span<const Checked> checked, const Numbering& grid) {
    Index first = none;
    for (std::size_t f = 0; f < checked.size(); ++f)
        for (std::size_t b = 0; b < checked[f].field->blocks().size(); ++b)
            first = std::min(first, first_bad(checked[f], static_cast<int>(b), static_cast<Index>(f), grid));
    return first;
}

double value_at(const Field& field, const Index3& cell) {
    for (std::size_t b = 0; b < field.blocks().size(); ++b)
        if (field.blocks()[b].owned.contains(cell))
            return field.view<double>(static_cast<int>(b))(cell[0], cell[1], cell[2]);
    return 0.0;
}

// The sign of a NaN, which streams print, says nothing.
std::string shown(double value) { return std::isnan(value) ? "nan" : text(value); }

std::string describe(const Checked& checked, const Index3& cell, int rank, double value, Index step) {
    std::ostringstream said;
    said << "state of the coast model: got " << checked.field->spec().name << " = " << shown(value) << " at step "
         << step << ", cell (" << cell[0] << ", " << cell[1]
         << (checked.field->spec().levels > 0 ? ", " + std::to_string(cell[2]) : "") << "), rank " << rank
         << "; expected "
         << (std::isfinite(value) ? "water in every wet cell (switch physics.drying on where cells may run dry)"
                                  : "a finite value")
         << "; run the case again with a smaller time step or a greater depth there";
    return said.str();
}

}  // namespace

void check_state(const Domain& domain, std::span<const Checked> checked, Index step_number) {
    const Index3 size = domain.partition().grid().size;
    Index levels = 1;
    for (const Checked& one : checked) levels = std::max<Index>(levels, one.field->spec().levels);
    const Numbering grid{size[0], size[1], levels};
    const Index mine = first_bad(checked, grid);
    const Index first = lapwing::minimum(domain, mine);
    if (first == none) return;

    const Checked& bad = checked[static_cast<std::size_t>(grid.field(first))];
    const Index3 cell = grid.cell(first);
    const Box around{{cell[0], cell[1], 0}, {cell[0] + 1, cell[1] + 1, 1}};
    const int owner = domain.partition().subdomain(domain.partition().overlapping(around).front()).rank;
    const double value = lapwing::value_of(domain, owner, value_at(*bad.field, cell));
    throw StateError(describe(bad, cell, owner, value, step_number));
}

}  // namespace lapwing_coast
