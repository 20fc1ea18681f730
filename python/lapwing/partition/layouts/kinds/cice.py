"""CICE: the file of weights for `distribution_type = 'wghtfile'`, `distribution_wght = 'file'`.

CICE has no file that says which process gets a block. It adds the weights of the ocean points of
every block, leaves out blocks without one, and deals the others out by their weight.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from lapwing.base.error import user_error
from lapwing.partition.layouts.kinds.kind import Kind, Wet, short_last
from lapwing.partition.layouts.kinds.text import headline, wrong_file
from lapwing.partition.layouts.layout import Edges, Layout

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
            wght = file.createVariable("wght", "f8", ("nj", "ni"), zlib=True, shuffle=True)
            wght.long_name, wght.units = "weight of an ocean point", "1"
            wght[:] = wet.T

    def read(self, path: Path, subject: str) -> Layout:
        """Read block sizes from the attributes; blocks whose weights are all 0 are dropped."""
        try:
            with netCDF4.Dataset(path) as file:
                file.set_auto_maskandscale(False)
                sizes = [_whole(file, name, subject) for name in ("block_size_x", "block_size_y")]
                nprocs = _whole(file, "nprocs", subject)
                wght = file["wght"][:].T
        except (OSError, IndexError, RuntimeError) as problem:
            expected = "a NetCDF file with wght(nj, ni)"
            raise user_error(subject, str(problem), expected, "correct the name") from None
        return _layout(wght, sizes, nprocs, subject)


def _whole(file: Any, name: str, subject: str) -> int:
    value = getattr(file, name, None)
    if not isinstance(value, np.integer) or value < 1:
        raise wrong_file(subject, f"{name} = {value}", "an attribute, a whole number from 1")
    return int(value)


def _layout(wght: Any, sizes: list[int], nprocs: int, subject: str) -> Layout:
    if wght.ndim != 2 or wght.dtype.kind not in "iuf" or not wght.size:
        got = f"wght of type {wght.dtype} and {wght.ndim} dimensions"
        raise wrong_file(subject, got, "numbers with the dimensions nj and ni")
    starts = [range(0, n, size) for n, size in zip(wght.shape, sizes, strict=True)]
    sums = np.add.reduceat(np.add.reduceat(wght > 0, starts[0], axis=0), starts[1], axis=1)
    dropped = tuple((int(i), int(j)) for j, i in np.argwhere(sums.T == 0))
    size = (wght.shape[0], wght.shape[1])
    layout = Layout("cice", size, (len(starts[0]), len(starts[1])), dropped, _GHOSTS)
    if layout.ranks != nprocs:
        raise wrong_file(subject, f"nprocs = {nprocs}", f"{layout.ranks}, the blocks with weights")
    return layout
