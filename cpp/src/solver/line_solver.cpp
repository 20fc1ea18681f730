#include "lapwing/solver/line_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/partition/distribution.hpp"
#include "solver/number.hpp"

namespace lapwing {

namespace {

// The levels of fields as the z axis of the grid, where they are not.
Partition with_levels(const Partition& partition, int levels) {
    return levels == 0 || partition.grid().size[2] > 1 ? partition : twod_partition(partition, levels);
}

std::vector<AnyField> fields_on(const Partition& partition, int rank, std::span<AnyField* const> fields,
                                const char* what, const std::array<int, 4>& order) {
    std::vector<AnyField> made;
    for (const AnyField* field : fields)
        made.emplace_back(partition, rank, FieldSpec{.name = field->spec().name + what, .order = order});
    return made;
}

template <class Fields>
std::vector<const AnyField*> pointers(const Fields& fields) {
    std::vector<const AnyField*> all;
    for (const auto& field : fields) {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(field)>>) {
            all.push_back(field);
        } else {
            all.push_back(&field);
        }
    }
    return all;
}

const Block& block_of(const AnyField& field, const Box& box) {
    for (const Block& block : field.blocks())
        if (block.owned.contains(box)) return block;
    user_error("lines of " + field.spec().name, to_string(box), "cells of this rank", "report this as a defect");
}

// Axes as memory has them, slowest first; lines lie along the last one, or along the first.
using Axes = std::array<std::size_t, 3>;
constexpr Axes of_rows{2, 1, 0}, of_columns{1, 2, 0}, of_contiguous_columns{2, 0, 1};

Lines lines_of(const AnyField& field, std::size_t number, const Box& box, const Axes& axes) {
    const Block& block = block_of(field, box);
    Lines lines{.field = number, .box = box, .values = reinterpret_cast<double*>(block.at(box.lo))};
    for (std::size_t n = 0; n < 3; ++n) {
        lines.shape[n] = box.hi[axes[n]] - box.lo[axes[n]];
        lines.strides[n] = block.strides[axes[n]] / static_cast<Index>(sizeof(double));
    }
    const bool side_by_side = axes == of_columns;
    lines.points = lines.shape[side_by_side ? 0 : 2];
    lines.count = box.volume() / std::max<Index>(lines.points, 1);
    lines.stride = side_by_side ? lines.strides[0] : lines.points;
    return lines;
}

std::vector<std::vector<Lines>> lines_of(const Transpose& transpose, std::span<const AnyField> fields,
                                         const Axes& axes) {
    std::vector<std::vector<Lines>> groups;
    for (int group = 0; group < transpose.groups(); ++group) {
        groups.emplace_back();
        for (const Box& box : transpose.target_boxes(group))
            for (std::size_t n = 0; n < fields.size(); ++n) groups.back().push_back(lines_of(fields[n], n, box, axes));
    }
    return groups;
}

void check_field(const AnyField& field, const AnyField& first) {
    const FieldSpec &spec = field.spec(), &other = first.spec();
    if (spec.type == ElementType::float64 && spec.components == 1 && spec.levels == other.levels) return;
    user_error("field " + spec.name + " of a line solver",
               concat(to_string(spec.type), ", ", spec.components, " components, ", spec.levels, " levels"),
               concat("float64 without components, ", other.levels, " levels as ", other.name, ", on one partition"),
               "make a solver for each kind of field");
}

}  // namespace

Index levels_of_lines(const Domain& domain, const Partition& partition, std::span<AnyField* const> fields) {
    together(domain.comm(), [&] {
        if (fields.empty()) user_error("fields of a line solver", "none", "at least one", "pass a field");
        for (const AnyField* field : fields) check_field(*field, *fields[0]);
    });
    const Index own = partition.grid().size[2];
    return own > 1 ? own : std::max(fields[0]->spec().levels, 1);
}

LineSolver::LineSolver(Domain& domain, const Partition& partition, std::vector<AnyField*> fields,
                       const LineOptions& options)
    : fields_(std::move(fields)) {
    levels_of_lines(domain, partition, fields_);
    std::optional<Partition> blocks, row_place, column_place;
    together(domain.comm(), [&] {
        blocks = with_levels(partition, fields_[0]->spec().levels);
        row_place = fft_partition(*blocks);
        column_place = tri_partition(*blocks);
        const std::array<int, 4> across{0, 2, 1, 3}, along{1, 0, 2, 3};
        row_fields_ = fields_on(*row_place, domain.rank(), fields_, "_rows", {0, 1, 2, 3});
        column_fields_ =
            fields_on(*column_place, domain.rank(), fields_, "_columns", options.contiguous_columns ? along : across);
    });
    const TransposeOptions how{.method = options.method, .groups = options.groups};
    const auto moves = [&](const Partition& from, const Partition& to, const auto& sources, const auto& targets) {
        const auto come = pointers(sources), go = pointers(targets);
        return std::make_unique<Transpose>(domain, from, to, come, go, how);
    };
    to_rows_ = moves(*blocks, *row_place, fields_, row_fields_);
    to_columns_ = moves(*row_place, *column_place, row_fields_, column_fields_);
    back_to_rows_ = moves(*column_place, *row_place, column_fields_, row_fields_);
    back_ = moves(*row_place, *blocks, row_fields_, fields_);
    rows_ = lines_of(*to_rows_, row_fields_, of_rows);
    columns_ = lines_of(*to_columns_, column_fields_, options.contiguous_columns ? of_contiguous_columns : of_columns);
}

void LineSolver::run(const LineWork& forward, const LineWork& across, const LineWork& backward) {
    to_rows_->start();
    pass_on(*to_rows_, rows_, forward, *to_columns_);
    pass_on(*to_columns_, columns_, across, *back_to_rows_);
    pass_on(*back_to_rows_, rows_, backward, *back_);
    back_->wait();
    for (AnyField* field : fields_) field->modified();
}

// Works on each group that `source` brings, and lets `target` take it away.
void LineSolver::pass_on(Transpose& source, const Groups& groups, const LineWork& work, Transpose& target) {
    for (int group = 0; group < source.groups(); ++group) {
        source.wait_group(group);
        for (const Lines& lines : groups[group]) {
            work(lines);
            static_cast<void>(source.test());
            static_cast<void>(target.test());
        }
        target.start_group(group);
    }
}

std::array<const Transpose*, 4> LineSolver::transposes() const {
    return {to_rows_.get(), to_columns_.get(), back_to_rows_.get(), back_.get()};
}

Index LineSolver::buffer_bytes() const {
    Index bytes = 0;
    for (const Transpose* transpose : transposes()) bytes += transpose->buffer_bytes();
    return bytes;
}

void check_spacing(const std::array<double, 2>& spacing) {
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (!(spacing[axis] > 0 && std::isfinite(spacing[axis])))
            user_error(concat("spacing along ", axis == 0 ? "x" : "y"), number(spacing[axis]),
                       "a finite number above 0", "change the value");
}

std::vector<double> per_level(std::string_view name, std::span<const double> given, Index levels,
                              std::string_view what) {
    const bool finite = std::ranges::all_of(given, [](double value) { return std::isfinite(value); });
    const auto count = static_cast<Index>(given.size());
    if (!finite || (count != 1 && count != levels))
        user_error(name, count == 1 ? number(given[0]) : concat("(", count, ",) values"),
                   concat("one finite number, or ", levels, ", one per level"), concat("give ", what));
    if (count == levels) return {given.begin(), given.end()};
    return std::vector<double>(static_cast<std::size_t>(levels), given[0]);
}

void warn_of_slow_lines(const Domain& domain, const std::string& warning) {
    if (warning.empty() || domain.rank() != 0) return;
    std::fprintf(stderr, "lapwing: warning: %s\n", warning.c_str());
    std::fflush(stderr);
}

}  // namespace lapwing
