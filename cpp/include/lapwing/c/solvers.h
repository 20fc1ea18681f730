#ifndef LAPWING_C_SOLVERS_H
#define LAPWING_C_SOLVERS_H
/* Solvers of lapwing for C: equations along whole lines of cells. */

#include "lapwing/c/lapwing.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lapwing_line_transform lapwing_line_transform;
typedef struct lapwing_tridiagonal lapwing_tridiagonal;
typedef struct lapwing_line_solver lapwing_line_solver;
typedef struct lapwing_helmholtz lapwing_helmholtz;
typedef struct lapwing_implicit_diffusion lapwing_implicit_diffusion;

/* ---- solvers: work along whole lines of cells
 *
 * The fields of a solver are on one domain, LAPWING_FLOAT64 without components, with one number of levels, and have
 * memory. Solvers change their owned cells in place; halos are stale afterwards. Bits do not depend on ranks, method or
 * groups. */

/* The part of the equations that all levels share. `ends`, along x and y, is what stands beyond the ends of a line:
 * "periodic", the line again; "dirichlet", zero one spacing away; "neumann", the end itself (no gradient half a spacing
 * away). */
typedef struct {
    const double* factors; /* one for all levels, or one per level */
    int factor_count;
    double spacing[2]; /* of cells along x and y, above 0 */
    const char* ends[2];
    const char* method; /* method of the transposes, as in lapwing_transpose_create */
    int groups;         /* likewise */
} lapwing_equation;

/* Solves f p - d2p/dx2 - d2p/dy2 = r on every level, where the field holds r and then p; f: the factor of the level, in
 * 1/m2 where spacings are in m, not negative. The second differences are (p[i-1] - 2 p[i] + p[i+1]) / spacing^2. Along
 * y ends are not periodic. Fails for an equation that has no solution, or many. Collective; memory three times the
 * field. */
int lapwing_helmholtz_create(lapwing_domain* domain, lapwing_field* field, const lapwing_equation* equation,
                             lapwing_helmholtz** helmholtz);
/* Local, but all ranks must do so. */
int lapwing_helmholtz_solve(lapwing_helmholtz* helmholtz);
void lapwing_helmholtz_free(lapwing_helmholtz* helmholtz);

/* Divides each wave of the fields by 1 + f (kx^2 + ky^2)^(order / 2): an implicit step of diffusion, where the factor f
 * of a level is the coefficient times the time step, in m^order, not negative. `order`: even; 2 diffuses, 4 and more
 * are increasingly sharp filters. Collective. */
int lapwing_implicit_diffusion_create(lapwing_domain* domain, lapwing_field* const* fields, int count,
                                      const lapwing_equation* equation, int order,
                                      lapwing_implicit_diffusion** diffusion);
/* Local, but all ranks must do so. */
int lapwing_implicit_diffusion_apply(lapwing_implicit_diffusion* diffusion);
void lapwing_implicit_diffusion_free(lapwing_implicit_diffusion* diffusion);

/* Whole lines of one field on this rank, in the memory of the solver. Rows, and columns that are contiguous, lie one
 * after the other, level by level. In other columns the values of all lines at a point lie side by side, x fastest,
 * then levels, and points are `stride` values apart. */
typedef struct {
    int field;       /* number in the solver's fields */
    lapwing_box box; /* the cells; levels along z */
    double* values;
    int64_t points, count, stride; /* of a line; lines; values between the points, or between the lines, see above */
    int64_t strides[3];            /* values between neighbours along x, y and z */
} lapwing_lines;
typedef void (*lapwing_line_work)(void* context, const lapwing_lines* lines);

/* Whole rows of x, then columns of y, then rows again, for equations of the caller's own.
 * `contiguous_columns`: true suits transforms along y, false suits elimination. Memory: each field twice more.
 * Collective. */
int lapwing_line_solver_create(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* method,
                               int groups, int contiguous_columns, lapwing_line_solver** solver);
/* Calls forward(context, rows), across(context, columns) and backward(context, rows) for the lines of each group of
 * levels and each field, as soon as they are there. Local, but all ranks must do so. */
int lapwing_line_solver_run(lapwing_line_solver* solver, lapwing_line_work forward, lapwing_line_work across,
                            lapwing_line_work backward, void* context);
void lapwing_line_solver_free(lapwing_line_solver* solver);

/* The transform of lines of `points` points that turns minus the second difference into products with `eigenvalues`.
 * `ends`: as in a lapwing_equation. All local. */
int lapwing_line_transform_create(int64_t points, const char* ends, lapwing_line_transform** transform);
/* Writes one eigenvalue per coefficient, in 1/spacing^2; `values` has room for `points`. */
int lapwing_line_transform_eigenvalues(const lapwing_line_transform* transform, double spacing, double* values);
/* Replaces the values of `count` lines, one after the other, by coefficients, and back. For a periodic line, these are
 * the real part of wave 0, then real and imaginary part of each. */
int lapwing_line_transform_forward(lapwing_line_transform* transform, double* lines, int64_t count);
int lapwing_line_transform_backward(lapwing_line_transform* transform, double* lines, int64_t count);
void lapwing_line_transform_free(lapwing_line_transform* transform);

/* A system per line, whose matrix has `diagonal` [points][lines] and `off_diagonal` next to it. No entry of the
 * diagonal may be smaller in size than the sum of those next to it. All local. */
int lapwing_tridiagonal_create(const double* diagonal, int64_t points, int64_t lines, double off_diagonal,
                               lapwing_tridiagonal** system);
/* Replaces right-hand sides by solutions: lines of a point side by side, points `stride` values apart. */
int lapwing_tridiagonal_solve(const lapwing_tridiagonal* system, double* values, int64_t stride);
void lapwing_tridiagonal_free(lapwing_tridiagonal* system);

#ifdef __cplusplus
}
#endif

#endif
