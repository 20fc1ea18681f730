"""The neutral layout file: a NetCDF map of which rank has each cell, for couplers and tools.

It holds any partition: lapwing's k-sections and assigned blocks as well as the blocks of a model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.atomic_file import complete_or_absent, writing
from lapwing.base.error import UserError, user_error
from lapwing.core.partition import Partition
from lapwing.partition.layouts.plan import mask_cells
from lapwing.partition.layouts.rows import row_blocks, rows_at_once

RANKS = "ranks"  # the name of this kind of file on the command line
NO_RANK = -1
_EXPECTED = "a NetCDF file with rank(y, x), whole numbers"

Ranks = NDArray[np.int32]


def ranks_of(partition: Partition) -> Ranks:
    """Return the rank [nx, ny] that has each cell, NO_RANK outside all boxes.

    Local. UserError where a partition is of three dimensions.
    """
    nx, ny, nz = partition.grid.size
    if nz > 1:
        raise user_error("partition", f"{nz} cells along z", "2 dimensions", "take a map")
    ranks = np.full((nx, ny), NO_RANK, dtype=np.int32, order="F")  # as rows of the file
    for part in partition.subdomains:
        (x, y, _), (x_end, y_end, _) = part.box.lo, part.box.hi
        ranks[x:x_end, y:y_end] = part.rank
    return ranks


def check_ranks(ranks: ArrayLike, wet: ArrayLike) -> None:
    """Refuse a map in which a wet cell has no rank, or a rank below the largest has no cell.

    Local. `ranks`, `wet`: arrays [nx, ny]. UserError names the first such cell or rank.
    """
    owners, cells = np.asarray(ranks), mask_cells(wet)
    if owners.shape != cells.shape:
        expected = f"{cells.shape}, as the mask"
        raise user_error("ranks", f"a map of {owners.shape}", expected, "write it again")
    rows = list(row_blocks(cells.shape))
    if any((cells[:, some] & (owners[:, some] < 0)).any() for some in rows):
        lost = np.argwhere(cells & (owners < 0))
        got = f"no rank for wet cell ({lost[0][0] + 1}, {lost[0][1] + 1}), and {len(lost) - 1} more"
        raise user_error("ranks", got, "a rank for each wet cell", "write it again")
    used = np.zeros(int(owners.max()) + 1, dtype=np.bool_)
    for some in rows:
        part = owners[:, some]
        used[part[part >= 0]] = True
    if not used.all():
        idle = int(np.argmin(used))
        raise user_error("ranks", f"no cell of rank {idle}", "cells for all", "write it again")


def write_ranks(ranks: ArrayLike, wet: ArrayLike, path: Path) -> None:
    """Write a map of ranks, with the mask next to it.

    Local, for one rank. `ranks`: array [nx, ny], from 0, NO_RANK where there is none; `wet`: array
    [nx, ny]. UserError as `check_ranks`; OutsideError if the file cannot be written.
    """
    check_ranks(ranks, wet)
    owners, cells = np.asarray(ranks), mask_cells(wet)
    with writing(path), complete_or_absent(path) as part, netCDF4.Dataset(part, "w") as file:
        _write_axes(file, owners.shape)
        file.ranks = np.int32(owners.max() + 1)
        _write_maps(file, owners, cells)


def write_checked_ranks(ranks: Ranks, wet: ArrayLike, path: Path) -> None:
    """Write a map of ranks, read it back and compare it. Arguments and errors as `write_ranks`."""
    write_ranks(ranks, wet, path)
    if not np.array_equal(read_ranks(path), ranks):
        remedy = "look at that disk"
        raise user_error(f"layout file {path}", "other ranks than written", "the same", remedy)


def _write_axes(file: Any, shape: tuple[int, ...]) -> None:
    file.Conventions, file.title = "CF-1.11", "which rank has each cell"
    for name, count in zip("yx", shape[::-1], strict=True):
        file.createDimension(name, count)
        axis = file.createVariable(name, "i4", (name,))
        axis.long_name = f"cells along {name}, from 1"
        axis.units, axis.axis = "1", name.upper()
        axis[:] = np.arange(1, count + 1)


def _write_maps(file: Any, owners: Any, cells: NDArray[np.bool_]) -> None:
    """Write rank(y, x) and wet(y, x)."""
    chunk = (rows_at_once(cells.shape), cells.shape[0])
    packed: dict[str, Any] = {"zlib": True, "shuffle": True, "chunksizes": chunk}
    rank = file.createVariable("rank", "i4", ("y", "x"), fill_value=np.int32(NO_RANK), **packed)
    rank.long_name, rank.units = "rank that has the cell", "1"
    rank.valid_min = np.int32(0)
    rank.comment = f"{NO_RANK}, the fill value: land that no rank has; ranks may have land too"
    rank.ancillary_variables = "wet"
    wet = file.createVariable("wet", "i1", ("y", "x"), **packed)
    wet.standard_name, wet.units = "sea_binary_mask", "1"
    wet.flag_values, wet.flag_meanings = np.array([0, 1], dtype="i1"), "land sea"
    for rows in row_blocks(cells.shape):
        rank[rows] = owners[:, rows].T
        wet[rows] = cells[:, rows].T


def read_ranks(path: Path) -> Ranks:
    """Read a map of ranks [nx, ny], NO_RANK where there is none.

    Local. UserError if it cannot be read, or its ranks are not an array of integers with two
    dimensions.
    """
    subject = f"layout file {path}"
    try:
        with netCDF4.Dataset(path) as file:
            file.set_auto_maskandscale(False)
            return _read_rows(file["rank"], subject)
    except UserError:
        raise
    except (OSError, IndexError, RuntimeError, ValueError) as problem:
        raise user_error(subject, str(problem), _EXPECTED, "correct the name") from None


def _read_rows(variable: Any, subject: str) -> Ranks:
    """The ranks of rank(y, x), read by rows: no other type has a copy of all cells."""
    if variable.ndim != 2 or getattr(variable.dtype, "kind", "") not in tuple("iu"):
        got = f"rank of type {variable.dtype} and {variable.ndim} dimensions"
        raise user_error(subject, got, _EXPECTED, "write the file again")
    ranks = np.empty(variable.shape[::-1], dtype=np.int32, order="F")
    most = np.iinfo(np.int32).max
    for rows in row_blocks(ranks.shape):
        values = variable[rows]
        if (values > most).any():
            got, expected = f"rank {values.max()}", f"ranks up to {most}"
            raise user_error(subject, got, expected, "write the file again")
        ranks[:, rows] = np.where(values < 0, NO_RANK, values).T
    return ranks
