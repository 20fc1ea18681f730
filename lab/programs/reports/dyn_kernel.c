/* One field of the routine in lapwing_lab/reproduce/dyn.py, compiled, so that zones cost what they do in a model. */
#include <stddef.h>

static inline double advected(const double *restrict u, const double *restrict v, const double *restrict old,
                              ptrdiff_t at, ptrdiff_t row, double step) {
  const double along_x = (8 * (old[at + 1] - old[at - 1]) - old[at + 2] + old[at - 2]) / 12;
  const double along_y = (8 * (old[at + row] - old[at - row]) - old[at + 2 * row] + old[at - 2 * row]) / 12;
  return old[at] - step * (u[at] * along_x + v[at] * along_y);
}

/* Advects a field by the winds u and v. Pointers are at the first cell of the box; `row` and `level` are the numbers
   from one to the next, the same in all fields; `step` is the share of a cell that a wind of 1 crosses. Local. */
void advect(const double *restrict u, const double *restrict v, const double *restrict old, double *restrict next,
            const ptrdiff_t *cells, ptrdiff_t row, ptrdiff_t level, double step) {
  for (ptrdiff_t k = 0; k < cells[2]; ++k)
    for (ptrdiff_t j = 0; j < cells[1]; ++j)
      for (ptrdiff_t i = 0; i < cells[0]; ++i) {
        const ptrdiff_t at = i + j * row + k * level;
        next[at] = advected(u, v, old, at, row, step);
      }
}

/* The same, with the loop over rows of two cells written out. */
void advect_narrow(const double *restrict u, const double *restrict v, const double *restrict old,
                   double *restrict next, const ptrdiff_t *cells, ptrdiff_t row, ptrdiff_t level, double step) {
  if (cells[0] != 2) {
    advect(u, v, old, next, cells, row, level, step);
    return;
  }
  for (ptrdiff_t k = 0; k < cells[2]; ++k)
    for (ptrdiff_t j = 0; j < cells[1]; ++j) {
      const ptrdiff_t at = j * row + k * level;
      next[at] = advected(u, v, old, at, row, step);
      next[at + 1] = advected(u, v, old, at + 1, row, step);
    }
}
