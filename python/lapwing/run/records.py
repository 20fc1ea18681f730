"""The files of records of a run, in the process that writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from numpy.typing import NDArray

from lapwing.base.atomic_file import part_of, writing
from lapwing.base.settings import unknown_key
from lapwing.io.agenda import Agenda
from lapwing.io.journal import journal_of
from lapwing.io.output import OutputFile
from lapwing.io.points_file import PointsFile
from lapwing.io.record_file import Earlier, RecordFile, find_earlier
from lapwing.io.records.layout import about_case
from lapwing.io.result_files import OUTPUT, POINTS
from lapwing.io.variable_description import Description
from lapwing.model.model import Geometry, Run, Variable
from lapwing.run.request import Setup


class RecordFiles:
    """The records of a run: maps in one file, and columns at points in another.

    In one process, which has one of the two or both; it knows no ranks. Local.
    """

    def __init__(
        self,
        setup: Setup,
        dt: float,
        described: Mapping[str, Description],
        names: Collection[str],
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Say what the files `names` hold, in steps of `dt` seconds; nothing is opened.

        `between` is called between the variables of a record.
        """
        self._between = between
        self.setup, self.dt, self.described = setup, dt, described
        self.names = [n for n in (OUTPUT, POINTS) if n in names and (n == OUTPUT or setup.points)]
        self._open: dict[str, RecordFile] = {}

    @property
    def files(self) -> list[RecordFile]:
        """The files that are open."""
        return list(self._open.values())

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """Make the files, each with the records before step `first` that lie in the folder.

        Returns lines that say what was found. OutsideError where the disk refuses, UserError where
        what lies there is of another case.
        """
        setup, lines = self.setup, []
        for name in self.names:
            if name == POINTS:
                lines += [f"  note   {note}" for point in setup.points if (note := point.note())]
            lines += self._open_one(name, agenda.at_points() if name == POINTS else agenda, first)
            if first > 0 and self._open[name].records == 0:
                lines.append(f"  note   {setup.out / name} begins after step {first}")
        return lines

    def _open_one(self, name: str, agenda: Agenda, first: int) -> list[str]:
        setup, path = self.setup, self.setup.out / name
        earlier: Earlier | None = None
        lines: list[str] = []
        if first > 0:
            lines = self._recover(name)
            earlier = find_earlier(path, setup.belongs, agenda, first)
        with writing(path):
            self._open[name] = file = self._make(name)
            if earlier is not None:
                file.take(earlier)
                lines += what_is_kept(earlier, agenda, first)
        return lines

    def _make(self, name: str) -> RecordFile:
        kind, setup = PointsFile if name == POINTS else OutputFile, self.setup
        path = setup.out / name
        about = about_case(setup.case, setup.belongs)
        file = kind(path, about, setup.geometry, self.described, setup.points)
        file.between = self._between  # type: ignore[method-assign]
        return file

    def _recover(self, name: str) -> list[str]:
        """Complete the file of a job that was killed, from its journal; says so."""
        path = self.setup.out / name
        if not journal_of(path).exists():
            return []
        with writing(path):
            file = self._make(name)
            if file.recover() == 0:
                file.discard()
                return []
            file.close()
            journal_of(path).unlink()
        left = f"{part_of(path)} was left by a job that was killed"
        return [f"  note   {left}: {file.records} records"]

    def append(self, name: str, step: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the state after `step` to a file. OutsideError where the disk refuses."""
        file = self._open[name]
        with writing(file.path):
            file.append(step * self.dt, step, values)

    def close(self) -> None:
        """Finish the files."""
        for file in self.files:
            with writing(file.path):
                file.close()

    def keep_good(self) -> None:
        """Keep the records before an error, which are whole. Raises nothing."""
        for file in self.files:
            file.keep_good()


def chosen_variables(run: Run, geometry: Geometry, names: list[str]) -> dict[str, Variable]:
    """The variables to write, all by default. Local; UserError for an unknown name."""
    for name in names:
        if name not in run.variables:
            raise unknown_key("output.variables", name, run.variables, "a variable of the model")
    chosen = dict.fromkeys(names or run.variables)
    vertical = geometry.vertical
    if vertical is not None and any(run.variables[name].field.spec.levels for name in chosen):
        # the heights of the layers follow from these
        chosen |= dict.fromkeys(vertical.formula_terms.values())
    return {name: run.variables[name] for name in chosen}


def what_is_kept(earlier: Earlier, agenda: Agenda, first: int) -> list[str]:
    """Describe what a continued run does with the records that it found. Local."""
    kept, found = earlier.kept, len(earlier.steps)
    line = f"  output keeps {kept} of {found} records of {earlier.path} and appends to them"
    gap = earlier.missing_after(agenda, first)
    if gap is None:
        return [line]
    return [line, f"  note   records are missing in it after step {gap}, up to step {first}"]
