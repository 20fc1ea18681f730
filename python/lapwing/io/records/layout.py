"""The layout of a file of records: its dimensions, arrays and CF attributes. Pure data.

NetCDF files and stores are made of the same layout, so they say the same of every variable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.core.fields.labels import Axis
from lapwing.io.points import Point
from lapwing.io.variable_description import Description, attributes_of
from lapwing.model.model import Geometry, LevelTerm, VerticalAxis

if TYPE_CHECKING:
    from lapwing.io.restart import Fingerprint
    from lapwing.model.case import Case

CHECKSUM = "record_checksum"
ATTRIBUTE = "lapwing_case"  # attribute of an output file: the fingerprint of its case as JSON

_TYPES = {"single": "f4", "double": "f8"}
_SHIFTS = {"xface": ("_xface", ""), "yface": ("", "_yface"), "corner": ("_xface", "_yface")}
_FACES = {
    "xface": "at the face of the cell towards larger x",
    "yface": "at the face of the cell towards larger y",
    "corner": "at the corner of the cell towards larger x and y",
}
# of the centre of a cell half a cell further, as xgcm reads it: an axis of a file has one
# coordinate without this, at the centres of its cells
_SHIFTED = {"c_grid_axis_shift": 0.5}


@dataclass(frozen=True)
class About:
    """The metadata of a run in its files of records."""

    title: str
    source: str
    history: str  # no date, machine or rank count: the same run gives the same file everywhere
    start: str  # date of step 0, UTC
    precision: str  # "single" or "double": of the values
    belongs: Fingerprint


def about_case(case: Case, belongs: Fingerprint) -> About:
    """Return the metadata for the files of a run of a case. Local."""
    return About(
        title=case.title,
        source=f"lapwing, model {case.model.name}: {case.model.title}",
        history=f"lapwing run {case.name}",
        start=case.run.start,
        precision=case.output.precision,
        belongs=belongs,
    )


@dataclass(frozen=True)
class ArrayForm:
    """One array of a file: its type, dimensions, attributes, and its values where they are known.

    An array of a variable has a `fill` value, where it is dry, and gets its values later.
    """

    kind: str  # as NumPy writes it: "f8", "i1"; "str" for text
    dimensions: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    values: NDArray[Any] | None = None
    fill: float | None = None


@dataclass(frozen=True)
class Layout:
    """A file without its records. "time" is the dimension that grows."""

    attributes: dict[str, Any]
    dimensions: dict[str, int]  # all but time
    arrays: dict[str, ArrayForm]

    def sizes(self, name: str) -> list[int]:
        """The sizes of an array along its dimensions but time. Local."""
        dimensions = self.arrays[name].dimensions
        return [self.dimensions[dimension] for dimension in dimensions if dimension != "time"]

    def form(self) -> dict[str, str]:
        """Type, dimensions and unit of every array, as text: they must be the same to append."""
        form = {}
        for name, array in self.arrays.items():
            sizes = [f"{d}={self.dimensions[d]}" for d in array.dimensions if d != "time"]
            over_time = ["time"] if "time" in array.dimensions else []
            kind = "<class 'str'>" if array.kind == "str" else np.dtype(array.kind)
            units = array.attributes.get("units", "1")
            form[name] = f"{kind} ({', '.join(over_time + sizes)}) in {units}"
        return form


def map_layout(about: About, geometry: Geometry, variables: Mapping[str, Description]) -> Layout:
    """The layout of a file of whole maps, (time[, level], y, x). Local."""
    layout = _begun(about)
    locations = {variable.location for variable in variables.values()}
    shifted = {shift for place in locations for shift in _SHIFTS.get(place, ()) if shift}
    names = axis_names(geometry)
    for letter, name, axis in zip("XY", names, (geometry.x, geometry.y), strict=True):
        own = f"_{letter.lower()}face"
        for shift in ("", *(shift for shift in sorted(shifted) if shift == own)):
            _add_axis(layout, name + shift, letter, axis, bool(shift))
    flags = {"flag_meanings": "dry wet", "flag_values": np.array([0, 1], dtype=np.int8)}
    wet = np.asarray(geometry.wet, dtype=np.int8).T
    layout.arrays["wet"] = ArrayForm("i1", names[::-1], {"long_name": "wet cells", **flags}, wet)
    _add_levels(layout, geometry, variables)
    for name, variable in variables.items():
        shifts = _SHIFTS.get(variable.location, ("", ""))
        x, y = (axis + shift for axis, shift in zip(names, shifts, strict=True))
        places = [*_levels_of(variable, geometry), y, x]
        step = "" if variable.fixed else "step"
        _add_variable(layout, name, variable, places, about, step)
    return layout


def points_layout(
    about: About,
    geometry: Geometry,
    variables: Mapping[str, Description],
    points: Sequence[Point],
) -> Layout:
    """The layout of a file of columns, (time, point[, level]). Local."""
    layout = _begun(about)
    deep = any(variable.levels for variable in variables.values())
    layout.attributes["featureType"] = "timeSeriesProfile" if deep else "timeSeries"
    layout.dimensions["point"] = len(points)
    layout.arrays["point_name"] = ArrayForm(
        "str",
        ("point",),
        {"long_name": "name of the point", "cf_role": "timeseries_id"},
        np.array([point.name for point in points], dtype=object),
    )
    names = axis_names(geometry)
    for axis, (own, along) in enumerate(zip(names, (geometry.x, geometry.y), strict=True)):
        centres = np.asarray(along.values)[[point.cell[axis] for point in points]]
        about_it = attributes_of(along)
        about_it["long_name"] += " of the centre of the cell"
        layout.arrays[own] = ArrayForm("f8", ("point",), about_it, centres)
    _add_levels(layout, geometry, variables)
    for name, variable in variables.items():
        step = [] if variable.fixed else ["step"]
        others = " ".join([*names, "point_name", *step])
        places = ["point", *_levels_of(variable, geometry)]
        _add_variable(layout, name, variable, places, about, others)
        if variable.location in _FACES:
            added = dict(layout.arrays[name].attributes)
            added["comment"] = _FACES[variable.location]
            layout.arrays[name] = _with_attributes(layout.arrays[name], added)
    return layout


def axis_names(geometry: Geometry) -> tuple[str, str]:
    """Names of the coordinates along x and y in files. Local."""
    return ("lon", "lat") if geometry.x.units.startswith("degree") else ("x", "y")


def _with_attributes(array: ArrayForm, attributes: dict[str, Any]) -> ArrayForm:
    return ArrayForm(array.kind, array.dimensions, attributes, array.values, array.fill)


def _begun(about: About) -> Layout:
    """A layout with what the file is of, and its times."""
    attributes = {
        "Conventions": "CF-1.11",
        "title": about.title,
        "source": about.source,
        "history": about.history,
        ATTRIBUTE: json.dumps(asdict(about.belongs), sort_keys=True),
    }
    time = {
        "units": f"seconds since {about.start}",
        "calendar": "standard",
        "standard_name": "time",
        "axis": "T",
        "long_name": "time",
    }
    step = {"long_name": "steps since the start of the case", "units": "1"}
    checksum = {"long_name": "CRC-32 of the record", "units": "1"}
    arrays = {
        "time": ArrayForm("f8", ("time",), time),
        "step": ArrayForm("i8", ("time",), step),
        CHECKSUM: ArrayForm("u4", ("time",), checksum),
    }
    return Layout(attributes, {}, arrays)


def _add_axis(layout: Layout, name: str, letter: str, axis: Axis, faces: bool) -> None:
    values = axis.edges[1:] if faces else axis.values  # faces towards larger indices
    layout.dimensions[name] = len(values)
    about = {**attributes_of(axis), "axis": letter}
    if faces:
        about["long_name"] += " of the cell faces"
        about |= _SHIFTED
    layout.arrays[name] = ArrayForm("f8", (name,), about, np.asarray(values))


def _add_levels(layout: Layout, geometry: Geometry, variables: Mapping[str, Description]) -> None:
    """Add the dimensions of levels, with coordinates where the geometry knows their axis.

    The tops of layers bring their centres along: xgcm refuses an axis without.
    """
    levels = {
        name: variable.levels
        for variable in variables.values()
        for name in _levels_of(variable, geometry)
    }
    if "level_top" in levels:
        levels.setdefault("level", levels["level_top"])
    for name, count in levels.items():
        layout.dimensions[name] = count
        if geometry.vertical is not None and name in ("level", "level_top"):
            _add_vertical_axis(layout, name, geometry.vertical, tops=name == "level_top")


def _levels_of(variable: Description, geometry: Geometry) -> list[str]:
    """The name of the dimension of a variable's levels; empty if it has none. Local."""
    if not variable.levels:
        return []
    axis = geometry.vertical
    if axis is None or len(axis.values) != variable.levels:
        return [f"level{variable.levels}"]
    return ["level_top" if variable.at_tops else "level"]


def _add_vertical_axis(layout: Layout, name: str, axis: VerticalAxis, tops: bool) -> None:
    about = {**attributes_of(axis), "axis": "Z", "positive": axis.positive}
    if tops:
        about["long_name"] += " of the tops of layers"
        about |= _SHIFTED
    if axis.formula_terms:
        own = {axis.own_term: name} if axis.own_term else {}
        ends = {key: t.name + ("_top" if tops else "") for key, t in axis.level_terms.items()}
        terms = {**own, **ends, **axis.formula_terms}
        about["formula_terms"] = " ".join(f"{term}: {name}" for term, name in terms.items())
    layout.arrays[name] = _coordinate(name, axis, about, tops)
    for key, term in axis.level_terms.items() if axis.formula_terms else ():
        layout.arrays[ends[key]] = _coordinate(name, term, attributes_of(term), tops)


def _coordinate(
    dimension: str, axis: VerticalAxis | LevelTerm, about: dict[str, Any], tops: bool
) -> ArrayForm:
    return ArrayForm("f8", (dimension,), about, np.asarray(axis.tops if tops else axis.values))


def _add_variable(
    layout: Layout,
    name: str,
    variable: Description,
    places: Sequence[str],
    about: About,
    coordinates: str,
) -> None:
    kind = _TYPES[about.precision]
    over_time = () if variable.fixed else ("time",)
    words = attributes_of(variable) | ({"coordinates": coordinates} if coordinates else {})
    fill = float(netCDF4.default_fillvals[kind])
    layout.arrays[name] = ArrayForm(kind, (*over_time, *places), words, None, fill)
