#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/solver/helmholtz.hpp"
#include "lapwing/solver/implicit_diffusion.hpp"
#include "lapwing/solver/line_solver.hpp"
#include "lapwing/solver/line_transform.hpp"
#include "lapwing/solver/tridiagonal.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

std::array<Ends, 2> ends_of(const std::array<std::string, 2>& names) {
    return {value_of<Ends>("ends along x", names[0]), value_of<Ends>("ends along y", names[1])};
}

Index lines_of(const LineTransform& transform, const Rows& rows) {
    if (static_cast<Index>(rows.shape(1)) != transform.points())
        user_error("lines of a transform", concat(rows.shape(1), " points"), concat(transform.points()),
                   "pass lines of the length that it was made for");
    return static_cast<Index>(rows.shape(0));
}

void bind_transform(nb::module_& m) {
    nb::class_<LineTransform>(m, "LineTransform", "The transform of grid lines, and back.")
        .def(
            "__init__",
            [](LineTransform* self, Index points, const std::string& ends) {
                new (self) LineTransform(points, value_of<Ends>("ends of a line", ends));
            },
            "points"_a, "ends"_a,
            "Take the length of a line. Local. Raises UserError for less than one point, and other ends than periodic, "
            "dirichlet or neumann.")
        .def_prop_ro("points", &LineTransform::points, "Of a line. Local.")
        .def("eigenvalues", &LineTransform::eigenvalues, "spacing"_a,
             "Those of minus the second difference, one per coefficient, in 1/spacing^2. Local.")
        .def(
            "forward",
            [](LineTransform& t, const Rows& rows) {
                const Index lines = lines_of(t, rows);
                t.forward(rows.data(), lines);
            },
            "lines"_a.noconvert(),
            "Replace values [lines, points] by coefficients. Local. Of a periodic line these are the real part of wave "
            "0, then real and imaginary part of each.")
        .def(
            "backward",
            [](LineTransform& t, const Rows& rows) {
                const Index lines = lines_of(t, rows);
                t.backward(rows.data(), lines);
            },
            "lines"_a.noconvert(), "Replace coefficients [lines, points] by values. Local.");
    m.def(
        "slow_length",
        [](Index points, const std::string& ends) {
            return slow_length(points, value_of<Ends>("ends of a line", ends));
        },
        "points"_a, "ends"_a,
        "Why the transform of a line takes long, for a warning; empty where it does not. Local. The length of the "
        "Fourier transform behind it, a point more with dirichlet ends, has a prime factor beyond 13.");
}

void bind_tridiagonal(nb::module_& m) {
    nb::class_<Tridiagonal>(m, "Tridiagonal", "Tridiagonal systems, one per line, without pivots.")
        .def(
            "__init__",
            [](Tridiagonal* self, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& diagonal,
               double off_diagonal) {
                new (self) Tridiagonal(std::vector<double>(diagonal.data(), diagonal.data() + diagonal.size()),
                                       static_cast<Index>(diagonal.shape(1)), off_diagonal);
            },
            "diagonal"_a, "off_diagonal"_a,
            "Eliminate matrices that hold `diagonal` [points, lines] and `off_diagonal` next to it. Local. No entry of "
            "the "
            "diagonal may be smaller in size than the sum of those next to it. Raises UserError without lines.")
        .def(
            "solve",
            [](const Tridiagonal& t, const Points& values) {
                const bool fits = static_cast<Index>(values.shape(0)) == t.points() &&
                                  static_cast<Index>(values.shape(1)) == t.lines() && values.stride(1) == 1;
                if (!fits)
                    user_error("right-hand sides", concat(values.shape(0), " x ", values.shape(1)),
                               concat(t.points(), " points of ", t.lines(), " lines, side by side"),
                               "pass what the diagonal has");
                t.solve(values.data(), values.stride(0));
            },
            "values"_a.noconvert(), "Replace right-hand sides [points, lines] by solutions. Local.");
}

Array array_of(nb::handle self, const Lines& lines) {
    std::array<std::size_t, 3> shape{};
    std::array<std::int64_t, 3> strides{};
    for (std::size_t n = 0; n < 3; ++n) {
        shape[n] = static_cast<std::size_t>(lines.shape[n]);
        strides[n] = lines.strides[n];
    }
    return {lines.values, 3, shape.data(), self, strides.data()};
}

Array flat(nb::handle self, const Lines& lines) {
    if (lines.stride != lines.points)
        user_error("lines", "columns whose points lie apart", "rows, or contiguous columns",
                   "make the line solver with contiguous columns");
    const std::array<std::size_t, 2> shape{static_cast<std::size_t>(lines.count),
                                           static_cast<std::size_t>(lines.points)};
    return {lines.values, 2, shape.data(), self};
}

void bind_lines(nb::module_& m) {
    nb::class_<Lines>(m, "Lines", "Whole lines of one field on this rank, in the memory of the solver.")
        .def_ro("field", &Lines::field, "Number in the solver's fields.")
        .def_ro("box", &Lines::box, "The cells, in global indices; levels along z.")
        .def_prop_ro(
            "values", [](nb::handle self) { return array_of(self, nb::cast<Lines&>(self)); },
            "Rows [level, y, x]; columns [y, level, x], or [level, x, y] where they are contiguous. A view.")
        .def_prop_ro(
            "flat", [](nb::handle self) { return flat(self, nb::cast<Lines&>(self)); },
            "The lines one after the other, [line, point], where they are contiguous. A view. Raises UserError else.")
        .def_prop_ro(
            "place", [](const Lines& lines) { return lines.box.lo; },
            "The first cell: tells the pieces of a field apart.");
}

LineOptions options_of(const std::string& method, int groups, bool contiguous_columns = false) {
    return {method, groups, contiguous_columns};
}

// Lines as Python has them live with the solver.
LineWork work_of(const nb::callable& call) {
    return [call](const Lines& lines) { call(nb::cast(&lines, nb::rv_policy::reference)); };
}

void bind_line_solver(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    nb::class_<LineSolver>(m, "LineSolver", "Whole rows and columns of fields, a group of levels at a time.")
        .def(
            "__init__",
            [](LineSolver* self, Domain& domain, const Partition& partition, const std::vector<AnyField*>& fields,
               const std::string& method, int groups, bool contiguous_columns) {
                new (self) LineSolver(domain, partition, fields, options_of(method, groups, contiguous_columns));
            },
            "domain"_a, "partition"_a, "fields"_a, "method"_a, "groups"_a, "contiguous_columns"_a,
            nb::keep_alive<1, 2>(), "Make the distributions, their memory and four transposes. Collective.")
        .def(
            "run",
            [](LineSolver& s, const nb::callable& forward, const nb::callable& across, const nb::callable& backward) {
                s.run(work_of(forward), work_of(across), work_of(backward));
            },
            "forward"_a, "across"_a, "backward"_a,
            nb::sig("def run(self, forward: collections.abc.Callable[[Lines], object], "
                    "across: collections.abc.Callable[[Lines], object], "
                    "backward: collections.abc.Callable[[Lines], object]) -> None"),
            "Replace the owned cells of the fields: forward(rows), across(columns), backward(rows). Local, but all "
            "ranks must do so. Each is called with the Lines of every group and field as soon as they are there, on "
            "the "
            "same views in every run. Halos count as stale afterwards.")
        .def_prop_ro("rows", &LineSolver::rows, inner, "The lines along x of each group of levels. Local.")
        .def_prop_ro("columns", &LineSolver::columns, inner, "Those along y. Local.")
        .def_prop_ro(
            "transposes",
            [](const LineSolver& s) {
                const auto all = s.transposes();
                return std::vector<Transpose*>{const_cast<Transpose*>(all[0]), const_cast<Transpose*>(all[1]),
                                               const_cast<Transpose*>(all[2]), const_cast<Transpose*>(all[3])};
            },
            inner, "In the order in which they run. Local.")
        .def_prop_ro("buffer_bytes", &LineSolver::buffer_bytes, "Bytes of message buffers held by this rank. Local.");
}

void bind_equations(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    const auto released = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Helmholtz>(m, "Helmholtz", "Helmholtz equations on the levels of a field.")
        .def(
            "__init__",
            [](Helmholtz* self, Domain& domain, const Partition& partition, AnyField& field,
               const std::vector<double>& shift, const std::array<double, 2>& spacing,
               const std::array<std::string, 2>& ends, const std::string& method, int groups) {
                new (self)
                    Helmholtz(domain, partition, field, shift, spacing, ends_of(ends), options_of(method, groups));
            },
            "domain"_a, "partition"_a, "field"_a, "shift"_a, "spacing"_a, "ends"_a, "method"_a, "groups"_a,
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>(),
            "Check the equation, make the way to the lines and eliminate the systems along y. Collective.")
        .def(
            "solve", &Helmholtz::solve, released,
            "Replace the right-hand side in the owned cells of the field by the solution. Local, but all ranks must do "
            "so; the halo of the field is stale afterwards.")
        .def("work_on_lines", &Helmholtz::work_on_lines, released,
             "Do all that `solve` does but move nothing: what it costs without other ranks. Local.")
        .def_prop_ro("lines", &Helmholtz::lines, inner, "What moves the lines. Local.");
    nb::class_<ImplicitDiffusion>(m, "ImplicitDiffusion", "Implicit horizontal diffusion of any even order.")
        .def(
            "__init__",
            [](ImplicitDiffusion* self, Domain& domain, const Partition& partition,
               const std::vector<AnyField*>& fields, const std::vector<double>& strength,
               const std::array<double, 2>& spacing, int order, const std::array<std::string, 2>& ends,
               const std::string& method, int groups) {
                new (self) ImplicitDiffusion(domain, partition, fields, strength, spacing, order, ends_of(ends),
                                             options_of(method, groups));
            },
            "domain"_a, "partition"_a, "fields"_a, "strength"_a, "spacing"_a, "order"_a, "ends"_a, "method"_a,
            "groups"_a, nb::keep_alive<1, 2>(),
            "Check the filter, make the way to the lines and find the damping of each wave. Collective.")
        .def("apply", &ImplicitDiffusion::apply, released,
             "Filter the owned cells of the fields. Local, but all ranks must do so; halos are stale afterwards.")
        .def_prop_ro("lines", &ImplicitDiffusion::lines, inner, "What moves the lines. Local.");
}

}  // namespace

void lapwing::python::bind_solver(nb::module_& m) {
    bind_transform(m);
    bind_tridiagonal(m);
    bind_lines(m);
    bind_line_solver(m);
    bind_equations(m);
}
