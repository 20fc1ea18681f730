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
from lapwing.io.agenda import Agenda
from lapwing.io.journal import Journal, Record, journal_of, read_about, read_records
from lapwing.io.points import Point
from lapwing.io.records.layout import ATTRIBUTE, CHECKSUM, About, ArrayForm, Layout
from lapwing.io.restart import Fingerprint
from lapwing.io.variable_description import Description
from lapwing.model.model import Geometry

REMEDY = "choose another --out, or move the file away"


@dataclass(frozen=True)
class Earlier:
    """An output file of the same case and how many of its records stand before the restart."""

    path: Path
    steps: list[int]  # steps of all records
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
    return earlier_records(path, steps, agenda, first)


def earlier_records(path: Path, steps: list[int], agenda: Agenda, first: int) -> Earlier:
    """The records of these steps, and which of them a run from step `first` keeps. Local."""
    # The earlier part ended with a record; one that never stopped has it only where it is due.
    kept = sum(step < first or (step == first and agenda.is_output_due(step)) for step in steps)
    return Earlier(path, steps, kept)


def require_same_form(theirs: Mapping[str, str], mine: Mapping[str, str], path: Path) -> None:
    """Raise UserError unless an earlier file has the arrays of this run, in their form. Local."""
    for name in dict.fromkeys([*mine, *theirs]):
        if theirs.get(name) != mine.get(name):
            raise user_error(
                str(path),
                f"{name}: {theirs.get(name, 'not there')}",
                f"{mine.get(name, 'no such variable')}, as this run writes it",
                f"{REMEDY}; or go on with the start and the output settings of that file",
            )


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
        about: About,
        geometry: Geometry,
        variables: Mapping[str, Description],
        points: Sequence[Point] = (),
    ) -> None:
        """Make the file with its axes and variables, without records; `points`: the case's."""
        self.path = path
        self.points = points
        self.geometry = geometry
        self.variables = variables
        self.records = 0
        self.taken = 0  # records taken from an earlier file
        self._belongs = about.belongs
        self._fixed = self._checksum = 0  # what never changes, and the last record
        self._journal: Journal | None = None  # from the first own record on
        self._layout = self._make_layout(about)
        self._data = netCDF4.Dataset(part_of(path), "w", format="NETCDF4")
        try:
            self._make_arrays()
            self._data.set_auto_maskandscale(False)  # values are stored as written
            self._data.sync()
        except BaseException:
            self.keep_good()
            raise

    # ---- what subclasses say

    def _make_layout(self, about: About) -> Layout:
        """Lay out the file."""
        raise NotImplementedError

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        """Say how many records, and values along each dimension of these sizes, are one chunk."""
        raise NotImplementedError

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Turn values in the order of fields into a record, with the fill value on dry points."""
        raise NotImplementedError

    def _require_same_places(self, source: netCDF4.Dataset, path: Path) -> None:
        """Raise UserError when an earlier file has its values elsewhere."""

    # ---- records

    def take(self, earlier: Earlier) -> None:
        """Begin with the records that an earlier file keeps, bit for bit.

        Local. UserError when that file holds other variables, or the same in another form.
        """
        with netCDF4.Dataset(earlier.path, "r") as source:
            source.set_auto_maskandscale(False)
            require_same_form(_form(source), self._layout.form(), earlier.path)
            self._require_same_places(source, earlier.path)
            for number in range(earlier.kept):
                self.taken += 1  # before it is there: it is nothing new to keep
                self._put(_stored_record(source, number, self.variables, earlier.path))
                expected = int(_stored(source, CHECKSUM, number, earlier.path))
                self._require_checksum(expected, earlier)
        self._data.sync()

    def append(self, time: float, step: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the state at `time` (s since the start): values by name, in the order of fields."""
        stored = {
            name: self._as_stored(name, array)
            for name, array in values.items()
            if self.records == 0 or not self.variables[name].fixed
        }
        if self._journal is None:
            about = {"taken": self.taken, "form": self._layout.form()}
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
        require_same_form(about["form"], self._layout.form(), journal_of(self.path))
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

    def _make_arrays(self) -> None:
        self._data.setncatts(self._layout.attributes)
        self._data.createDimension("time", None)
        for name, count in self._layout.dimensions.items():
            self._data.createDimension(name, count)
        for name, array in self._layout.arrays.items():
            if name in self.variables:
                made = self._make_variable(name, array)
            else:
                kind = str if array.kind == "str" else array.kind
                made = self._data.createVariable(name, kind, array.dimensions, zlib=name == "wet")
            made.setncatts(array.attributes)
            if array.values is not None:
                made[:] = array.values

    def _make_variable(self, name: str, array: ArrayForm) -> Any:
        chunk = self._chunk(self._layout.sizes(name), np.dtype(array.kind).itemsize)
        return self._data.createVariable(
            name,
            array.kind,
            array.dimensions,
            zlib=self._compressed,
            complevel=1,
            shuffle=self._compressed,
            fill_value=array.fill,
            chunksizes=chunk if "time" in array.dimensions else chunk[1:],
        )


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
