"""Maps of wind and pressure that change in time: their file, and how a run reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

import numpy as np
from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Field
from lapwing.io.boundary.boundary_file import BoundaryFile, open_boundary_file
from lapwing.io.boundary.boundary_values import BoundaryValues
from lapwing.io.boundary.interpolation import points_of
from lapwing.model import Geometry

from lapwing_coast import _kernels
from lapwing_coast.layers.layer_settings import ForcingSettings
from lapwing_coast.place.cell_map import opened, require_units
from lapwing_coast.place.geometry import CoastGeometry

# The variables that a file may hold, in the order of the fields, with the spellings of their units.
_UNITS = {
    "wind_x": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "wind_y": ("N m-2", "N m**-2", "N/m2", "N/m^2", "Pa"),
    "pressure": ("Pa", "N m-2"),
}
_EXPECTED = f"a NetCDF file with time(time) and any of {', '.join(_UNITS)} (time, y, x)"


def open_maps(
    settings: ForcingSettings,
    folder: Path,
    start: datetime,
    duration: float,
    geometry: Geometry,
) -> BoundaryFile:
    """Look into forcing.maps for a run of `duration` (s) from `start` (UTC) on. Local.

    UserError for a file that cannot be read, with none of the
    variables, in another unit, on another grid, with times that do not increase or do not cover the
    run, and where the case or forcing.file has the same wind.
    """
    path = folder / settings.maps
    with opened(path, "forcing.maps", _EXPECTED) as file:
        names = [name for name in _UNITS if name in file.variables]
        for name in names:
            require_units(path, file[name], _UNITS[name])
    if not names:
        raise user_error(
            "forcing.maps",
            f"{settings.maps} with none of the variables",
            f"at least one of {', '.join(_UNITS)}",
            "rename what the file holds",
        )
    for name in names:
        if getattr(settings, name, 0.0) != 0.0:
            raise user_error(
                f"forcing.{name}",
                f"{getattr(settings, name):g} in the case and maps in {settings.maps}",
                "one of them",
                "set the number to 0, or take the variable out of the file",
            )
    shapes = {name: tuple(geometry.wet.shape) for name in names}
    places = dict.fromkeys(names, points_of(geometry.x, geometry.y))
    return open_boundary_file(path, start, duration, shapes, key="forcing.maps", places=places)


def air_values(
    model: _kernels.Coast | _kernels.LayeredCoast,
    domain: Domain,
    geometry: Geometry,
) -> BoundaryValues | None:
    """Return what fills a model's fields of the air with the records of its file, or None.

    Collective; variables that the file lacks are 0.
    """
    file = geometry.air if isinstance(geometry, CoastGeometry) else None
    if file is None:
        return None
    slots: list[Mapping[str, Field]] = []
    for record in (0, 1):
        fields = [Field(domain, field) for field in model.air_fields(record)]
        for field in fields:
            for box in domain.boxes:
                field[box] = np.float64(0.0)
            field.modified()
        named = dict(zip(_UNITS, fields, strict=True))
        slots.append({name: named[name] for name in file.shapes})
    times: Sequence[float] = file.times

    def taken(record: int) -> None:
        model.set_air_record(record % 2, times[record])

    return BoundaryValues(domain, file, slots, taken)


class _Stepping(Protocol):
    @property
    def step_number(self) -> int: ...
    @property
    def dt(self) -> float: ...


def pieces(values: BoundaryValues | None, run: _Stepping, steps: int) -> Iterator[int]:
    """Cut `steps` steps where the next record is due, and have its maps at hand. Collective."""
    while steps > 0:
        piece = steps
        if values is not None:
            values.reach(run.step_number, run.dt)
            piece = int(min(steps, values.steps_left(run.step_number, run.dt)))
        yield piece
        steps -= piece
