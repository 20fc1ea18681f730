#pragma once
// Work along whole grid lines of fields whose ranks hold blocks: along x, along y, along x again.
//
// Semi-implicit dynamics and implicit diffusion need whole lines. A LineSolver brings fields into full rows of x (the
// FFT distribution), from there into full columns of y (TRI), and back the same way; the caller decides what to do with
// the lines in each place.

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lapwing/exchange/transpose.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Whole lines of one field on this rank, in the memory of the solver.
struct Lines {
    std::size_t field = 0;  // number in the solver's fields
    Box box;                // the cells, in global indices; levels along z
    double* values = nullptr;
    Index points = 0;  // points of a line
    Index count = 0;   // lines
    // Rows, and columns that are contiguous, lie one after the other, a level after the next. In other columns the
    // values of all lines at a point lie side by side, x fastest, and points are this many values apart.
    Index stride = 0;
    // The same as an array of three axes: rows [level, y, x], columns [y, level, x], contiguous ones [level, x, y].
    Index3 shape{}, strides{};  // strides in values
};

// The work on lines that have arrived.
using LineWork = std::function<void(const Lines&)>;

// The options of a LineSolver.
struct LineOptions {
    std::string method = "auto";  // method of the transposes
    int groups = 1;               // groups of levels, up to most_groups
    // Values of a column lie side by side in memory, which suits transforms, not next to the values of the next x,
    // which suits elimination.
    bool contiguous_columns = false;
};

// Whole rows and columns of fields, a group of levels worked on while others travel.
class LineSolver {
  public:
    // `fields`: float64 without components, with one number of levels, on `partition`: blocks between cuts that go all
    // through the grid. Collective over the domain. Throws UserError on all ranks for fields that do not fit, and what
    // a Transpose throws. Memory: each field twice more. Cost of a run on px x py ranks: 2 (px - 1) + 2 (py - 1)
    // messages per rank and group, in which each value travels at most four times.
    LineSolver(Domain& domain, const Partition& partition, std::vector<AnyField*> fields, const LineOptions& options);
    LineSolver(const LineSolver&) = delete;  // lines point into it
    LineSolver& operator=(const LineSolver&) = delete;

    // Replaces the owned cells of the fields: forward(rows), across(columns), backward(rows). Local, but all ranks must
    // do so. Each is called with the lines of every group and field as soon as they are there. Halos count as stale
    // afterwards.
    void run(const LineWork& forward, const LineWork& across, const LineWork& backward);

    // The lines of each group of levels. Local.
    [[nodiscard]] const std::vector<std::vector<Lines>>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<std::vector<Lines>>& columns() const { return columns_; }
    // The transposes in the order in which they run. Local.
    [[nodiscard]] std::array<const Transpose*, 4> transposes() const;
    // Bytes of message buffers held by this rank. Local.
    [[nodiscard]] Index buffer_bytes() const;

  private:
    using Groups = std::vector<std::vector<Lines>>;
    static void pass_on(Transpose& source, const Groups& groups, const LineWork& work, Transpose& target);

    std::vector<AnyField*> fields_;
    std::vector<AnyField> row_fields_, column_fields_;
    std::unique_ptr<Transpose> to_rows_, to_columns_, back_to_rows_, back_;
    Groups rows_, columns_;
};

// The levels that fields of a line solver have. Collective over the domain; throws UserError on all ranks unless there
// are some on each, all float64 without components, with one number of levels.
Index levels_of_lines(const Domain& domain, const Partition& partition, std::span<AnyField* const> fields);

// Throws UserError unless both spacings of a grid are above 0. Local.
void check_spacing(const std::array<double, 2>& spacing);

// Returns one finite number per level, from one for all levels or one for each. Local; throws UserError, which says to
// give `what`, for another count or numbers that are not finite.
std::vector<double> per_level(std::string_view name, std::span<const double> given, Index levels,
                              std::string_view what);

// Says on rank 0 that a transform takes long, where it does. Local.
void warn_of_slow_lines(const Domain& domain, const std::string& warning);

}  // namespace lapwing
