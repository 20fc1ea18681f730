#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "c/handles.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing::c {

namespace {

// The arguments of both equations.
struct Equation {
    std::span<const double> factors;
    std::array<double, 2> spacing{};
    std::array<Ends, 2> ends{};
    LineOptions options;
};

Ends ends_of(const char* given, const char* what) { return value_of<Ends>(what, &needed(given, what)); }

LineOptions options_of(const char* method, int groups, bool contiguous_columns = false) {
    LineOptions options{.groups = groups, .contiguous_columns = contiguous_columns};
    if (method != nullptr) options.method = method;
    return options;
}

Equation equation_of(const lapwing_equation* given) {
    const lapwing_equation& equation = needed(given, "equation");
    const int count = std::max(equation.factor_count, 0);
    if (count > 0) static_cast<void>(needed(equation.factors, "factors of an equation"));
    return {{equation.factors, static_cast<std::size_t>(count)},
            {equation.spacing[0], equation.spacing[1]},
            {ends_of(equation.ends[0], "ends along x"), ends_of(equation.ends[1], "ends along y")},
            options_of(equation.method, equation.groups)};
}

// Fields of the domain that have memory.
std::vector<std::shared_ptr<AnyField>> fields_on(const std::shared_ptr<Domain>& domain, lapwing_field* const* fields,
                                                 int count) {
    std::vector<std::shared_ptr<AnyField>> found;
    for (int f = 0; f < count; ++f) {
        const lapwing_field& field = needed((&needed(fields, "fields of a solver"))[f], "field of a solver");
        if (field.domain != domain) {
            user_error(concat("field ", field.field->spec().name, " of a solver"), "one of another domain",
                       "one of the domain that the solver is made on", "declare it there");
        }
        field.field->require_memory();
        found.push_back(field.field);
    }
    return found;
}

// Makes a solver by make(domain, fields), if check() and the fields pass on all ranks.
template <class Handle, class Check, class Make>
int created(lapwing_domain* domain, lapwing_field* const* fields, int count, Handle** solver, const Check& check,
            const Make& make) {
    return coded([&] {
        auto made = std::make_unique<Handle>(needed(domain, "domain").domain);
        require_running_mpi();
        together(made->domain->comm(), [&] {
            static_cast<void>(needed(solver, "place for the solver"));
            made->fields = fields_on(made->domain, fields, count);
            check();
        });
        std::vector<AnyField*> memory;
        for (const auto& field : made->fields) memory.push_back(field.get());
        made->solver = make(*made->domain, memory);
        *solver = made.release();
    });
}

template <class Handle, class Work>
int worked(Handle* handle, const char* what, const Work& work) {
    return coded([&] {
        auto& solver = *needed(handle, what).solver;
        require_running_mpi();
        work(solver);
    });
}

// The axes of lines as their strides are listed, slowest first.
using Axes = std::array<int, 3>;

// Hands lines over to the caller.
LineWork work_of(lapwing_line_work work, void* context, const Axes& axes) {
    return [=](const Lines& lines) {
        lapwing_lines given{static_cast<int>(lines.field),
                            given_box(lines.box),
                            lines.values,
                            lines.points,
                            lines.count,
                            lines.stride,
                            {}};
        for (std::size_t n = 0; n < 3; ++n) given.strides[axes[n]] = lines.strides[n];
        work(context, &given);
    };
}

}  // namespace

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

int lapwing_helmholtz_create(lapwing_domain* domain, lapwing_field* field, const lapwing_equation* equation,
                             lapwing_helmholtz** helmholtz) {
    Equation given;
    return created(
        domain, &field, 1, helmholtz, [&] { given = equation_of(equation); },
        [&](Domain& on, const std::vector<AnyField*>& fields) {
            return std::make_unique<Helmholtz>(on, on.partition(), *fields[0], given.factors, given.spacing, given.ends,
                                               given.options);
        });
}

int lapwing_helmholtz_solve(lapwing_helmholtz* helmholtz) {
    return worked(helmholtz, "Helmholtz equation", [](Helmholtz& solver) { solver.solve(); });
}

void lapwing_helmholtz_free(lapwing_helmholtz* helmholtz) { give_up(helmholtz); }

int lapwing_implicit_diffusion_create(lapwing_domain* domain, lapwing_field* const* fields, int count,
                                      const lapwing_equation* equation, int order,
                                      lapwing_implicit_diffusion** diffusion) {
    Equation given;
    return created(
        domain, fields, count, diffusion, [&] { given = equation_of(equation); },
        [&](Domain& on, const std::vector<AnyField*>& memory) {
            return std::make_unique<ImplicitDiffusion>(on, on.partition(), memory, given.factors, given.spacing, order,
                                                       given.ends, given.options);
        });
}

int lapwing_implicit_diffusion_apply(lapwing_implicit_diffusion* diffusion) {
    return worked(diffusion, "implicit diffusion", [](ImplicitDiffusion& solver) { solver.apply(); });
}

void lapwing_implicit_diffusion_free(lapwing_implicit_diffusion* diffusion) { give_up(diffusion); }

int lapwing_line_solver_create(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* method,
                               int groups, int contiguous_columns, lapwing_line_solver** solver) {
    const int code = created(
        domain, fields, count, solver, [] {},
        [&](Domain& on, const std::vector<AnyField*>& memory) {
            return std::make_unique<LineSolver>(on, on.partition(), memory,
                                                options_of(method, groups, contiguous_columns != 0));
        });
    if (code == LAPWING_OK) (*solver)->contiguous_columns = contiguous_columns != 0;
    return code;
}

int lapwing_line_solver_run(lapwing_line_solver* solver, lapwing_line_work forward, lapwing_line_work across,
                            lapwing_line_work backward, void* context) {
    return worked(solver, "line solver", [&](LineSolver& made) {
        for (const lapwing_line_work work : {forward, across, backward})
            static_cast<void>(needed(work, "work on lines"));
        constexpr Axes rows{2, 1, 0}, columns{1, 2, 0}, contiguous{2, 0, 1};
        made.run(work_of(forward, context, rows),
                 work_of(across, context, solver->contiguous_columns ? contiguous : columns),
                 work_of(backward, context, rows));
    });
}

void lapwing_line_solver_free(lapwing_line_solver* solver) { give_up(solver); }

int lapwing_line_transform_create(int64_t points, const char* ends, lapwing_line_transform** transform) {
    return coded([&] {
        needed(transform, "place for the transform") =
            new lapwing_line_transform{LineTransform(points, ends_of(ends, "ends of a line"))};
    });
}

int lapwing_line_transform_eigenvalues(const lapwing_line_transform* transform, double spacing, double* values) {
    return coded([&] {
        const std::vector<double> found = needed(transform, "transform").transform.eigenvalues(spacing);
        std::ranges::copy(found, &needed(values, "place for the eigenvalues"));
    });
}

int lapwing_line_transform_forward(lapwing_line_transform* transform, double* lines, int64_t count) {
    return coded([&] { needed(transform, "transform").transform.forward(&needed(lines, "lines"), count); });
}

int lapwing_line_transform_backward(lapwing_line_transform* transform, double* lines, int64_t count) {
    return coded([&] { needed(transform, "transform").transform.backward(&needed(lines, "lines"), count); });
}

void lapwing_line_transform_free(lapwing_line_transform* transform) { give_up(transform); }

int lapwing_tridiagonal_create(const double* diagonal, int64_t points, int64_t lines, double off_diagonal,
                               lapwing_tridiagonal** system) {
    return coded([&] {
        if (points < 1 || lines < 1) {
            user_error("diagonal of tridiagonal systems", concat(points, " points of ", lines, " lines"),
                       "at least one of each", "pass the sizes of the array");
        }
        const double* first = &needed(diagonal, "diagonal");
        needed(system, "place for the system") =
            new lapwing_tridiagonal{Tridiagonal({first, first + points * lines}, lines, off_diagonal)};
    });
}

int lapwing_tridiagonal_solve(const lapwing_tridiagonal* system, double* values, int64_t stride) {
    return coded([&] { needed(system, "tridiagonal system").system.solve(&needed(values, "values"), stride); });
}

void lapwing_tridiagonal_free(lapwing_tridiagonal* system) { give_up(system); }
