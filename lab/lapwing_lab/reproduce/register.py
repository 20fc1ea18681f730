"""Registers of reports: what each says, row by row, and what answers it here.

    title = "..."
    source = "who, where and when"

    [[row]]
    id = "A37"
    place = "Table 5-1"
    says = "..."
    columns = ["60x60", "40x40"]
    unit = "s"
    fitted = ["40x40"]           # columns whose numbers are inputs of a machine file
    answer = "flat"              # a function of the report's module
    [row.report.compute]         # or halo, total, other: what is no time
    "sum rest" = [74.60, 35.73]

A row without `answer` has a `state`, the `command` that shows it and, unless it is held, `why`.
A row with `input = true` has an answer and `why`, and is not testable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from lapwing.base.error import user_error
from lapwing.base.settings import Where, fill, read_toml

from lapwing_lab.machine.quantity import Tables

State = Literal["held", "not held", "not testable"]
Part = Literal["compute", "halo", "total", "other"]
Series = dict[str, tuple[float, ...]]

FOLDER = Path(__file__).parent / "reports"
REPORTS = ("getm", "lbm", "hirlam-overlap", "hirlam-transpose", "polcoms")


@dataclass(frozen=True)
class Row:
    """One mechanism, experiment, number or statement of a report."""

    id: str
    place: str  # section, table or figure
    says: str
    command: str = ""  # that answers it here; with `answer`, what that runs
    answer: str = ""  # a function of the report's module; none: the state is given
    input: bool = False  # a machine file was fitted to what the row says: its answer shows nothing
    state: State | None = None
    why: str = ""
    columns: tuple[str, ...] = ()
    unit: str = ""
    fitted: tuple[str, ...] = ()
    report: dict[Part, Series] = field(default_factory=dict)

    @property
    def series(self) -> Series:
        """The numbers of the report by their names. Local."""
        return {name: values for of in self.report.values() for name, values in of.items()}

    def part_of(self, name: str) -> Part:
        """The part of a series: times of computing, of halos, of both, or another number. Local."""
        return next(part for part, of in self.report.items() if name in of)


@dataclass(frozen=True)
class Register:
    """A report and its rows."""

    title: str
    source: str
    row: Annotated[tuple[Row, ...], Tables(Row)]

    def at(self, place: str) -> tuple[Row, ...]:
        """The rows of a table, figure or section. Local; UserError for one that has none."""
        found = tuple(row for row in self.row if place in (row.place, row.id))
        if not found:
            numbers = dict.fromkeys(row.place for row in self.row if row.report)
            places = numbers or dict.fromkeys(row.place for row in self.row)
            kind = "a place with numbers" if numbers else "a place"
            expected = f"{kind} ({', '.join(places)}) or the id of a row"
            raise user_error("--table", repr(place), expected, "choose one of them")
        return found


def load_register(report: str) -> Register:
    """Read the register of a report. Local. UserError for one that does not exist or is wrong."""
    if report not in REPORTS:
        expected = f"one of: {', '.join(REPORTS)}"
        raise user_error("report", repr(report), expected, "choose one of them")
    path = FOLDER / f"{report}.toml"
    text = path.read_text(encoding="utf-8")
    register = fill(Register, read_toml(text), Where(path.name, text))
    seen = set[str]()
    for row in register.row:
        _check(path.name, row, seen)
    return register


def _check(file: str, row: Row, seen: set[str]) -> None:
    """Raise UserError for a row that says too little, or what does not go together."""
    at = f"{file}: row {row.id}"
    if row.id in seen:
        raise user_error(at, "twice", "one row of each id", "give the second another id")
    seen.add(row.id)
    if bool(row.answer) == (row.state is not None):
        got = "both answer and state" if row.answer else "neither answer nor state"
        raise user_error(at, got, "one of them", "add or remove one")
    if row.input and not (row.answer and row.why):
        raise user_error(at, "input", "an answer, and why it is an input", "add what is missing")
    if row.state in ("not held", "not testable") and not row.why:
        raise user_error(at, "no why", f"the reason of a row that is {row.state}", "add it")
    if row.state in ("held", "not held") and not row.command:
        raise user_error(at, "no command", f"the command of a row that is {row.state}", "add it")
    for name, values in row.series.items():
        if len(values) != len(row.columns):
            got, expected = f"{len(values)} numbers of {name}", f"{len(row.columns)}, a column each"
            raise user_error(at, got, expected, "change one of them")
    for column in row.fitted:
        if column not in row.columns:
            expected = f"one of: {', '.join(row.columns)}"
            raise user_error(f"{at}: fitted", repr(column), expected, "change it")
