"""Veros on lapwing: its halos, blocks of unequal size, and the same bits on any number of ranks.

`mpiexec -n 3 python -m lapwing_veros setup.py -n 3 1` is `veros run setup.py -n 3 1`; scripts call
`lapwing_veros.install()` before they make a simulation. Functions of Veros 1.7 are replaced as it
runs, and setups stay as they are. NumPy backend only.
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import lapwing
import numpy as np
from lapwing.core import mpi_runtime

mpi_runtime.start()  # before Veros imports mpi4py

from veros import distributed, runtime_settings, runtime_state, variables  # noqa: E402
from veros.routines import CURRENT_CONTEXT  # noqa: E402

WIDTH = 2  # cells of halo, and of ghost cells around the grid
AXES = distributed.SCATTERED_DIMENSIONS  # the names of lengths along x, and along y
ADDING = ("core.thermodynamics", "core.external.line_integrals")  # what computes with sums
TELLING = ("diagnostics.tracer_monitor", "diagnostics.energy")  # what only writes them
_along_one_axis, _shape_of = distributed.exchange_overlap, variables.get_shape


def install(*, exact_sums: bool = True) -> None:
    """Replace what moves values between ranks in Veros. Local; call it on all ranks.

    Before a setup is imported, which locks Veros's settings: its solver becomes SciPy's, on rank 0.
    `exact_sums`: replace its sums over ranks too, which round differently for each number of ranks;
    without it the bits are those of its own exchange on the same blocks.
    """
    for new in (get_chunk_size, get_chunk_slices, exchange_overlap):
        _replace(getattr(distributed, new.__name__), new)
    _replace(variables.get_shape, get_shape)
    runtime_settings.linear_solver = "scipy"  # bits of PETSc's depend on the ranks
    begin = begin_with_exact_sums if exact_sums else validate_decomposition
    _replace(distributed.validate_decomposition, begin)


def _replace(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put a function in the place of another in all modules of Veros that know it. Local."""
    modules = [m for name, m in list(sys.modules.items()) if name.partition(".")[0] == "veros"]
    for module in modules:
        for key in [key for key, value in vars(module).items() if value is old]:
            setattr(module, key, new)


# ---- blocks, cut as by lapwing.block_partition; Veros needs none to be larger than the first


def _block(cells: int, axis: int, part: int) -> tuple[int, int]:
    """The first cell of a block along an axis, and the first one after it. Local."""
    length, longer = divmod(cells, runtime_settings.num_proc[axis])
    return length * part + min(part, longer), length * (part + 1) + min(part + 1, longer)


def _own_length(cells: int, axis: int) -> int:
    first, last = _block(cells, axis, runtime_state.proc_idx[axis])
    return last - first


def validate_decomposition(dimensions: dict[str, int]) -> None:
    """Raise UserError unless each rank has a block as wide as its halo, of NumPy. Local."""
    if (backend := runtime_settings.backend) != "numpy":
        raise lapwing.UserError(f"backend: got {backend}; expected numpy; leave out -b")
    _exchange.cache_clear()  # on all ranks: the next blocks may be as large on some of them alone
    (px, py), ranks = runtime_settings.num_proc, runtime_state.proc_num
    x, y = dimensions["xt"], dimensions["yt"]
    if px * py != ranks or x // px < WIDTH or y // py < WIDTH:
        got = f"{px} x {py} blocks of {x} x {y} cells on {ranks} ranks"
        expected = f"a block of at least {WIDTH} x {WIDTH} cells for each rank"
        raise lapwing.UserError(f"num_proc: got {got}; expected {expected}; choose -n to suit")


def get_chunk_size(nx: int, ny: int) -> tuple[int, int]:
    """Return the cells of this rank along x and y. Local."""
    return _own_length(nx, 0), _own_length(ny, 1)


def get_shape(dimensions: Any, grid: Any, include_ghosts: bool = True, local: bool = True) -> Any:
    """Return the lengths of an array's axes, of this rank if `local`. Local."""
    lengths = dict(dimensions)
    for axis, names in enumerate(AXES) if local and CURRENT_CONTEXT.is_dist_safe else ():
        lengths |= {name: _own_length(lengths[name], axis) for name in names if name in lengths}
    return _shape_of(lengths, grid, include_ghosts, local=False)


def get_chunk_slices(
    nx: int, ny: int, dim_grid: Any, proc_idx: Any = None, include_overlap: bool = False
) -> tuple[Any, Any]:
    """Return where the cells of a rank lie in arrays of the whole grid, and in its own. Local."""
    place, slices = proc_idx or runtime_state.proc_idx, []
    for dim in dim_grid or ():
        axis = next((a for a, names in enumerate(AXES) if dim in names), None)
        if axis is None:
            slices.append((slice(None), slice(None)))
            continue
        first, last = _block((nx, ny)[axis], axis, place[axis])
        begin, end = 0, last - first
        if include_overlap:  # ghost cells beyond the grid come with the block next to them
            begin = 0 if place[axis] == 0 else WIDTH
            end += WIDTH if place[axis] + 1 < runtime_settings.num_proc[axis] else 2 * WIDTH
        slices.append((slice(first + begin, first + end), slice(begin, end)))
    of_grid, of_rank = zip(*slices, strict=True) if slices else (..., ...)
    return of_grid, of_rank


# ---- halos


@cache
def _exchange(cells: tuple[int, int], levels: int, dtype: str, cyclic: bool) -> Any:
    """The exchange of arrays of one kind; `cells`: of this rank along x and y. Collective."""
    of_ranks, (px, py) = runtime_settings.mpi_comm.allgather(cells), runtime_settings.num_proc
    sizes = sum(x for x, _ in of_ranks[:px]), sum(y for _, y in of_ranks[::px])
    partition = lapwing.block_partition(lapwing.Grid(sizes, (cyclic, False)), (px, py))
    domain = lapwing.Domain(partition, comm=runtime_settings.mpi_comm)
    options: dict[str, Any] = {"halo": WIDTH, "levels": levels, "dtype": dtype, "order": "z"}
    return lapwing.ArrayExchange(domain, "halo", frame=True, **options)


def exchange_overlap(arr: Any, var_grid: Any, cyclic: bool) -> Any:
    """Return a copy of an array with its halos filled. Collective."""
    if runtime_state.proc_num == 1 or not CURRENT_CONTEXT.is_dist_safe:
        return arr
    if len(var_grid) < 2 or var_grid[0] not in AXES[0] or var_grid[1] not in AXES[1]:
        return _along_one_axis(arr, var_grid, cyclic)  # during the setup
    filled = np.array(arr, order="C")
    columns = filled.reshape(*filled.shape[:2], -1)
    cells = (columns.shape[0] - 2 * WIDTH, columns.shape[1] - 2 * WIDTH)
    _exchange(cells, columns.shape[2], columns.dtype.name, bool(cyclic)).run(columns)
    return filled


# ---- sums


@cache
def _ranks() -> lapwing.Domain:
    """A domain of one cell on each rank. Collective."""
    return lapwing.Domain((runtime_state.proc_num,), comm=runtime_settings.mpi_comm)


def _exact_sum(values: Any) -> Any:
    """Return the sum of the values of all ranks, exact and then rounded. Collective."""
    column = np.array(values, dtype=np.float64).reshape(1, -1)
    total = _ranks().wrap("values", column, halo=0, levels=column.size).reduce("sum")
    return values.dtype.type(total)


class ExactSums:
    """NumPy for a module of Veros: its sums are over the cells of all ranks, and rounded once."""

    def __getattr__(self, name: str) -> Any:
        """Whatever else NumPy has. Local."""
        return getattr(np, name)

    def sum(self, values: Any, axis: Any = None) -> Any:
        """Return the sum over all cells, for each place on further axes. Collective."""
        if axis == (0, 1):
            return np.array([_exact_sum(places) for places in np.moveaxis(values, -1, 0)])
        return _exact_sum(values) if axis is None else np.sum(values, axis=axis)


def begin_with_exact_sums(dimensions: dict[str, int]) -> None:
    """Put the sums in place as a setup begins: their modules lock Veros's settings. Local."""
    validate_decomposition(dimensions)
    for module in map(import_module, (f"veros.{name}" for name in ADDING + TELLING)):
        vars(module).update(npx=ExactSums(), global_sum=lambda total: total)
