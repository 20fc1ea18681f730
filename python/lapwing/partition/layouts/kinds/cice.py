"""CICE: the file of weights for `distribution_type = 'wghtfile'`, `distribution_wght = 'file'`.

CICE has no file that says which process gets a block. It adds the weights of the ocean points of
every block, leaves out blocks without one, and distributes the rest by their weight.

Sources: CICE `cicecore/cicedyn/infrastructure/ice_domain.F90` (`init_domain_distribution`),
`ice_blocks.F90`; `cicecore/shared/ice_distribution.F90` (`create_distrb_wghtfile`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from lapwing.base.error import user_error
from lapwing.partition.layouts.kinds.kind import Kind, Wet, headline, short_last, wrong_file
from lapwing.partition.layouts.layout import Edges, Layout
from lapwing.partition.layouts.rows import row_blocks, rows_at_once

_GHOSTS = 1  # cells, nghost in CICE's sources


class Cice(Kind):
    """The NetCDF variable wght(nj, ni): 1 for an ocean point, 0 for land."""

    name, model = "cice", "CICE"
    halo_name = "nghost "
    cut_rule = "a number for which blocks of one size, the last one cut off, fill them"

    def width(self, halo: int) -> int:
        """Return one cell."""
        return _GHOSTS

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut blocks of block_size_x or block_size_y cells; the last one may be smaller."""
        sizes = short_last(cells, blocks)
        return sizes if sizes[-1] > 0 else []

    def rim(self, halo: int) -> tuple[int, int]:
        """Return none: CICE looks at the points of a block only."""
        return 0, 0

    def write(self, path: Path, layout: Layout, edges: Edges, wet: Wet) -> None:
        """Write the weights, with the numbers for domain_nml as attributes."""
        x, y = (int(np.diff(edge)[0]) for edge in edges)
        with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as file:
            file.Conventions = "CF-1.11"
            file.title = headline(layout)
            file.block_size_x, file.block_size_y = np.int32(x), np.int32(y)
            file.nprocs, file.max_blocks = np.int32(layout.ranks), np.int32(1)
            file.comment = (
                "domain_nml: distribution_type = 'wghtfile', distribution_wght = 'file', and "
                "block_size_x, block_size_y, nprocs and max_blocks as the attributes say"
            )
            for name, cells in zip(("nj", "ni"), wet.shape[::-1], strict=True):
                file.createDimension(name, cells)
            chunk = (rows_at_once(wet.shape), wet.shape[0])
            wght = file.createVariable(
                "wght", "f8", ("nj", "ni"), zlib=True, shuffle=True, chunksizes=chunk
            )
            wght.long_name, wght.units = "weight of an ocean point", "1"
            for rows in row_blocks(wet.shape):
                wght[rows] = wet[:, rows].T

    def read(self, path: Path, subject: str) -> Layout:
        """Read block sizes from the attributes; blocks whose weights are all 0 are dropped."""
        try:
            with netCDF4.Dataset(path) as file:
                file.set_auto_maskandscale(False)
                sizes = [_whole(file, name, subject) for name in ("block_size_x", "block_size_y")]
                nprocs = _whole(file, "nprocs", subject)
                weighted = _weighted_blocks(file["wght"], sizes, subject)
                size = file["wght"].shape[::-1]
        except (OSError, IndexError, RuntimeError) as problem:
            expected = "a NetCDF file with wght(nj, ni)"
            raise user_error(subject, str(problem), expected, "correct the name") from None
        dropped = tuple((int(i), int(j)) for j, i in np.argwhere(~weighted))
        layout = Layout(self.name, size, weighted.shape[::-1], dropped, _GHOSTS)
        if layout.ranks != nprocs:
            expected = f"{layout.ranks}, the blocks with weights"
            raise wrong_file(subject, f"nprocs = {nprocs}", expected)
        return layout


def _whole(file: Any, name: str, subject: str) -> int:
    value = getattr(file, name, None)
    if not isinstance(value, np.integer) or value < 1:
        raise wrong_file(subject, f"{name} = {value}", "an attribute, a whole number from 1")
    return int(value)


def _weighted_blocks(wght: Any, sizes: list[int], subject: str) -> Wet:
    """True for the blocks [j, i] that have a weight; reads by rows, as a grid may be large."""
    if wght.ndim != 2 or getattr(wght.dtype, "kind", "") not in tuple("iuf") or not wght.size:
        got = f"wght of type {wght.dtype} and {wght.ndim} dimensions"
        raise wrong_file(subject, got, "numbers with the dimensions nj and ni")
    ny, nx = wght.shape
    width, height = sizes
    starts = range(0, nx, width)
    found = np.zeros((-(-ny // height), len(starts)), dtype=np.bool_)
    for rows in row_blocks((nx, ny)):
        weighted = np.logical_or.reduceat(wght[rows] > 0, starts, axis=1)
        np.logical_or.at(found, np.arange(rows.start, rows.stop) // height, weighted)
    return found
