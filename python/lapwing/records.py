"""The records of a run: its files on rank 0, and how the values of all ranks come to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from lapwing.agenda import Agenda
from lapwing.agreement import together
from lapwing.atomic_file import writing
from lapwing.earlier_output import Earlier, find_earlier
from lapwing.model import Geometry, Run, Variable, bring_up_to_date
from lapwing.output import OutputFile
from lapwing.points import PointColumns
from lapwing.points_file import PointsFile
from lapwing.record_file import RecordFile
from lapwing.request import Plan
from lapwing.settings import unknown_key
from lapwing.variable_description import describe_variable

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.domain import Domain

OUTPUT, POINTS = "output.nc", "points.nc"


class Records:
    """What is written on the way: maps in one file, and columns at points in another.

    The same on all ranks, but for the files, which rank 0 has.
    """

    def __init__(self, plan: Plan, run: Run, comm: Comm, domain: Domain) -> None:
        """Choose the variables; nothing is opened. Local; UserError for an unknown name."""
        self.plan, self.run, self.comm = plan, run, comm
        self.chosen = _chosen(run, plan.geometry, plan.case.output.variables)
        fields = {name: variable.field for name, variable in self.chosen.items()}
        self.columns = PointColumns(comm, domain, fields, plan.points) if plan.points else None
        self.output: OutputFile | None = None
        self.points: PointsFile | None = None

    @property
    def files(self) -> list[RecordFile]:
        """The files that are open. Local."""
        return [file for file in (self.output, self.points) if file is not None]

    def open(self, agenda: Agenda, first: int) -> list[str]:
        """Make the files, each with the records before step `first` that lie in the folder.

        Rank 0. Returns lines that say what was found.
        """
        plan = self.plan
        described = {n: describe_variable(v, plan.geometry) for n, v in self.chosen.items()}

        def make_output(path: Path) -> None:
            self.output = OutputFile(path, plan.case, plan.geometry, described, plan.belongs)

        def make_points(path: Path) -> None:
            self.points = PointsFile(
                path, plan.case, plan.geometry, described, plan.belongs, plan.points
            )

        lines = self._open_one(plan.out / OUTPUT, make_output, agenda, first)
        if plan.points:
            lines += [f"  note   {note}" for point in plan.points if (note := point.note())]
            path = plan.out / POINTS
            lines += self._open_one(path, make_points, agenda.at_points(), first)
            if first > 0 and self.points is not None and self.points.records == 0:
                lines.append(f"  note   {path} begins after step {first}")
        return lines

    def _open_one(
        self, path: Path, make: Callable[[Path], None], agenda: Agenda, first: int
    ) -> list[str]:
        earlier: Earlier | None = None
        lines: list[str] = []
        if first > 0:
            earlier, notes = find_earlier(path, self.plan.belongs, agenda, first)
            lines = [f"  note   {note}" for note in notes]
        with writing(path):
            make(path)
            if earlier is not None:
                self.files[-1].take(earlier)
                lines += _what_is_kept(earlier, agenda, first)
        return lines

    def add(self, *, output: bool, points: bool) -> None:
        """Add the state of now to the files. Collective."""
        bring_up_to_date(self.run)
        if output:
            maps = {name: v.field.gather() for name, v in self.chosen.items()}
            self._append(lambda: self.output, _known(maps))
        if points and self.columns is not None:
            self._append(lambda: self.points, self.columns.gather() or {})

    def _append(
        self, file_of: Callable[[], RecordFile | None], values: Mapping[str, NDArray[Any]]
    ) -> None:
        def write() -> None:
            file = file_of()
            if file is None:  # not rank 0
                return
            step = self.run.step_number
            with writing(file.path):
                file.append(step * self.run.dt, step, values)

        together(self.comm, write)

    def close(self) -> None:
        """Finish the files. Rank 0."""
        for file in self.files:
            with writing(file.path):
                file.close()

    def discard(self) -> None:
        """Remove what is not finished. Local."""
        for file in self.files:
            file.discard()

    def keep_good(self) -> None:
        """After a bad state: the records before it are whole and worth looking at. Local.

        Without new ones an earlier file is left as it is.
        """
        for file in self.files:
            if file.records > file.taken:
                with writing(file.path):
                    file.close()
            else:
                file.discard()


def _known(values: Mapping[str, NDArray[Any] | None]) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in values.items() if array is not None}


def _chosen(run: Run, geometry: Geometry, names: list[str]) -> dict[str, Variable]:
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


def _what_is_kept(earlier: Earlier, agenda: Agenda, first: int) -> list[str]:
    """What a continued run does with the records that it found, in words."""
    kept, found = earlier.kept, len(earlier.steps)
    line = f"  output keeps {kept} of {found} records of {earlier.path} and appends to them"
    gap = earlier.missing_after(agenda, first)
    if gap is None:
        return [line]
    return [line, f"  note   records are missing in it after step {gap}, up to step {first}"]
