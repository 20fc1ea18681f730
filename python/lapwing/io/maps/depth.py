"""Depths of a sea, read from files of other programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.choice import choose_height, masks_of
from lapwing.io.maps.dataset import open_maps
from lapwing.io.maps.formats import known_format
from lapwing.io.maps.meaning.expression import Term
from lapwing.io.maps.meaning.heights import direction, metres
from lapwing.io.maps.meaning.unmarked import MOST_METRES, Unmarked
from lapwing.io.maps.planes import planes
from lapwing.io.maps.request import MapRequest, MapSource
from lapwing.io.maps.sea import Sea, depth_sign, find_sea, rule_of, sea_by
from lapwing.model.model import Axis


@dataclass(frozen=True)
class DepthFile:
    """Depths [nx, ny] in m, positive down, NaN on land; the axes of their centres, a title."""

    depth: NDArray[np.float64]
    x: Axis
    y: Axis
    title: str = ""
    notes: tuple[str, ...] = ()  # notes on what was turned or taken for land, to be printed once


def read_depth(
    path: Path,
    name: str = "depth",
    *,
    variable: str = "",
    units: str = "",
    wet: str = "",
    axes: str = "",
    size: str = "",
) -> DepthFile:
    """Read depths or heights of a NetCDF file as depths in m, positive down.

    Local. `variable`: its name, if the file has several; `units`: needed if the file names none;
    `wet`, `axes`, `size`: as in `lapwing.io.mask_file.read_mask`; `name`: the caller's name of the
    file, for messages. A cell is land, NaN, where the file has no value or a depth of 0 or less,
    and where its mask says so, if it has one. UserError for a file that cannot be read, a depth
    without a unit or a direction, several candidates, and a file without water. Takes 9 bytes per
    cell.
    """
    with open_maps(path, MapRequest(name, wet, axes, variable, size)) as source:
        chosen = choose_height(source)
        factor = metres(source, chosen, units)
        sign, why = _sign(source, chosen)
        sea = _sea(source, chosen)
        depth = _depths(source, chosen, sign * factor, sea)
        title = str(source.data.attrs.get("title", ""))
        notes = (*sea.notes, *((f"depth is {chosen}{why}",) if why else ()))
        return DepthFile(depth, sea.placement.x, sea.placement.y, title, notes)


def _sign(source: MapSource, name: str) -> tuple[float, str]:
    """The factor that makes depths; a name is enough where something else says what is land."""
    way = direction(name, source.data[name].variable)
    if way == "named" and _is_told(source):
        return 1.0, ""
    return depth_sign(source, name, way)


def _is_told(source: MapSource) -> bool:
    """True if an expression, the format or a mask says which cells are wet."""
    known = known_format(source.data)
    return bool(source.request.wet or known is not None or masks_of(source.data))


def _sea(source: MapSource, depth: str) -> Sea:
    """The wet cells by the expression, the format or the mask, or else by the depths."""
    known = known_format(source.data)
    if _is_told(source):
        return find_sea(replace(source, request=replace(source.request, variable="")))
    return sea_by(source, rule_of(source, depth), known)


def _depths(source: MapSource, name: str, factor: float, sea: Sea) -> NDArray[np.float64]:
    """Depths [nx, ny], NaN where a cell is dry or has none."""
    found = planes(source, (Term(name),), name)
    if found.dims != sea.placement.dims:
        raise user_error(
            source.about(name),
            f"the dimensions ({', '.join(found.dims)})",
            f"({', '.join(sea.placement.dims)}), those of the mask",
            f"say what is wet by the depth: {source.request.option('wet', f'{name} > 0')}",
        )
    depth = np.empty(sea.wet.shape, dtype=np.float64, order="F")
    target = sea.placement.view(depth)
    for rows, values in found.blocks():
        target[rows] = factor * values[Term(name)]
    depth[~(sea.wet & (depth > 0))] = np.nan
    _require_depths(source, name, factor, depth)
    return depth


def _require_depths(
    source: MapSource, name: str, factor: float, depth: NDArray[np.float64]
) -> None:
    """Refuse depths in m that no sea has, which stand for missing values, and none at all."""
    if not np.isfinite(depth).any():
        raise user_error(
            source.about(name),
            "no depth above 0 in a wet cell",
            "depths that are positive down",
            'store the attribute positive = "up", if they are heights',
        )
    beyond = depth > MOST_METRES  # false on land, which is NaN
    if beyond.any():
        x, y = (int(n) for n in np.argwhere(beyond)[0])
        one = Unmarked(source, name, abs(factor))
        raise one.refused(float(depth[x, y] / factor), f"[x, y] = [{x}, {y}]")
