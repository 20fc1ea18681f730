"""Files of records: NetCDF-4 with CF metadata, grown along time, complete or not at all.

A continued run finds the file of the earlier part in its folder, and continues from the records
that it keeps.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.atomic_file import part_of, publish
from lapwing.base.error import user_error
from lapwing.core.fields.labels import Axis
from lapwing.io.agenda import Agenda
from lapwing.io.journal import Journal, Record, journal_of, read_about, read_records
from lapwing.io.points import Point
from lapwing.io.restart import Fingerprint
from lapwing.io.variable_description import Description, describe
from lapwing.model.case import Case
from lapwing.model.model import Geometry, LevelTerm, VerticalAxis

REMEDY = "choose another --out, or move the file away"
CHECKSUM = "record_checksum"
ATTRIBUTE = "lapwing_case"  # attribute of an output file: the fingerprint of its case as JSON

_TYPES = {"single": "f4", "double": "f8"}


@dataclass(frozen=True)
class Earlier:
    """An output file of the same case and how many of its records stand before the restart."""

    path: Path
    steps: list[int]  # of all records
    kept: int

    def missing_after(self, agenda: Agenda, first: int) -> int | None:
        """The step after which records are missing up to step `first`; None when none is. Local."""
        last = self.steps[self.kept - 1] if self.kept else 0
        return last if last < first and agenda.next_output(last) <= first else None


def find_earlier(path: Path, belongs: Fingerprint, agenda: Agenda, first: int) -> Earlier | None:
    """The output to append to when a run continues from step `first`, None if there is none.

    Local, for one rank. UserError when the file at `path` cannot be read or belongs to another
    case.
    """
    try:
        return _look_into(path, belongs, agenda, first) if path.exists() else None
    except (OSError, RuntimeError) as problem:
        raise user_error(
            str(path), str(problem), "the output of the earlier part of the run", REMEDY
        ) from None


def _look_into(path: Path, belongs: Fingerprint, agenda: Agenda, first: int) -> Earlier:
    with netCDF4.Dataset(path, "r") as data:
        if ATTRIBUTE not in data.ncattrs():
            raise user_error(str(path), "another program's file", "an output of lapwing", REMEDY)
        about = Fingerprint(**json.loads(data.getncattr(ATTRIBUTE)))
        belongs.check(about, str(path), REMEDY)
        steps = [int(step) for step in np.asarray(data["step"][:])]
    # The earlier part ended with a record; one that never stopped has it only where it is due.
    kept = sum(step < first or (step == first and agenda.is_output_due(step)) for step in steps)
    return Earlier(path, steps, kept)


class RecordFile:
    """One NetCDF-4 file in the making, under a temporary name until `close`.

    Each record is in the journal (lapwing/io/journal.py) when `append` returns, from which
    `recover` takes it up after the job was killed. Subclasses say where in space the values are,
    and how these lie in the file. Made and used by one rank; local. OSError (RuntimeError from the
    NetCDF library) when the disk is full or gone.
    """

    _compressed = True

    def between(self) -> None:
        """Called between the variables of a record; to be replaced. Local."""

    def __init__(
        self,
        path: Path,
        case: Case,
        geometry: Geometry,
        variables: Mapping[str, Description],
        belongs: Fingerprint,
        points: Sequence[Point] = (),
    ) -> None:
        """Make the file with its axes and variables, without records; `points`: the case's."""
        self.path = path
        self.points = points
        self.geometry = geometry
        self.variables = variables
        self.records = 0
        self.taken = 0  # of the records, from an earlier file
        self._belongs = belongs
        self._fixed = self._checksum = 0  # of what never changes, of the last record
        self._journal: Journal | None = None  # from the first own record on
        self._data = netCDF4.Dataset(part_of(path), "w", format="NETCDF4")
        try:
            self._describe_file(case, belongs)
            self._make_time(case)
            self._make_places()
            self._make_vertical()
            for name, variable in variables.items():
                self._make_variable(name, variable, _TYPES[case.output.precision])
            self._data.set_auto_maskandscale(False)  # what is written is what is stored
            self._data.sync()
        except BaseException:
            self.keep_good()
            raise

    # ---- what subclasses say

    def _make_places(self) -> None:
        """Make the horizontal dimensions and their coordinates."""
        raise NotImplementedError

    def _dimensions(self, variable: Description, level: list[str]) -> list[str]:
        """Name the dimensions of a variable except time, with its levels, if it has any."""
        raise NotImplementedError

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        """Say how many records, and values along each dimension of these sizes, are one chunk."""
        raise NotImplementedError

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Turn values in the order of fields into a record, with the fill value on dry points."""
        raise NotImplementedError

    def _auxiliary(self, variable: Description) -> str:
        """Name the coordinates of a variable that are no axes."""
        return "" if variable.fixed else "step"

    def _require_same_places(self, source: netCDF4.Dataset, path: Path) -> None:
        """Raise UserError when an earlier file has its values elsewhere."""

    # ---- records

    def take(self, earlier: Earlier) -> None:
        """Begin with the records that an earlier file keeps, bit for bit.

        Local. UserError when that file holds other variables, or the same in another form.
        """
        with netCDF4.Dataset(earlier.path, "r") as source:
            source.set_auto_maskandscale(False)
            self._require_same_form(_form(source), earlier.path)
            self._require_same_places(source, earlier.path)
            for number in range(earlier.kept):
                self.taken += 1  # before it is there: it is nothing new to keep
                self._put(_stored_record(source, number, self.variables, earlier.path))
                expected = int(_stored(source, CHECKSUM, number, earlier.path))
                self._require_checksum(expected, earlier)
        self._data.sync()

    def _require_same_form(self, theirs: Mapping[str, str], path: Path) -> None:
        mine = _form(self._data)
        for name in dict.fromkeys([*self.variables, *mine, *theirs]):
            if theirs.get(name) != mine.get(name):
                raise user_error(
                    str(path),
                    f"{name}: {theirs.get(name, 'not there')}",
                    f"{mine.get(name, 'no such variable')}, as this run writes it",
                    f"{REMEDY}; or go on with the start and the output settings of that file",
                )

    def append(self, time: float, step: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the state at `time` (s since the start): values by name, in the order of fields."""
        stored = {
            name: self._as_stored(name, array)
            for name, array in values.items()
            if self.records == 0 or not self.variables[name].fixed
        }
        if self._journal is None:
            about = {"taken": self.taken, "form": _form(self._data)}
            self._journal = Journal(self.path, {**about, "belongs": asdict(self._belongs)})
        record = Record(step, time, stored)
        self._journal.append(record)
        self._put(record)
        self._data.sync()

    def recover(self) -> int:
        """Begin with what a killed job has left in the journal, behind what it had taken over.

        Local; the number of its records. UserError as of `take`.
        """
        about = read_about(self.path)
        if about is None or Fingerprint(**about["belongs"]) != self._belongs:
            return 0
        self._require_same_form(about["form"], journal_of(self.path))
        if about["taken"] > 0:
            self.take(Earlier(self.path, [], about["taken"]))
        for record in read_records(self.path):
            self._put(record)
        return self.records - self.taken

    def _require_checksum(self, expected: int, earlier: Earlier) -> None:
        """Refuse the record that was put last where its file says another checksum."""
        if self._checksum != expected:
            raise user_error(
                f"{earlier.path}, record {self.records - 1}",
                f"CRC-32 {self._checksum:08x} (corrupted)",
                f"{expected:08x}, as the file says",
                "take an older copy of the file, or choose another --out",
            )

    def _put(self, record: Record) -> None:
        number = self.records
        there = [name for name in self.variables if name in record.values]
        fixed = [name for name in there if self.variables[name].fixed]
        if number == 0:
            self._fixed = replace(record, step=0, time=0.0).checksum(fixed)
        changing = [name for name in there if name not in fixed]
        self._checksum = record.checksum(changing, self._fixed)
        for name, array in record.values.items():
            self.between()
            self._data[name][... if self.variables[name].fixed else number] = array
        self._data["time"][number] = record.time
        self._data[CHECKSUM][number] = self._checksum
        self._data["step"][number] = record.step  # the last: a record without it is not whole
        self.records += 1

    def close(self) -> None:
        """Finish the file and give it its own name. Local.

        If that fails, its records stay in the journal, where `--restart` finds them.
        """
        part = part_of(self.path)
        try:
            self._data.close()
            publish(part, self.path)
            self._remove_journal()
        except BaseException:
            self._drop_without_new_records()
            raise

    def discard(self) -> None:
        """Close and remove the file in the making. Local."""
        self._data.close()
        part_of(self.path).unlink(missing_ok=True)

    def keep_good(self) -> None:
        """Finish the file after an error elsewhere, as far as possible. Local.

        Raises nothing of NetCDF: on a full disk that library cannot close a file, and the error
        before is the one to tell. Without new records an earlier file is left as it is.
        """
        with contextlib.suppress(OSError, RuntimeError):
            if self._data.isopen():
                self._data.close()
                if self.records > self.taken:
                    publish(part_of(self.path), self.path)
                    self._remove_journal()
        self._drop_without_new_records()

    def _remove_journal(self) -> None:
        if self._journal is not None:
            self._journal.remove()

    def _drop_without_new_records(self) -> None:
        if self.records <= self.taken:
            part_of(self.path).unlink(missing_ok=True)

    # ---- the making of the file

    def _describe_file(self, case: Case, belongs: Fingerprint) -> None:
        self._data.Conventions = "CF-1.11"
        self._data.title = case.title
        self._data.source = f"lapwing, model {case.model.name}: {case.model.title}"
        # No date, machine or rank count: the same run gives the same file everywhere.
        self._data.history = f"lapwing run {case.name}"
        self._data.setncattr(ATTRIBUTE, json.dumps(asdict(belongs), sort_keys=True))

    def _make_time(self, case: Case) -> None:
        self._data.createDimension("time", None)
        time = self._data.createVariable("time", "f8", ("time",))
        time.units = f"seconds since {case.run.start}"
        time.calendar, time.standard_name, time.axis = "standard", "time", "T"
        time.long_name = "time"
        step = self._data.createVariable("step", "i8", ("time",))
        step.long_name, step.units = "steps since the start of the case", "1"
        checksum = self._data.createVariable(CHECKSUM, "u4", ("time",))
        checksum.long_name, checksum.units = "CRC-32 of the record", "1"

    def _make_vertical(self) -> None:
        """Make the dimensions of levels, with coordinates where the geometry knows their axis.

        The tops of layers bring their centres along: xgcm refuses an axis without.
        """
        levels = {self._level_dimension(one): one.levels for one in self.variables.values()}
        if "level_top" in levels:
            levels.setdefault("level", levels["level_top"])
        for name, count in levels.items():
            if name is None:
                continue
            self._data.createDimension(name, count)
            axis = self.geometry.vertical
            if axis is not None and name in ("level", "level_top"):
                self._make_vertical_axis(name, axis, tops=name == "level_top")

    def _level_dimension(self, variable: Description) -> str | None:
        """Return the name of the dimension of the levels of a variable; None without. Local."""
        if not variable.levels:
            return None
        axis = self.geometry.vertical
        if axis is None or len(axis.values) != variable.levels:
            return f"level{variable.levels}"
        return "level_top" if variable.at_tops else "level"

    def _make_vertical_axis(self, name: str, axis: VerticalAxis, tops: bool) -> None:
        made = make_coordinate(self._data, name, name, axis, axis.tops if tops else axis.values)
        made.axis, made.positive = "Z", axis.positive
        if tops:
            made.long_name += " of the tops of layers"
            shift_by_half(made)
        if axis.formula_terms:
            own = {axis.own_term: name} if axis.own_term else {}
            levels = {
                key: term.name + ("_top" if tops else "") for key, term in axis.level_terms.items()
            }
            for key, term in axis.level_terms.items():
                values = term.tops if tops else term.values
                make_coordinate(self._data, levels[key], name, term, values)
            terms = {**own, **levels, **axis.formula_terms}
            made.formula_terms = " ".join(f"{term}: {name}" for term, name in terms.items())

    def _make_variable(self, name: str, variable: Description, kind: str) -> None:
        level = self._level_dimension(variable)
        places = self._dimensions(variable, [level] if level else [])
        chunk = self._chunk([len(self._data.dimensions[d]) for d in places], int(kind[1:]))
        made = self._data.createVariable(
            name,
            kind,
            places if variable.fixed else ["time", *places],
            zlib=self._compressed,
            complevel=1,
            shuffle=self._compressed,
            fill_value=netCDF4.default_fillvals[kind],
            chunksizes=chunk[1:] if variable.fixed else chunk,
        )
        describe(made, variable)
        if names := self._auxiliary(variable):
            made.coordinates = names


def make_coordinate(
    data: netCDF4.Dataset,
    name: str,
    dimension: str,
    about: Axis | VerticalAxis | LevelTerm,
    values: NDArray[np.float64],
) -> Any:
    """Make a coordinate variable with the names of an axis, without the attribute axis. Local."""
    made = data.createVariable(name, "f8", (dimension,))
    describe(made, about)
    made[:] = values
    return made


def shift_by_half(made: Any) -> None:
    """Say of a coordinate that it lies half a cell towards larger indices, as xgcm reads it.

    Local. An axis of a file has one coordinate without this, at the centres of its cells.
    """
    made.c_grid_axis_shift = 0.5


def axis_names(geometry: Geometry) -> tuple[str, str]:
    """Names of the coordinates along x and y in files. Local."""
    return ("lon", "lat") if geometry.x.units.startswith("degree") else ("x", "y")


def _form(data: netCDF4.Dataset) -> dict[str, str]:
    """Type, dimensions and unit of every variable, as text: they must be the same to append."""
    form = {}
    for name, variable in data.variables.items():
        sizes = [f"{d}={len(data.dimensions[d])}" for d in variable.dimensions if d != "time"]
        over_time = ["time"] if "time" in variable.dimensions else []
        units = getattr(variable, "units", "1")
        form[name] = f"{variable.dtype} ({', '.join(over_time + sizes)}) in {units}"
    return form


def _stored_record(
    source: netCDF4.Dataset, number: int, names: Collection[str], path: Path
) -> Record:
    """A record of an earlier file as it lies there, with fixed values in the first."""
    values = {}
    for name in names:
        over_time = source[name].dimensions[:1] == ("time",)
        if over_time or number == 0:
            values[name] = _stored(source, name, number if over_time else ..., path)
    step, time = (_stored(source, name, number, path) for name in ("step", "time"))
    return Record(int(step), float(time), values)


def _stored(data: netCDF4.Dataset, name: str, index: Any, path: Path) -> NDArray[Any]:
    """Values as they lie in an earlier file; UserError where it is damaged."""
    try:
        return np.asarray(data[name][index])
    except (OSError, RuntimeError) as problem:
        raise user_error(str(path), f"{name}: {problem}", "an undamaged file", REMEDY) from None
