#pragma once
// Lengths of the cells and the Coriolis parameter: the same everywhere, or different from cell to cell.
//
// A kernel is compiled once for each of both. Its loops read the same: `Same`, `Unit` and `Varying` all give the value
// of cell i, and multiplications by `Unit` vanish.

#include <array>
#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/domain.hpp"

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// A number that is the same in all cells.
struct Same {
    double value;
    double operator[](Index) const { return value; }
};

// The factor 1.
struct Unit {
    static constexpr double value = 1.0;
    double operator[](Index) const { return value; }
};

// A factor times the values of a row, which begins at cell 0.
struct Varying {
    const double* values;
    double factor = 1.0;
    double operator[](Index i) const { return factor * values[i]; }
};

// The metrics of a kernel's arguments: one view, or none where they are the same everywhere.
using Views = std::vector<View<const double>>;

// Spacings of the cells of a whole grid and the Coriolis parameter there, x fastest; empty where CoastSettings says
// what is the same in all cells. All three or none.
struct CellMetrics {
    std::vector<double> spacing_x, spacing_y, coriolis;

    static constexpr std::tuple declared{
        lapwing::Setting{"spacing_x", &CellMetrics::spacing_x, "of the centres of the cells' sides, m"},
        lapwing::Setting{"spacing_y", &CellMetrics::spacing_y, "m"},
        lapwing::Setting{"coriolis", &CellMetrics::coriolis, "1/s"}};

    [[nodiscard]] bool varies() const { return !spacing_x.empty(); }
};

// The metrics as fields on the C-grid; a list has one field, or none where they are the same everywhere. A value at a
// face is the mean of both cells, and on the rim of a grid that does not close on itself the value of the cell.
struct Metrics {
    using PerAxis = std::array<std::vector<Field<double>>, 2>;

    std::vector<Field<double>> area, over_area;  // of cells, m2 and 1/m2
    PerAxis width;                               // of the faces of an axis, m
    PerAxis over_distance;                       // 1 over that of the centres on both sides of a face, 1/m
    PerAxis over_face_area;                      // 1 over the area around a face, 1/m2
    PerAxis coriolis;                            // at the faces of an axis, 1/s; negative for y
    PerAxis widening_along, widening_across;     // see MomentumAdvection, 1/m

    // Without memory. `cells` has three lists of the grid's size, or none. Collective where there are any.
    Metrics(lapwing::Domain& domain, const CellMetrics& cells);

    // Sets the values, once a step gave the fields memory. Local.
    void start(const CellMetrics& cells);

    [[nodiscard]] bool varies() const { return !area.empty(); }
};

}  // namespace lapwing_coast
