"""Output files: records of model variables in one NetCDF-4 file with CF metadata."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.atomic_file import part_of, publish
from lapwing.case import Case
from lapwing.earlier_output import ATTRIBUTE, REMEDY, Earlier
from lapwing.error import user_error
from lapwing.model import Axis, Geometry, Variable
from lapwing.restart import Fingerprint

_FACE_NAMES = {"xface": ("_xface", ""), "yface": ("", "_yface"), "corner": ("_xface", "_yface")}
_TYPES = {"single": "f4", "double": "f8"}


@dataclass(frozen=True)
class Description:
    """What a variable is, without its field: enough to make it in a file. `wet` is [nx, ny]."""

    units: str
    long_name: str
    standard_name: str | None
    location: str  # "center", "xface", "yface", "corner"
    levels: int  # 0: none
    wet: NDArray[np.bool_]
    fixed: bool = False  # one map for all times


def describe_variable(variable: Variable, geometry: Geometry) -> Description:
    """Read off a variable what its file needs. Local."""
    spec = variable.field.spec
    location = str(getattr(spec.location, "name", spec.location))
    wet = variable.wet if variable.wet is not None else wet_at(location, geometry)
    return Description(
        units=variable.units,
        long_name=variable.long_name,
        standard_name=variable.standard_name,
        location=location,
        levels=int(spec.levels),
        wet=wet,
        fixed=variable.fixed,
    )


def wet_at(location: str, geometry: Geometry) -> NDArray[np.bool_]:
    """Where a location is wet [nx, ny]: where all cells that touch it are. Local."""
    wet = np.asarray(geometry.wet, dtype=bool)
    for axis, places in ((0, ("xface", "corner")), (1, ("yface", "corner"))):
        if location in places:
            wet = wet & _towards_higher(wet, axis, bool(geometry.grid.periodic[axis]))
    return wet


def _towards_higher(wet: NDArray[np.bool_], axis: int, periodic: bool) -> NDArray[np.bool_]:
    """The neighbour towards larger indices; beyond a closed end everything is dry."""
    neighbour = np.roll(wet, -1, axis=axis)
    if not periodic:
        neighbour[(slice(None),) * axis + (-1,)] = False
    return neighbour


def face_values(axis: Axis) -> NDArray[np.float64]:
    """Coordinates of the faces towards larger indices, half a cell from the centres. Local."""
    centres = np.asarray(axis.values, dtype=np.float64)
    if len(centres) == 1:
        return centres + 0.5
    ahead = np.append(centres[1:], 2 * centres[-1] - centres[-2])
    faces: NDArray[np.float64] = 0.5 * (centres + ahead)
    return faces


class OutputFile:
    """One NetCDF-4 file in the making, under a temporary name until `close`.

    Records lie in it as (time, y, x), so a map is contiguous. Each is on its way to the disk when
    `append` returns: what a killed job leaves can be read. Made and used by one rank; local.
    OSError (RuntimeError from the NetCDF library) when the disk is full or gone.
    """

    def __init__(
        self,
        path: Path,
        case: Case,
        geometry: Geometry,
        variables: Mapping[str, Description],
        belongs: Fingerprint,
    ) -> None:
        """Make the file with its axes and variables, without records."""
        self.path = path
        self.variables = variables
        self.records = 0
        self.taken = 0  # of the records, from an earlier file
        self._data = netCDF4.Dataset(part_of(path), "w", format="NETCDF4")
        self._names = _axis_names(geometry)
        try:
            self._describe_file(case, belongs)
            self._make_axes(case, geometry)
            for name, variable in variables.items():
                self._make_variable(name, variable, _TYPES[case.output.precision])
            self._data.set_auto_maskandscale(False)  # what is written is what is stored
            self._data.sync()
        except BaseException:
            self.discard()
            raise

    def take(self, earlier: Earlier) -> None:
        """Begin with the records that an earlier file keeps, bit for bit.

        Local. UserError when that file holds other variables, or the same in another form.
        """
        with netCDF4.Dataset(earlier.path, "r") as source:
            source.set_auto_maskandscale(False)
            self._require_same_form(source, earlier.path)
            if earlier.kept == 0:
                return
            for name, target in self._data.variables.items():
                if target.dimensions[:1] == ("time",):
                    for record in range(earlier.kept):
                        target[record] = _stored(source, name, record, earlier.path)
                elif name in self.variables:
                    target[...] = _stored(source, name, ..., earlier.path)
        self._data.sync()
        self.records = self.taken = earlier.kept

    def _require_same_form(self, source: netCDF4.Dataset, path: Path) -> None:
        theirs, mine = _form(source), _form(self._data)
        for name in dict.fromkeys([*self.variables, *mine, *theirs]):
            if theirs.get(name) != mine.get(name):
                raise user_error(
                    str(path),
                    f"{name}: {theirs.get(name, 'not there')}",
                    f"{mine.get(name, 'no such variable')}, as this run writes it",
                    f"{REMEDY}; or go on with the start and the output settings of that file",
                )

    def append(self, time: float, step: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the state at `time` (s since the start): values [nx, ny(, levels)] by name. Local."""
        record = self.records
        self._data["time"][record] = time
        self._data["step"][record] = step
        for name, array in values.items():
            if not self.variables[name].fixed:
                self._data[name][record] = self._as_stored(name, array)
            elif record == 0:
                self._data[name][:] = self._as_stored(name, array)
        self._data.sync()
        self.records += 1

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """A record as it lies in the file: axes reversed, the fill value on dry points."""
        target = self._data[name]
        stored = np.array(np.asarray(array).T, dtype=target.dtype, order="C", copy=True)
        stored[..., ~self.variables[name].wet.T] = target.get_fill_value()
        return stored

    def close(self) -> None:
        """Finish the file and give it its own name; nothing is left where that fails. Local."""
        part = part_of(self.path)
        try:
            self._data.close()
            publish(part, self.path)
        finally:
            part.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what was written. Local; does nothing after `close`, and raises nothing of NetCDF.

        On a full disk the NetCDF library cannot close a file; the error before is the one to tell.
        """
        try:
            with contextlib.suppress(OSError, RuntimeError):
                if self._data.isopen():
                    self._data.close()
        finally:
            part_of(self.path).unlink(missing_ok=True)

    def _describe_file(self, case: Case, belongs: Fingerprint) -> None:
        self._data.Conventions = "CF-1.11"
        self._data.title = case.title
        self._data.source = f"lapwing, model {case.model.name}: {case.model.title}"
        # No date, machine or rank count: the same run gives the same file everywhere.
        self._data.history = f"lapwing run {case.name}"
        self._data.setncattr(ATTRIBUTE, json.dumps(asdict(belongs), sort_keys=True))

    def _make_axes(self, case: Case, geometry: Geometry) -> None:
        self._data.createDimension("time", None)
        time = self._data.createVariable("time", "f8", ("time",))
        time.units = f"seconds since {case.run.start}"
        time.calendar, time.standard_name, time.axis = "standard", "time", "T"
        time.long_name = "time"
        step = self._data.createVariable("step", "i8", ("time",))
        step.long_name, step.units = "steps since the start of the case", "1"
        shifted = {shift for v in self.variables.values() for shift in _shifts(v.location)}
        for letter, name, axis in zip("XY", self._names, (geometry.x, geometry.y), strict=True):
            self._make_axis(name, letter, axis, shift="")
            for shift in (s for s in sorted(shifted) if s == f"_{letter.lower()}face"):
                self._make_axis(name, letter, axis, shift)
        wet = self._data.createVariable("wet", "i1", self._names[::-1], zlib=True)
        wet.long_name, wet.flag_meanings = "wet cells", "dry wet"
        wet.flag_values = np.array([0, 1], dtype=np.int8)
        wet[:] = np.asarray(geometry.wet, dtype=np.int8).T

    def _make_axis(self, name: str, letter: str, axis: Axis, shift: str) -> None:
        values = face_values(axis) if shift else axis.values
        self._data.createDimension(name + shift, len(values))
        made = self._data.createVariable(name + shift, "f8", (name + shift,))
        made.units, made.axis = axis.units, letter
        made.long_name = axis.long_name + (" of the cell faces" if shift else "")
        if axis.standard_name:
            made.standard_name = axis.standard_name
        if shift:
            made.c_grid_axis_shift = 0.5  # cells, towards larger indices
        made[:] = values

    def _make_variable(self, name: str, variable: Description, kind: str) -> None:
        shifts = _FACE_NAMES.get(variable.location, ("", ""))
        x, y = (axis + shift for axis, shift in zip(self._names, shifts, strict=True))
        dimensions = [*self._leading_dimensions(variable), y, x]
        made = self._data.createVariable(
            name,
            kind,
            dimensions,
            zlib=True,
            complevel=1,
            shuffle=True,
            fill_value=netCDF4.default_fillvals[kind],
            chunksizes=[max(1, len(self._data.dimensions[d])) for d in dimensions],
        )
        made.units, made.long_name = variable.units, variable.long_name
        if variable.standard_name:
            made.standard_name = variable.standard_name
        if not variable.fixed:
            made.coordinates = "step"

    def _leading_dimensions(self, variable: Description) -> list[str]:
        """Time and levels, where a variable has them."""
        leading = [] if variable.fixed else ["time"]
        if variable.levels:
            level = f"level{variable.levels}"
            if level not in self._data.dimensions:
                self._data.createDimension(level, variable.levels)
            leading.append(level)
        return leading


def _axis_names(geometry: Geometry) -> tuple[str, str]:
    return ("lon", "lat") if geometry.x.units.startswith("degree") else ("x", "y")


def _shifts(location: str) -> tuple[str, ...]:
    return tuple(shift for shift in _FACE_NAMES.get(location, ()) if shift)


def _form(data: netCDF4.Dataset) -> dict[str, str]:
    """Type, dimensions and unit of every variable in words: what must be the same to append."""
    form = {}
    for name, variable in data.variables.items():
        sizes = [f"{d}={len(data.dimensions[d])}" for d in variable.dimensions if d != "time"]
        over_time = ["time"] if "time" in variable.dimensions else []
        units = getattr(variable, "units", "1")
        form[name] = f"{variable.dtype} ({', '.join(over_time + sizes)}) in {units}"
    return form


def _stored(data: netCDF4.Dataset, name: str, index: Any, path: Path) -> NDArray[Any]:
    """Values as they lie in an earlier file; UserError where it is damaged."""
    try:
        return np.asarray(data[name][index])
    except (OSError, RuntimeError) as problem:
        raise user_error(str(path), f"{name}: {problem}", "an undamaged file", REMEDY) from None
