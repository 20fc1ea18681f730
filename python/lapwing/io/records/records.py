"""Records and restarts of any program's fields: the calls behind the files of `lapwing run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import netCDF4
import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.agreement import at_root, made_at_root, of_root
from lapwing.base.atomic_file import writing
from lapwing.base.error import user_error
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.fields.labels import Axis
from lapwing.core.fields.wet_cells import wet_cells
from lapwing.core.partition import Grid
from lapwing.core.together import together_on
from lapwing.io.output import OutputFile
from lapwing.io.record_file import Earlier
from lapwing.io.records.layout import About
from lapwing.io.restart import Fingerprint, read_restart, write_restart
from lapwing.io.store.record_store import RecordStore
from lapwing.io.store.restart_store import RestartStore
from lapwing.io.store.store_reader import StoreReader
from lapwing.io.variable_description import Description, describe_variable
from lapwing.model.model import Geometry, Variable

Result = TypeVar("Result")

_FORMS = ("double", "single")
_SAME_TIME = 1e-6  # s


class Records:
    """Records of fields over time in one file, with CF metadata.

    A `path` that ends in .zarr is a store of chunks that all ranks write together, one that ends in
    .nc a NetCDF file, for which rank 0 gathers. Bytes and values do not depend on the number of
    ranks; all calls are collective over the domain. Names, units, long names, standard names,
    locations and levels are the fields' own.
    """

    def __init__(
        self,
        domain: Domain,
        path: Path | str,
        fields: Sequence[Field],
        *,
        fixed: Sequence[Field] = (),
        start: str = "2000-01-01 00:00:00",
        title: str = "",
        precision: str = "double",
        wet: ArrayLike | None = None,
        keep_until: float | None = None,
    ) -> None:
        """Make the file, or go on with the one that is there.

        `fixed`: fields that never change, of which there is one map; `start`: the date of time 0,
        UTC; `precision`: "double" or "single", of the values; `wet` [nx, ny]: where fields have a
        meaning, everywhere by default; `keep_until`: go on behind the records up to this time, s.
        UserError on all ranks for a name with another ending, two fields of one name, an invalid
        date, or an earlier file with other fields; OutsideError when the disk refuses. Cost of a
        store: a transpose for each size of field, and memory for its share of one slab of levels.
        """
        self.path, self._domain = Path(path), domain
        self._fields = {field.name: field for field in (*fields, *fixed)}

        def described() -> tuple[About, Geometry, dict[str, Description]]:
            if len(self._fields) < len(fields) + len(fixed) or not self._fields:
                names = [field.name for field in (*fields, *fixed)]
                got, remedy = f"the names {names}", "give each field a name of its own"
                raise user_error(f"fields of {path}", got, "one or more, all different", remedy)
            if precision not in _FORMS:
                got, remedy = repr(precision), "choose one of them"
                raise user_error(f"precision of {path}", got, '"double" or "single"', remedy)
            place = place_of(domain, wet)
            about = About(title, "lapwing", "lapwing.Records", _date(start), precision, _of(place))
            unchanging = {field.name for field in fixed}
            return (
                about,
                place,
                {
                    name: describe_variable(_variable(field, name in unchanging), place)
                    for name, field in self._fields.items()
                },
            )

        about, place, variables = together_on(domain, described)
        kind = {".zarr": RecordStore, ".nc": _GatheredRecords}.get(self.path.suffix)
        if kind is None:
            got, remedy = f"the ending {self.path.suffix!r}", "rename it"
            raise user_error(f"name {path}", got, "a name that ends in .zarr or .nc", remedy)
        earlier = None if keep_until is None else self._earlier(keep_until)
        self._file = kind(domain, self.path, about, place, variables, self._fields, earlier)

    def __enter__(self) -> Self:
        """The records, which are closed at the end of the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file: collective, so not after an exception, when others may never come."""
        if kind is None:
            self.close()

    def write(self, time: float, step: int | None = None) -> None:
        """Add the present values of the fields as the record of `time`, s since the start.

        `step`: its number, the number of the record by default. OutsideError on all ranks when the
        disk is full or gone; the records before stay.
        """
        self._file.append(time, self._file.records if step is None else step)

    def close(self) -> None:
        """Finish the file. A NetCDF file gets its name now; a store has had it from the start."""
        self._file.close()

    def read(self, time: float) -> int:
        """Put the record of `time`, s since the start, into the fields; its step.

        Where a record has no value, as on land, a field keeps its own. Halos count as stale. A
        NetCDF file is read once it is closed. UserError on all ranks where there is no such record,
        or a chunk is missing or damaged.
        """
        found = self._times()
        numbers = [n for n, (own, _) in enumerate(found) if abs(own - time) <= _SAME_TIME]
        if not numbers:
            times = ", ".join(f"{own:g}" for own, _ in found[:5])
            got, remedy = f"{time:g} s", "read one of the times that are there"
            raise user_error(f"time in {self.path}", got, f"one of {times or 'none'} ...", remedy)
        self._file.read(numbers[0])
        return found[numbers[0]][1]

    def _earlier(self, until: float) -> Earlier | None:
        """The file that is there, and its records up to a time."""
        found = self._times()
        kept = sum(time <= until + _SAME_TIME for time, _ in found)
        return Earlier(self.path, [step for _, step in found], kept) if found else None

    def _times(self) -> list[tuple[float, int]]:
        """Time and step of each record that is there."""

        def look() -> list[tuple[float, int]]:
            if not self.path.exists():
                return []
            if self.path.suffix == ".zarr":
                reader = StoreReader(self.path)
                columns = reader.array("time")[...].tolist(), reader.array("step")[...].tolist()
            else:
                with writing(self.path), netCDF4.Dataset(self.path) as data:
                    columns = data["time"][:].tolist(), data["step"][:].tolist()
            return list(zip(*columns, strict=True))

        return made_at_root(self._domain.mpi, look, "the times of the records")


class Restart:
    """The state of a program, from which it goes on bit for bit on any number of ranks.

    A `path` that ends in .zarr is a store that all ranks write and read together; any other one a
    file, for which rank 0 gathers. All calls are collective over the domain.
    """

    def __init__(
        self,
        domain: Domain,
        path: Path | str,
        fields: Sequence[Field] | Mapping[str, Field],
        *,
        belongs: Fingerprint | None = None,
    ) -> None:
        """Take the fields of the state; nothing is written or read.

        `belongs`: the case of the state; by default any on the same grid. UserError on all
        ranks for two fields of one name.
        """
        self.path, self._domain = Path(path), domain
        listed = fields if isinstance(fields, Mapping) else {field.name: field for field in fields}
        if len(listed) < len(fields):
            got = f"the names {[field.name for field in fields]}"  # type: ignore[union-attr]
            raise user_error(f"fields of {path}", got, "all different", "rename one")
        self._fields = dict(listed)
        self._belongs = belongs or _of(place_of(domain, None))
        self._store: RestartStore | None = None
        self._bytes = 0  # size of files

    @property
    def bytes(self) -> int:
        """The bytes that this rank has written. Local."""
        return self._bytes + (self._store.bytes if self._store is not None else 0)

    def write(self, step: int) -> None:
        """Write the present state after `step` steps, complete or not at all.

        The state before stays under the same name with ".former". OutsideError on all ranks when
        the disk is full or gone.
        """
        if self.path.suffix == ".zarr":
            self._in_chunks().write(step)
            return
        values = {name: field.gather() for name, field in self._fields.items()}

        def write() -> None:
            known = {name: array for name, array in values.items() if array is not None}
            with writing(self.path):
                write_restart(self.path, self._belongs, step, known)
                self._bytes += self.path.stat().st_size

        _at_root(self._domain, write)

    def read(self) -> int:
        """Put the state into the fields, and return its step. Halos count as stale.

        UserError on all ranks where there is none, it is damaged, or of another grid, case or
        fields.
        """
        if self.path.is_dir():
            return self._in_chunks().read()

        def read() -> tuple[int, dict[str, NDArray[Any]]]:
            step, state = read_restart(self.path, self._belongs)
            if sorted(state) != sorted(self._fields):
                got, expected = f"the fields {sorted(state)}", f"{sorted(self._fields)}"
                remedy = "restart with the version of the model that wrote the file"
                raise user_error(f"--restart {self.path}", got, expected, remedy)
            return step, state

        step, state = _at_root(self._domain, read) or (0, {})
        for name, field in self._fields.items():
            field.scatter(state.get(name))
        return int(of_root(self._domain.mpi, step, "the step of the restart"))

    def _in_chunks(self) -> RestartStore:
        if self._store is None:
            self._store = RestartStore(self._domain, self.path, self._belongs, self._fields)
        return self._store


class _GatheredRecords:
    """Records in a NetCDF file, for which rank 0 gathers."""

    def __init__(
        self,
        domain: Domain,
        path: Path,
        about: About,
        place: Geometry,
        variables: Mapping[str, Description],
        fields: Mapping[str, Field],
        earlier: Earlier | None,
    ) -> None:
        self.records = 0 if earlier is None else earlier.kept
        self._domain, self._path, self._fields = domain, path, fields

        def make() -> OutputFile:
            with writing(path):
                file = OutputFile(path, about, place, variables)
                if earlier is not None:
                    file.take(earlier)
                return file

        self._file = _at_root(domain, make)

    def append(self, time: float, step: int) -> None:
        values = {name: field.gather() for name, field in self._fields.items()}

        def write() -> None:
            assert self._file is not None
            known = {name: array for name, array in values.items() if array is not None}
            with writing(self._path):
                self._file.append(time, step, known)

        _at_root(self._domain, write)
        self.records += 1

    def read(self, record: int) -> None:
        own = {name: field.gather() for name, field in self._fields.items()}

        def look() -> dict[str, NDArray[Any]]:
            with writing(self._path), netCDF4.Dataset(self._path) as data:
                return {name: _stored(data[name], record, own[name]) for name in own}

        values = _at_root(self._domain, look) or {}
        for name, field in self._fields.items():
            field.scatter(values.get(name))

    def close(self) -> None:
        def finish() -> None:
            assert self._file is not None
            with writing(self._path):
                self._file.close()

        _at_root(self._domain, finish)


def _stored(variable: Any, record: int, own: NDArray[Any] | None) -> NDArray[Any]:
    """A map as a field is indexed, with the field's own values where the file has none."""
    over_time = variable.dimensions[:1] == ("time",)
    found = np.ma.asarray(variable[record] if over_time else variable[...]).T
    assert own is not None
    return np.where(np.ma.getmaskarray(found), own, found.data.astype(own.dtype))


def _at_root(domain: Domain, work: Callable[[], Result]) -> Result | None:
    return at_root(domain.mpi, work)


def place_of(domain: Domain, wet: ArrayLike | None) -> Geometry:
    """The grid of a domain with its axes, or numbers of cells where it has none. Local."""
    nx, ny, _ = domain.partition.grid.size
    given = dict(enumerate(domain.axes))
    names = ("x", "y")
    x, y = (
        given.get(axis, Axis(np.arange(float(n)), "1", f"number of the cell along {names[axis]}"))
        for axis, n in enumerate((nx, ny))
    )
    cells = np.ones((nx, ny), dtype=bool) if wet is None else wet_cells("wet", wet)
    if cells.shape != (nx, ny):
        got, remedy = f"an array {cells.shape}", "pass one value per column, x first"
        raise user_error("wet", got, f"one of {(nx, ny)}", remedy)
    grid = domain.partition.grid
    return Geometry(Grid(grid.size, grid.periodic, grid.north_fold), cells, x, y)


def _of(place: Geometry) -> Fingerprint:
    """The fingerprint of a program's grid, as the library in C++ has it too."""
    grid, wet = place.grid, ""
    if not place.wet.all():
        wet = f"crc32c {_core.crc32c(place.wet.T.tobytes()):08x}"
    size, periodic = [*map(int, grid.size)], [*map(bool, grid.periodic)]
    return Fingerprint("", {}, size, periodic, wet, grid.north_fold)


def _variable(field: Field, fixed: bool) -> Variable:
    long_name = field.long_name or field.name
    return Variable(field, field.units, long_name, field.standard_name, fixed=fixed)


def _date(start: str) -> str:
    try:
        datetime.fromisoformat(start)
    except ValueError:
        remedy = 'write it like "2000-01-01 00:00:00"'
        raise user_error("start of records", repr(start), "a date", remedy) from None
    return start
