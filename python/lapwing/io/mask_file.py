"""Mask files: which cells of a map are wet, read and written.

Files hold maps as they are usually kept, [y, x] with y (latitude) first; a `MaskFile` holds [x, y]
like every array of lapwing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.array_file import read_array
from lapwing.base.atomic_file import complete_or_absent
from lapwing.base.error import UserError, user_error
from lapwing.base.number_check import require_readable
from lapwing.io.variable_description import describe
from lapwing.model.model import Axis

_MASK_NAMES = ("wet", "mask", "tmask", "sea_mask", "wet_c", "mask_rho")  # tried in this order
_MASK_MEANINGS = ("sea_binary_mask", "land_binary_mask")  # CF standard names
_AXIS_NAMES = {"y": ("lat", "latitude", "y", "yh", "nav_lat"), "x": ("lon", "longitude", "x", "xh")}
_DEGREES = {"y": "degrees_north", "x": "degrees_east"}
_LONG_NAMES = {"y": "latitude", "x": "longitude"}


@dataclass(frozen=True)
class MaskFile:
    """The content of a mask file: wet cells [nx, ny], the axes of their centres, a title."""

    wet: NDArray[np.bool_]
    x: Axis
    y: Axis
    title: str = ""
    notes: tuple[str, ...] = ()  # what was turned or inverted, to be printed once


def read_mask(
    path: Path, name: str = "mask", *, wet: str = "", axes: str = "", variable: str = ""
) -> MaskFile:
    """Read the wet cells of a NetCDF file, or of a NumPy file whose name ends in .npy.

    Local. Both hold 0 (dry) and 1 (wet), [y, x] with y first. In a NetCDF file that is the variable
    wet, or one with another usual name (mask, tmask, ...), or the only one of two dimensions; with
    the standard name land_binary_mask 1 is dry. `name`: what the caller calls the file, for
    messages. UserError for a file that cannot be read, other dimensions than two, fill values, NaN
    and other values than 0 and 1, and where no cell is wet.
    """
    subject = f"{name} {path}"
    if path.suffix == ".npy":
        values = _read_npy(path, subject)
        return MaskFile(_wet(values, subject), _numbers(values, "x"), _numbers(values, "y"))
    return _read_netcdf(path, subject)


def _read_npy(path: Path, subject: str) -> NDArray[Any]:
    try:
        with path.open("rb") as file:
            values = read_array(file)
    except (OSError, ValueError) as problem:
        raise _unreadable(subject, problem) from None
    if values.ndim != 2:
        raise user_error(
            subject,
            f"an array of shape {values.shape}",
            "2 dimensions, [y, x]",
            "save one value per cell, y (latitude) first",
        )
    return values


def _unreadable(subject: str, problem: Exception) -> UserError:
    return user_error(
        subject,
        str(problem) or type(problem).__name__,
        "a NetCDF file with lat(lat), lon(lon) and wet(lat, lon), or a .npy file of 0 and 1 [y, x]",
        "correct the name or the file",
    )


def _read_netcdf(path: Path, subject: str) -> MaskFile:
    try:
        with netCDF4.Dataset(path) as file:
            mask = _mask_variable(file, subject)
            _require_room(mask, path, subject)
            values = np.ma.masked_array(mask[:]).squeeze(_single_axes(mask))
            x, y = _axes(file, mask, values, subject)
            land_is_one = str(getattr(mask, "standard_name", "")) == "land_binary_mask"
            wet = _wet(values, subject, land_is_one)
            return MaskFile(wet, x, y, str(getattr(file, "title", "")))
    except UserError:
        raise
    except (OSError, RuntimeError, ValueError) as problem:
        raise _unreadable(subject, problem) from None


def _require_room(mask: Any, path: Path, subject: str) -> None:
    """Refuse sizes that no memory has, or the file cannot hold: a few damaged bytes say any."""
    require_readable(f"{subject}, {mask.name}", mask.shape, mask.dtype.itemsize)
    held, cells = path.stat().st_size, math.prod(mask.shape)
    if mask.group().data_model.startswith("NETCDF3") and cells > held:  # which packs nothing
        expected = f"at most the {held} bytes of the file"
        raise user_error(f"{subject}, {mask.name}", f"{cells} values", expected, "copy it again")


def _mask_variable(file: netCDF4.Dataset, subject: str) -> Any:
    """The variable that holds the mask: by name, by meaning, or because there is no other."""
    for name in _MASK_NAMES:
        if name in file.variables:
            return _of_two_dimensions(file[name], subject)
    maps = [v for v in file.variables.values() if v.ndim - len(_single_axes(v)) == 2]
    meant = [v for v in maps if getattr(v, "standard_name", "") in _MASK_MEANINGS]
    found = meant or maps
    if len(found) == 1:
        return found[0]
    listed = ", ".join(v.name for v in found) or "none"
    raise user_error(
        subject,
        f"{len(found)} variables of two dimensions ({listed}) and none called wet",
        "the variable wet, or a single one of two dimensions",
        "call the mask wet",
    )


def _of_two_dimensions(mask: Any, subject: str) -> Any:
    if mask.ndim - len(_single_axes(mask)) == 2:
        return mask
    raise user_error(
        subject,
        f"{mask.name} of shape {tuple(mask.shape)}",
        "2 dimensions (besides those of length 1), y first",
        "store one level at one time",
    )


def _single_axes(mask: Any) -> tuple[int, ...]:
    """The axes in front that have one entry: a time, a level."""
    return tuple(axis for axis in range(mask.ndim - 2) if mask.shape[axis] == 1)


def _axes(file: netCDF4.Dataset, mask: Any, values: Any, subject: str) -> tuple[Axis, Axis]:
    """The axes x and y of the file, or the numbers of the cells where it has none."""
    found = {letter: _axis_variable(file, mask, letter, subject) for letter in "yx"}
    sizes = tuple(
        n if variable is None else variable.size
        for n, variable in zip(values.shape, found.values(), strict=True)
    )
    if sizes != values.shape:
        raise user_error(
            subject,
            f"{mask.name} of shape {values.shape}",
            f"{sizes}, the sizes of its axes",
            f"give {mask.name} the dimensions (lat, lon)",
        )
    x, y = (
        _numbers(values, letter) if found[letter] is None else _as_axis(found[letter], letter)
        for letter in "xy"
    )
    return x, y


def _axis_variable(file: netCDF4.Dataset, mask: Any, letter: str, subject: str) -> Any:
    """The variable of one dimension with the values of an axis, or None."""
    dimension = mask.dimensions[-2 if letter == "y" else -1]
    for name in (dimension, *_AXIS_NAMES[letter]):
        if name in file.variables and file[name].ndim == 1:
            _check_direction(mask, file[name], letter, subject)
            return file[name]
    return None


def _check_direction(mask: Any, variable: Any, letter: str, subject: str) -> None:
    """Refuse a map with longitude first: a square one would be taken for its mirror image."""
    other = _DEGREES["x" if letter == "y" else "y"]
    if str(getattr(variable, "units", "")) == other:
        raise user_error(
            subject,
            f"{mask.name} with the dimensions {mask.dimensions}, {variable.name} in {other}",
            f"{_DEGREES[letter]} there: y (latitude) first",
            f"give {mask.name} the dimensions (lat, lon)",
        )


def _as_axis(variable: Any, letter: str) -> Axis:
    """What the file says of an axis; where it says nothing, what its name says."""
    spherical = variable.name.startswith(("lat", "lon"))
    standard = str(getattr(variable, "standard_name", "")) or None
    return Axis(
        np.asarray(variable[:], dtype=np.float64),
        str(getattr(variable, "units", _DEGREES[letter] if spherical else "1")),
        str(getattr(variable, "long_name", standard or variable.name)),
        standard or (_LONG_NAMES[letter] if spherical else None),
    )


def _numbers(values: NDArray[Any], letter: str) -> Axis:
    n = values.shape[0 if letter == "y" else 1]
    return Axis(np.arange(n, dtype=np.float64), "1", f"cell number along {letter}")


def _wet(values: NDArray[Any], subject: str, land_is_one: bool = False) -> NDArray[np.bool_]:
    """The wet cells [nx, ny] of values [y, x], after every value was found to be 0 or 1."""
    if values.dtype.kind not in "biuf":
        kind = f"values of the type {values.dtype}"
        raise user_error(subject, kind, "numbers, 0 and 1", "save the mask as integers")
    plain = np.ma.getdata(values)
    _refuse(np.ma.getmaskarray(values), plain, subject, "fill values")
    _refuse(np.isnan(plain), plain, subject, "NaN")
    _refuse((plain != 0) & (plain != 1), plain, subject, "other values than 0 and 1")
    wet = (plain == 0) if land_is_one else (plain == 1)
    if not wet.any():
        raise user_error(
            subject,
            "no wet cell",
            f"at least one cell where the mask is {0 if land_is_one else 1}",
            "fix the mask, or choose another region",
        )
    return np.asfortranarray(wet.T)


def _refuse(bad: NDArray[np.bool_], values: NDArray[Any], subject: str, what: str) -> None:
    if not bad.any():
        return
    j, i = (int(n) for n in np.argwhere(bad)[0])
    raise user_error(
        subject,
        f"{what} in {np.count_nonzero(bad)} of {bad.size} cells, "
        f"the first at [y, x] = [{j}, {i}] is {values[j, i]}",
        "0 (dry) or 1 (wet) in every cell",
        "write 0 where there is land, or where nothing is known",
    )


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
    describe(made, axis)
    made[:] = axis.values
