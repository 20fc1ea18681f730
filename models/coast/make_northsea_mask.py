"""Cut the coast of the case `northsea` out of the `global-land-mask` package.

    pip install global-land-mask && python models/coast/make_northsea_mask.py

Run by hand when the region changes; the file it writes is part of the repository.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

SOUTH, NORTH = 51, 61  # degrees_north
WEST, EAST = -4, 9  # degrees_east
PER_DEGREE = 30  # cells per degree: 2 arc-minutes
SOURCE_PER_DEGREE = 120  # cells per degree of the source: 30 arc-seconds
OUTPUT = Path(__file__).parent / "lapwing_coast" / "cases" / "northsea_mask.nc"

# Where the sea goes on beyond the region; everything else on the rim is a wall.
OPEN_WEST_FROM = 58.4  # degrees_north: the Atlantic north of Scotland, not the Irish Sea
ATTRIBUTES = {
    "title": "Wet cells of the North Sea, 2 arc-minutes",
    "source": "global-land-mask 1.0.0 (github.com/toddkarin/global-land-mask), which holds the "
    "cells without elevation of GLOBE (Global Land One-kilometer Base Elevation, NOAA NGDC)",
    "license": "GLOBE is a work of the United States government in the public domain; the "
    "package is under the MIT License (toddkarin)",
    "processing": "a cell is wet where at least half of its 4 x 4 source cells are sea; cells that "
    "are not connected over faces to the open boundary (north side; west side north of 58.4 N; "
    "south side, the Channel) were made dry, the Irish Sea among them",
    "Conventions": "CF-1.8",
}


def source_sea() -> NDArray[np.bool_]:
    """Read the sea cells [lat, lon] of the region, south to north, at 30 arc-seconds."""
    from global_land_mask import globe  # 1 GB of memory: only here

    def centres(first: int, last: int) -> NDArray[np.float64]:
        return first + (np.arange((last - first) * SOURCE_PER_DEGREE) + 0.5) / SOURCE_PER_DEGREE

    latitude, longitude = np.meshgrid(centres(SOUTH, NORTH), centres(WEST, EAST), indexing="ij")
    # The package truncates to the index of the cell below; half a cell makes that the nearest.
    return np.asarray(globe.is_ocean(latitude, longitude), dtype=bool)


def coarsen(sea: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells [lat, lon] at least half of whose source cells are sea."""
    n = SOURCE_PER_DEGREE // PER_DEGREE
    blocks = sea.reshape(sea.shape[0] // n, n, sea.shape[1] // n, n)
    return np.asarray(blocks.mean(axis=(1, 3)) >= 0.5)


def open_rim(wet: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the wet cells [lat, lon] through which the tide comes in."""
    rim = np.zeros_like(wet)
    rim[-1, :] = True
    rim[round((OPEN_WEST_FROM - SOUTH) * PER_DEGREE) :, 0] = True
    rim[0, :] = True
    return rim & wet


def connected(wet: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the wet cells that can be reached from `start` over faces."""
    reached = start
    while True:
        wider = reached.copy()
        wider[1:] |= reached[:-1]
        wider[:-1] |= reached[1:]
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider &= wet
        if np.array_equal(wider, reached):
            return reached
        reached = wider


def write(wet: NDArray[np.bool_], path: Path) -> None:
    """Write the mask with its coordinates and where it comes from."""
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(ATTRIBUTES)
        for name, first, n, units in (
            ("lat", SOUTH, wet.shape[0], "degrees_north"),
            ("lon", WEST, wet.shape[1], "degrees_east"),
        ):
            file.createDimension(name, n)
            axis = file.createVariable(name, "f8", (name,), zlib=True, complevel=9)
            axis.units = units
            axis.standard_name = {"lat": "latitude", "lon": "longitude"}[name]
            axis[:] = first + (np.arange(n) + 0.5) / PER_DEGREE
        mask = file.createVariable("wet", "i1", ("lat", "lon"), zlib=True, complevel=9)
        mask.long_name = "1 where the cell is sea that the tide reaches, else 0"
        mask.standard_name = "sea_binary_mask"
        mask.units = "1"
        mask[:] = wet


def main() -> None:
    """Cut the mask and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUTPUT, help="file to write")
    path = parser.parse_args().out
    sea = coarsen(source_sea())
    wet = connected(sea, open_rim(sea))
    write(wet, path)
    print(
        f"{path.name}: {wet.shape[1]} x {wet.shape[0]} cells, {wet.sum()} wet "
        f"({sea.sum() - wet.sum()} more are cut off), {path.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
