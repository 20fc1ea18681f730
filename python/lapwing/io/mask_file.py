"""Mask files: which cells of a map are wet, read and written.

Files hold maps as they are usually kept, [y, x] with y (latitude) first; a `MaskFile` holds [x, y]
like every array of lapwing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.atomic_file import complete_or_absent
from lapwing.core.fields.labels import Axis
from lapwing.io.maps.dataset import open_maps
from lapwing.io.maps.request import MapRequest
from lapwing.io.maps.sea import find_sea
from lapwing.io.variable_description import attributes_of


@dataclass(frozen=True)
class MaskFile:
    """The content of a mask file: wet cells [nx, ny], the axes of their centres, a title."""

    wet: NDArray[np.bool_]
    x: Axis
    y: Axis
    title: str = ""
    notes: tuple[str, ...] = ()  # notes on what was turned or inverted, to be printed once


def read_mask(
    path: Path,
    name: str = "mask",
    *,
    wet: str = "",
    axes: str = "",
    variable: str = "",
    size: str = "",
) -> MaskFile:
    """Read the wet cells of a map: NetCDF, NumPy (.npy, [y, x]), or a file of another model.

    Local. `wet`: an expression over variables of the file that is true in wet cells, "depth > 10";
    `axes`: "x,y" or "y,x", the order of the dimensions in the file, if it names none; `variable`:
    the map, if there are several; `size`: "NX,NY", for a file without a header; `name`: the
    caller's name of the file, for messages. Without `wet` the attributes and the name of the map
    say which values are water; 1 is water if nothing is said. Cells without a value are dry.
    Latitudes that fall are turned. `notes` of the result report this and any other difference from
    the file.

    UserError for a file that cannot be read, words that contradict each other, percentages and
    other values, two candidates, axes in no clear order or that do not rise, and where no cell is
    wet. Takes a byte per cell and some 200 MB.
    """
    with open_maps(path, MapRequest(name, wet, axes, variable, size)) as source:
        sea = find_sea(source)
        title = str(source.data.attrs.get("title", ""))
        return MaskFile(sea.wet, sea.placement.x, sea.placement.y, title, sea.notes)


def write_mask(path: Path, mask: MaskFile, attributes: Mapping[str, str]) -> None:
    """Write a mask as a packed NetCDF file (CF) with global `attributes`, complete or not at all.

    Local, for one rank. OSError where the file cannot be written.
    """
    with complete_or_absent(path) as part, netCDF4.Dataset(part, "w") as file:
        file.setncatts({"title": mask.title, **attributes, "Conventions": "CF-1.8"})
        for name, axis in (("lat", mask.y), ("lon", mask.x)):
            _write_axis(file, name, axis)
        wet = file.createVariable("wet", "i1", ("lat", "lon"), zlib=True, complevel=9)
        wet.long_name = "1 where the cell is sea, else 0"
        wet.standard_name = "sea_binary_mask"
        wet.units = "1"
        wet[:] = mask.wet.T


def _write_axis(file: netCDF4.Dataset, name: str, axis: Axis) -> None:
    file.createDimension(name, axis.values.size)
    made = file.createVariable(name, "f8", (name,), zlib=True, complevel=9)
    made.setncatts(attributes_of(axis))
    made[:] = axis.values
