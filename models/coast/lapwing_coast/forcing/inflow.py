"""Water from outside: rivers and their files, and rain that adds volume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from lapwing.base.error import UserError, user_error
from lapwing.core.partition import Box
from lapwing.io.record_times import of_time, read_times, refuse_gaps
from lapwing.model import Axis, Geometry
from numpy.typing import NDArray

from lapwing_coast._kernels import Inflow, River
from lapwing_coast.place.cell_map import opened, require_units, require_variable
from lapwing_coast.place.geometry import CoastGeometry, SeriesRecord
from lapwing_coast.settings import CoastSettings, RiverSettings

Array = NDArray[np.float64]

_UNITS = ("m3 s-1", "m**3 s**-1", "m3/s", "m^3/s")


@dataclass(frozen=True)
class Mouth:
    """A place that a case names, where a river enters."""

    name: str
    x: float  # in the units of the axes
    y: float


def read_rivers(
    settings: RiverSettings, folder: Path, start: datetime, duration: float
) -> SeriesRecord:
    """Read the discharges of rivers.file for a run of `duration` (s) from `start` (UTC) on.

    Local. UserError for a file that cannot be read, a river that it lacks, another unit, values
    that are not finite, and times that do not increase or do not cover the run.
    """
    path = folder / settings.file
    names = [mouth.name for mouth in mouths_of(settings)]
    expected = f"a NetCDF file with time(time) and {', '.join(names)}(time) in m3 s-1"
    with opened(path, "rivers.file", expected) as file:
        try:
            times = read_times(file, start, expected)
            values = {}
            for name in names:
                require_units(path, require_variable(file, path, name, expected), _UNITS)
                values[name] = of_time(file, name, expected)
        except UserError as problem:
            raise UserError(f"rivers.file {settings.file}, {problem}") from None
    refuse_gaps(f"rivers.file {settings.file}", times, duration)
    return SeriesRecord(times, values)


def mouths_of(settings: RiverSettings) -> list[Mouth]:
    """Return the places of rivers.mouths; UserError for a text of another form. Local."""
    mouths: list[Mouth] = []
    for text in settings.mouths:
        name, _, numbers = (part.strip() for part in text.rpartition(":"))
        try:
            x, y = (float(number) for number in numbers.split(","))
            if not name or not np.isfinite([x, y]).all():
                raise ValueError
        except ValueError:
            raise user_error(
                "rivers.mouths",
                repr(text),
                'a name and two coordinates like "Elbe: 8.9, 53.9"',
                "write it so",
            ) from None
        if any(mouth.name == name for mouth in mouths):
            raise user_error("rivers.mouths", f"{name!r} twice", "a name per river", "rename one")
        mouths.append(Mouth(name, x, y))
    return mouths


def make_inflow(
    settings: CoastSettings, geometry: Geometry, depth: Array, open_cells: Sequence[Box]
) -> Inflow:
    """Return the water that the C++ model takes from outside. Local.

    UserError for a river that does not enter a wet cell, or enters one whose level is prescribed.
    """
    record = _record(settings.rivers, geometry)
    rivers = []
    for n, mouth in enumerate(mouths_of(settings.rivers)):
        i, j = mouth_cell(mouth, geometry, depth, open_cells)
        rivers.append(
            River(
                i=i,
                j=j,
                discharge=_nth(settings.rivers.discharge, n, 0.0),
                discharges=record.values[mouth.name].tolist() if record.values else [],
                salinity=_nth(settings.rivers.salinity, n, 0.0),
                temperature=settings.rivers.temperature[n : n + 1],
            )
        )
    rain: Mapping[str, object] = {}
    if settings.forcing.freshwater_adds == "volume" and settings.layers.levels > 0:
        rain = _rain(settings, geometry)
    return Inflow(rivers=rivers, times=record.times.tolist(), **rain)


def mouth_cell(
    mouth: Mouth, geometry: Geometry, depth: Array, open_cells: Sequence[Box] = ()
) -> tuple[int, int]:
    """Return the wet cell (i, j) around a mouth. Local; UserError where there is none."""
    subject = f"rivers.mouths, {mouth.name}"
    i = _index(subject, mouth.x, geometry.x)
    j = _index(subject, mouth.y, geometry.y)
    if not depth[i, j] > 0.0:
        raise user_error(
            subject,
            f"{mouth.x:g}, {mouth.y:g}, in the cell ({i}, {j}) on land",
            "a place in a wet cell",
            f"move the mouth in rivers.mouths, for example to {_nearest(i, j, geometry, depth)}",
        )
    if any(b.lo[0] <= i < b.hi[0] and b.lo[1] <= j < b.hi[1] for b in open_cells):
        raise user_error(
            subject,
            f"the cell ({i}, {j}) of an open side, whose sea level is prescribed",
            "a wet cell inside",
            "move the mouth in rivers.mouths away from the side",
        )
    return i, j


def _record(settings: RiverSettings, geometry: Geometry) -> SeriesRecord:
    nothing = SeriesRecord(np.empty(0), {})
    if settings.file == Path():
        return nothing
    record = geometry.rivers if isinstance(geometry, CoastGeometry) else nothing
    if not record.values:
        raise user_error(
            "rivers.file",
            f"{settings.file}, that was not read",
            "a geometry with the content of the file",
            "make the geometry by lapwing.model.case.geometry_of",
        )
    return record


def _rain(settings: CoastSettings, geometry: Geometry) -> Mapping[str, object]:
    """The rain of a case as settings of Inflow."""
    record = geometry.forcing if isinstance(geometry, CoastGeometry) else None
    if record is not None and "freshwater" in record.values:
        values = record.values["freshwater"].tolist()
        return {"rain_times": record.times.tolist(), "rains": values}
    return {"rain": settings.forcing.freshwater}


def _nth(values: Sequence[float], n: int, otherwise: float) -> float:
    return values[n] if values else otherwise


def _index(subject: str, value: float, axis: Axis) -> int:
    edges = axis.edges
    if not edges[0] <= value < edges[-1]:
        raise user_error(
            subject,
            f"{value:g} {axis.units} along {axis.long_name!r}",
            f"a place in the grid: {edges[0]:g} to {edges[-1]:g} {axis.units}",
            "move the mouth in rivers.mouths",
        )
    return int(np.searchsorted(edges, value, side="right")) - 1


def _nearest(i: int, j: int, geometry: Geometry, depth: Array) -> str:
    """The coordinates of the wet cell that is fewest cells away."""
    wet = np.argwhere(depth > 0.0)
    x, y = wet[np.argmin(((wet - (i, j)) ** 2).sum(axis=1))]
    return f"{geometry.x.values[x]:g}, {geometry.y.values[y]:g}"
