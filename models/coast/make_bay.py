"""Write the bathymetry of a bay with an estuary and islands: synthetic, shaped like real ones.

python models/coast/make_bay.py bay_depth.nc                    # 80 x 60 cells, as the case `bay`
python models/coast/make_bay.py large.nc --cells 400x300 --degrees 6x2.7
"""

from __future__ import annotations

import argparse
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WEST, SOUTH = 6.5, 53.4  # degrees
# shares of the region from west and south, half their length, height (m)
_ISLANDS = ((0.3, 0.2, 0.05, 30.0), (0.45, 0.22, 0.04, 25.0), (0.55, 0.7, 0.03, 28.0))


def _wave(share: Array, *parts: tuple[float, float, float]) -> Array:
    """A sum of sines: amplitude, waves, and where they begin."""
    return np.asarray(sum(a * np.sin(2 * np.pi * (n * share + start)) for a, n, start in parts))


def elevation(u: Array, v: Array) -> Array:
    """Heights above the sea (m) at shares [.., ..] of the region from west and south. Local."""
    coast = 0.74 + _wave(v, (0.08, 1.3, 0.1), (0.04, 3.7, 0.2), (0.012, 9.1, 0.6))
    shore = 0.09 + _wave(u, (0.04, 2.1, 0.1), (0.015, 7.3, 0.4))
    depth = np.minimum(
        34.0 * np.tanh((coast - u) / 0.3) + 1.0, 30.0 * np.tanh((v - shore) / 0.2) + 1.0
    )
    centre = 0.47 + _wave(u, (0.05, 2.4, 0.3))
    width = 0.012 + 0.25 * np.clip(0.98 - u, 0.0, 0.4)
    channel = 13.0 * (1.0 - ((v - centre) / width) ** 2)
    depth = np.where((u > 0.66) & (u < 0.96), np.maximum(depth, channel), depth)
    for east, north, long, high in _ISLANDS:
        depth = depth - high * np.exp(-(((u - east) / long) ** 2) - ((v - north) / 0.02) ** 2)
    rough = _wave(u + 0.3 * v, (1.0, 11.3, 0.0), (0.6, 23.7, 0.3)) * _wave(v, (1.0, 8.9, 0.2))
    return np.asarray(-(depth + rough * np.clip(depth / 20.0, 0.0, 1.0)))


def write(path: Path, size: tuple[int, int], degrees: tuple[float, float]) -> None:
    """Write elevations [lat, lon] of nx x ny cells as public bathymetries have them. Local."""
    (nx, ny), (width, height) = size, degrees
    u, v = (np.arange(nx) + 0.5) / nx, (np.arange(ny) + 0.5) / ny
    with netCDF4.Dataset(path, "w") as file:
        file.title = "A synthetic bay, made by models/coast/make_bay.py"
        axes = (("lat", SOUTH + height * v, "north"), ("lon", WEST + width * u, "east"))
        for name, values, way in axes:
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = f"degrees_{way}"
            axis[:] = values
        heights = file.createVariable("elevation", "f4", ("lat", "lon"), zlib=True, complevel=9)
        heights.units = "m"
        heights.positive = "up"
        heights.standard_name = "height_above_mean_sea_level"
        heights[:] = np.round(elevation(u[None, :], v[:, None]), 1)


def main() -> None:
    """Write a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="the NetCDF file to write")
    parser.add_argument("--cells", default="80x60", help="cells along x and y: 80x60")
    parser.add_argument("--degrees", default="3x1.35", help="its extent east and north: 3x1.35")
    given = parser.parse_args()
    nx, ny = (int(n) for n in given.cells.split("x"))
    width, height = (float(n) for n in given.degrees.split("x"))
    write(given.file, (nx, ny), (width, height))


if __name__ == "__main__":
    main()
