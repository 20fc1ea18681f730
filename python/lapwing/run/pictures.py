"""The pictures of the end of a run: the model's own pictures, and a map of the owners."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.variable_description import describe_variable
from lapwing.model.model import Gathered, Geometry, Picture, Run, bring_up_to_date
from lapwing.run.request import Setup

PARTITION = "partition.png"


def pictures_of(run: Run, geometry: Geometry) -> list[Picture]:
    """The pictures that a run offers, or a map of its first variable. Local.

    UserError for a picture of variables that the run does not have.
    """
    offered = list(getattr(run, "pictures", ()))
    for picture in offered:
        if missing := [name for name in picture.needs if name not in run.variables]:
            raise user_error(
                f"picture {picture.name}",
                f"the variable {missing[0]!r}",
                f"one of {', '.join(run.variables)}",
                "fix the pictures of the model",
            )
    return offered or [_first_variable(run, geometry)]


def _first_variable(run: Run, geometry: Geometry) -> Picture:
    """A map of the first variable, of its last level where it has several. Local."""
    name, variable = next(iter(run.variables.items()))
    wet = describe_variable(variable, geometry).wet

    def values(gathered: Gathered) -> NDArray[Any]:
        whole = gathered[name]
        return np.where(wet, whole if whole.ndim == 2 else whole[:, :, -1], np.nan)

    return Picture(name, "map", variable.long_name, variable.units, (name,), values)


def gather_needed(run: Run, pictures: list[Picture]) -> dict[str, NDArray[Any]]:
    """The variables of the whole grid that pictures need, on rank 0; nothing elsewhere.

    Collective.
    """
    bring_up_to_date(run)
    names = dict.fromkeys(name for picture in pictures for name in picture.needs)
    gathered = {name: run.variables[name].field.gather() for name in names}
    return {name: values for name, values in gathered.items() if values is not None}


def draw_pictures(
    setup: Setup, run: Run, pictures: list[Picture], gathered: Mapping[str, NDArray[Any]]
) -> None:
    """Draw all of them and the subdomains into the folder of the run. Local, for one rank."""
    from lapwing.run.plot import Words, draw_partition  # matplotlib, on one rank only

    for picture in pictures:
        _draw(setup, picture, gathered, _moment(setup, run))
    ranks = setup.partition.ranks
    text = f"{ranks} rank{'s' if ranks > 1 else ''}, {setup.cut}; wet cells are coloured by rank"
    if ranks > 1:
        text += "; red: the fullest"
    words = Words(title=f"Subdomains of {setup.case.name}", subtitle=text)
    draw_partition(setup.out / PARTITION, setup.partition, setup.geometry, words)


def _moment(setup: Setup, run: Run) -> str:
    passed = setup.geometry.time_text(run.step_number, run.dt)
    if setup.geometry.counts_steps:
        return f"after {passed}"
    seconds = run.step_number * run.dt
    date = datetime.fromisoformat(setup.case.run.start) + timedelta(seconds=seconds)
    return f"{passed} after the start ({date:%Y-%m-%d %H:%M})"


def _draw(setup: Setup, picture: Picture, gathered: Gathered, moment: str) -> None:
    from lapwing.run.plot import Words, draw_map, draw_section

    geometry = setup.geometry
    values = np.asarray(picture.values(gathered), dtype=np.float64)
    path: Path = setup.out / f"{picture.name}.png"
    shown = picture.title
    if picture.kind == "section":
        shown += f" at {_place(geometry, picture.row)}"
    words = Words(
        title=setup.case.title,
        subtitle=f"{shown}, {moment}",
        label=f"{picture.title} ({picture.units})",
    )
    if picture.kind == "map":
        arrows = picture.arrows(gathered) if picture.arrows else None
        draw_map(path, values, geometry.wet, geometry, words, arrows)
        return
    if picture.heights is None:
        raise user_error(
            f"picture {picture.name}", "a section without heights", "them", "add Picture.heights"
        )
    draw_section(path, values, picture.heights(gathered), picture.row, geometry, words)


def _place(geometry: Geometry, row: int) -> str:
    """Describe where a row of cells lies."""
    value, units = float(geometry.y.values[row]), geometry.y.units
    if units == "m":
        return f"y = {value / 1000.0:g} km"
    return f"{value:.4g}°N" if units.startswith("degree") else f"y = {value:g} {units}"
