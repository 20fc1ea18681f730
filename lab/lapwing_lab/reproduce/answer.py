"""Answers of rows: lapwing's numbers next to the report's, their errors, and the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from statistics import median
from typing import Any

from lapwing.base.error import user_error

from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import Part, Register, Row, State

MEDIAN, WORST = 0.08, 0.20  # goals of timings on columns that were not fitted


@dataclass(frozen=True)
class Curves:
    """The lines of a figure whose numbers the report does not print."""

    across: str  # what the places along x are, with its unit
    up: str  # what the lines show, with its unit
    at: Sequence[float]
    lines: Mapping[str, Sequence[float]]  # a number for each place; NaN: there is none
    model: Mapping[str, Sequence[float]] = field(default_factory=dict)  # the report's own formula

    def data(self) -> dict[str, Any]:
        """The same for JSON, which has no NaN: null where there is no number. Local."""
        lines, model = (
            {name: [None if isnan(n) else n for n in line] for name, line in one.items()}
            for one in (self.lines, self.model)
        )
        about = {"across": self.across, "up": self.up, "at": list(self.at)}
        return about | {"lines": lines, "model": model}


@dataclass(frozen=True)
class Answer:
    """The finding of a function of a report's module for a row."""

    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    holds: bool | None = None  # of a statement; none: the errors decide
    text: str = ""  # a sentence on it
    curves: Curves | None = None


Answers = Mapping[str, Callable[[Kept, Row], Answer]]


@dataclass(frozen=True)
class Filled:
    """A row with its answer."""

    row: Row
    state: State
    command: str
    text: str = ""
    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    curves: Curves | None = None

    def errors(self, *parts: Part) -> list[float]:
        """Errors of free columns, as shares of the report's numbers; of some parts. Local."""
        free = [n for n, column in enumerate(self.row.columns) if column not in self.row.fitted]
        return [
            self.values[name][n] / told[n] - 1
            for name, told in self.row.series.items()
            if name in self.values and (not parts or self.row.part_of(name) in parts)
            for n in free
            if told[n] != 0
        ]

    def spread(self, *parts: Part) -> tuple[float, float] | None:
        """The median and the worst error, without their signs; None without any. Local."""
        found = [abs(one) for one in self.errors(*parts)]
        return (median(found), max(found)) if found else None


def filled(register: Register, answers: Answers, kept: Kept) -> list[Filled]:
    """All rows with their answers. Local. UserError for an answer that no function gives."""
    return [_fill(row, answers, kept) for row in register.row]


def _fill(row: Row, answers: Answers, kept: Kept) -> Filled:
    if not row.answer:
        assert row.state is not None  # the register is checked
        return Filled(row, row.state, row.command, row.why)
    if row.answer not in answers:
        known = ", ".join(answers)
        raise user_error(f"row {row.id}", f"answer {row.answer!r}", f"one of: {known}", "change it")
    kept.used.clear()
    answer = answers[row.answer](kept, row)
    command = row.command or (kept.used[0] if kept.used else "")
    text = " ".join(part for part in (answer.text, row.why) if part)
    found = Filled(row, "not testable", command, text, answer.values, answer.curves)
    return found if row.input else replace(found, state=_state(found, answer.holds))


def _state(found: Filled, holds: bool | None) -> State:
    if holds is not None:
        return "held" if holds else "not held"
    spread = found.spread()
    assert spread is not None, f"row {found.row.id} has neither numbers nor a statement"
    return "held" if spread[0] <= MEDIAN and spread[1] <= WORST else "not held"


def summary(rows: Sequence[Filled]) -> dict[str, Any]:
    """Counts of states, and the spread of errors of times by part. Local."""
    states = [one.state for one in rows]
    counts = {state: states.count(state) for state in ("held", "not held", "not testable")}
    found: dict[str, Any] = {"rows": len(rows), **counts}
    found["answered"] = sum(bool(one.command) for one in rows)
    parts: tuple[Part, ...] = ("compute", "halo", "total")
    for part in parts:
        errors = [abs(error) for one in rows for error in one.errors(part)]
        if errors:
            found[part] = {"median": median(errors), "worst": max(errors), "numbers": len(errors)}
    return found
