"""Parts of the earth that `lapwing mask` cuts a mask file for.

The array of the package `global-land-mask` tells sea from land at 30 arc-seconds. It holds 21600
x 43200 cells, 0.9 GB once unpacked, and the package unpacks them all when it is imported. Here its
file is read as a stream instead, and only the requested rows and columns are kept.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lapwing.base.atomic_file import make_folder
from lapwing.base.error import OutsideError, outside_error, user_error
from lapwing.core.fields.labels import Axis
from lapwing.io.mask_file import MaskFile, write_mask

CELLS_PER_DEGREE = 120  # 30 arc-seconds
_PER_CELL = [n for n in range(1, CELLS_PER_DEGREE + 1) if CELLS_PER_DEGREE % n == 0]
MINUTES = tuple(60 * n / CELLS_PER_DEGREE for n in _PER_CELL)  # sizes of a cell, arc-minutes
_SIDES = {"south": (0, 0), "north": (0, -1), "west": (1, 0), "east": (1, -1)}  # axis, index

_PACKAGE = "global-land-mask"
_FILE = "globe_combined_mask_compressed.npz"
_SHAPE = (180 * CELLS_PER_DEGREE, 360 * CELLS_PER_DEGREE)  # from 90 N southwards, 180 W eastwards
_ROWS_AT_ONCE = 256  # 11 MB


@dataclass(frozen=True)
class Region:
    """A rectangle of longitude and latitude, the size of its cells, and the rule for wet cells.

    With `rule` "half" a cell is wet where at least half of its source cells are sea; with "centre"
    where the source cell at its centre is. A `connected` region keeps only cells that can be
    reached over faces from the sides in `open`, each from a latitude or longitude (degrees) on; if
    there are none, from all four.
    """

    name: str
    title: str
    south: float  # degrees_north
    north: float
    west: float  # degrees_east
    east: float
    minutes: float = 1.0  # size of a cell, arc-minutes
    rule: Literal["half", "centre"] = "centre"
    connected: bool = False
    open: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def sides(self) -> Mapping[str, float]:
        """The open sides, each with where it begins, degrees."""
        return self.open or dict.fromkeys(_SIDES, -np.inf)


REGIONS = {
    region.name: region
    for region in (
        # Points, and all of them: the mask for which figures of partitions are known.
        Region("shelf", "the European shelf", 40, 65, -20, 13),
        # The gulf reaches from Cape Palmas (8 W) to Cape Lopez (9 E, 1 S); the region goes on in
        # the east and south, so that the coast leaves through two sides.
        Region("guinea", "the Gulf of Guinea", -5, 7, -8, 12),
        Region(
            "northsea",
            "the North Sea",
            *(51, 61, -4, 9),
            minutes=2,
            rule="half",
            connected=True,
            # The sea goes on there; the west is the Atlantic north of Scotland, not the Irish Sea.
            open={"north": -np.inf, "west": 58.4, "south": -np.inf},
        ),
    )
}


def find_region(text: str, minutes: float | None, connected: bool | None) -> Region:
    """The region with a name, or with the bounds "S,N,W,E" in degrees, and its cells' size.

    Local. `minutes` and `connected`: None for the region's own. UserError for an unknown name,
    bounds that are no rectangle on the earth or no whole cells, and a size that the source lacks.
    """
    region = REGIONS.get(text) or _from_bounds(text)
    if minutes is not None:
        region = dataclasses.replace(region, minutes=minutes)
    if connected is not None:
        region = dataclasses.replace(region, connected=connected)
    _check_cells(region)
    return region


def _from_bounds(text: str) -> Region:
    try:
        south, north, west, east = (float(part) for part in text.split(","))
        if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
            raise ValueError
    except ValueError:
        raise user_error(
            "--region",
            repr(text),
            f"one of {', '.join(REGIONS)}, or S,N,W,E in degrees: -90 <= S < N <= 90 and "
            "-180 <= W < E <= 180",
            "choose one, or write for example --region=40,65,-20,13",
        ) from None
    degrees = f"{_degrees(south, 'NS')} to {_degrees(north, 'NS')}"
    degrees += f", {_degrees(west, 'EW')} to {_degrees(east, 'EW')}"
    return Region("region", degrees, south, north, west, east)


def _degrees(value: float, letters: str) -> str:
    return f"{abs(value):g} {letters[value < 0]}"


def _check_cells(region: Region) -> None:
    if region.minutes not in MINUTES:
        raise user_error(
            "--minutes",
            f"{region.minutes:g}",
            f"a size that whole source cells of 0.5 arc-minutes and a degree are made of: "
            f"{', '.join(f'{m:g}' for m in MINUTES)}",
            "choose one of these",
        )
    for bound in (region.south, region.north, region.west, region.east):
        cells = bound * 60 / region.minutes
        if abs(cells - round(cells)) > 1e-6:
            expected = f"a multiple of {region.minutes:g} arc-minutes, the size of a cell"
            remedy = "move the bound, or choose other --minutes"
            raise user_error("--region", f"the bound {bound:g} degrees", expected, remedy)


def cut_mask(region: Region) -> MaskFile:
    """Cut the mask of a region out of the package `global-land-mask`.

    Local; takes seconds. OutsideError where the package is missing, UserError where no cell is wet.
    """
    rows = (round((bound + 90) * CELLS_PER_DEGREE) for bound in (region.south, region.north))
    columns = (round((bound + 180) * CELLS_PER_DEGREE) for bound in (region.west, region.east))
    source = read_sea(slice(*rows), slice(*columns))
    sea = _cells(source, round(region.minutes * CELLS_PER_DEGREE / 60), region.rule)
    wet = reachable(sea, _open_rim(sea, region)) if region.connected else sea
    if not wet.any():
        remedy = "choose another region, or --no-connected"
        raise user_error("--region", f"{region.title} without a wet cell", "at least one", remedy)
    title = f"Wet cells of {region.title}, {region.minutes:g} arc-minutes"
    per_degree = 60 / region.minutes
    y, x = (
        first + (np.arange(n) + 0.5) / per_degree
        for first, n in zip((region.south, region.west), wet.shape, strict=True)
    )
    latitude = Axis(y, "degrees_north", "latitude", "latitude")
    longitude = Axis(x, "degrees_east", "longitude", "longitude")
    return MaskFile(np.asfortranarray(wet.T), longitude, latitude, title)


def _cells(source: NDArray[np.bool_], n: int, rule: str) -> NDArray[np.bool_]:
    """The wet cells [lat, lon] made of n x n source cells each."""
    blocks = source.reshape(source.shape[0] // n, n, source.shape[1] // n, n)
    if rule == "half":
        return np.asarray(blocks.mean(axis=(1, 3)) >= 0.5)
    # If n is even the centre is a corner of four, and the one in the south-east is used.
    # (The package's own look-up takes one or another of the four there, as rounding will have it.)
    return np.ascontiguousarray(blocks[:, (n - 1) // 2, :, n // 2])


def _open_rim(wet: NDArray[np.bool_], region: Region) -> NDArray[np.bool_]:
    """The wet cells [lat, lon] on the open sides of a region."""
    rim = np.zeros_like(wet)
    for side, begin in region.sides.items():
        axis, index = _SIDES[side]
        start = region.west if axis == 0 else region.south
        first = round(max(begin - start, 0.0) * 60 / region.minutes)
        line = np.moveaxis(rim, axis, 0)[index]
        line[first:] = True
    return rim & wet


def reachable(wet: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The wet cells that can be reached over faces from the cells in `start`. Local."""
    from scipy.ndimage import binary_propagation  # here: it takes a while to load

    return np.asarray(binary_propagation(start & wet, mask=wet))


def write_region(region: Region, path: Path) -> MaskFile:
    """Cut the mask of a region and write it as NetCDF with what it was made from.

    Local. Errors as `cut_mask`, and UserError where the folder of `path` cannot be made.
    """
    make_folder(path.parent)
    mask = cut_mask(region)
    write_mask(
        path,
        mask,
        {
            "source": f"global-land-mask {source_version()} (github.com/toddkarin/"
            "global-land-mask), which holds the cells without elevation of GLOBE (Global Land "
            "One-kilometer Base Elevation, NOAA NGDC)",
            "license": "GLOBE is a work of the United States government in the public domain; the "
            "package is under the MIT License (toddkarin)",
            "processing": _processing(region),
        },
    )
    return mask


def _processing(region: Region) -> str:
    n = round(region.minutes * CELLS_PER_DEGREE / 60)
    text = (
        f"a cell is wet where at least half of its {n} x {n} source cells are sea"
        if region.rule == "half"
        else "a cell is wet where the source cell at its centre is sea (of four that meet there, "
        "the one in the south-east)"
    )
    if not region.connected:
        return f"{text}; lakes and basins without a connection to the sides are as the source says"
    sides = ", ".join(
        f"{side} from {begin:g} degrees" if begin > -90 else side
        for side, begin in region.sides.items()
    )
    return f"{text}; cells not connected over faces to the open sides ({sides}) were made dry"


def print_mask(mask: MaskFile, path: Path) -> None:
    """Print the size of a mask, its share of wet cells and the file it is in. Local."""
    nx, ny = mask.wet.shape
    wet = int(np.count_nonzero(mask.wet))
    print(
        f"{mask.title}: {nx} x {ny} cells, {wet} wet ({100 * wet / mask.wet.size:.1f} %), "
        f"{path}, {path.stat().st_size} bytes"
    )


# ---- the package `global-land-mask`


def source_version() -> str:
    """The version of the package. Local. OutsideError where it is not installed."""
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise _missing("not installed") from None


def read_sea(rows: slice, columns: slice) -> NDArray[np.bool_]:
    """Read the sea cells [lat, lon] of a part of the earth, from south to north and west to east.

    Local. `rows` count from 90 S and `columns` from 180 W, 120 to a degree. Takes about two
    seconds and 15 MB besides the result. OutsideError where the package is missing or other than
    known.
    """
    first, last = _SHAPE[0] - rows.stop, _SHAPE[0] - rows.start  # the file begins in the north
    kept = []
    try:
        with zipfile.ZipFile(_path()) as archive, archive.open("mask.npy") as stream:
            np.lib.format.read_magic(stream)
            head = np.lib.format.read_array_header_1_0(stream)
            if head != (_SHAPE, False, np.dtype(bool)):
                raise _missing(f"an array of {head[2]} {head[0]}")
            for row in range(0, last, _ROWS_AT_ONCE):
                count = min(_ROWS_AT_ONCE, last - row)
                piece = np.frombuffer(stream.read(count * _SHAPE[1]), dtype=np.bool_)
                part = piece.reshape(count, _SHAPE[1])[max(first - row, 0) :, columns]
                kept.append(part.copy())  # a view would keep all columns in memory
    except (zipfile.BadZipFile, KeyError, ValueError) as problem:
        raise _missing(f"a broken file ({problem})") from None
    return np.ascontiguousarray(np.concatenate(kept)[::-1])


def _path() -> Path:
    # The package is located without importing it: that would unpack the whole earth.
    package = importlib.util.find_spec("global_land_mask")
    if package is None or not package.submodule_search_locations:
        raise _missing("not installed")
    path = Path(package.submodule_search_locations[0]) / _FILE
    if not path.is_file():
        raise _missing(f"no file {_FILE}")
    return path


def _missing(got: str) -> OutsideError:
    expected = "version 1.0.0, whose coasts `lapwing mask` cuts out"
    remedy = f"{sys.executable} -m pip install {_PACKAGE}==1.0.0"
    return outside_error(f"package {_PACKAGE}", got, expected, remedy)
