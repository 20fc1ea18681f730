"""Markdown from kept results: tables, numbers with their spread, ranges, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from math import floor, log10

from lapwing.core.mpi_runtime import MPILibrary

from lapwing_lab.bench.kept.results import Kept, Spread
from lapwing_lab.bench.kept.tables import busy

FACTORS = {"s": 1.0, "ms": 1e3, "us": 1e6}


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Local."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def number(value: float, digits: int = 3) -> str:
    """So many significant digits, and never an exponent. Local."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - floor(log10(abs(rounded))))
    return f"{value:,.{decimals}f}" if value < 1e6 else f"{value:,.0f}"


def spread(found: Spread | None, digits: int = 3) -> str:
    """The median, and in brackets the quartiles between invocations; "-" for nothing. Local."""
    if found is None:
        return "-"
    low, mid, high = (number(value, digits) for value in (found.low, found.mid, found.high))
    return f"{mid} ({low}-{high})" if (low, high) != (mid, mid) else mid


def time(kept: Kept, work: str, method: str, unit: str = "us") -> str:
    """The time of a method with its spread, in s, ms or us. Local."""
    found = kept.spread(work, method)
    return spread(found and found.times(FACTORS[unit]))


def between(values: Sequence[float], digits: int = 3) -> str:
    """The range of some values in words. Local."""
    low, high = number(min(values), digits), number(max(values), digits)
    return low if low == high else f"{low} to {high}"


def percents(values: Sequence[float]) -> str:
    """The range of some shares in words. Local."""
    low, high = (f"{100 * value:.0f}" for value in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def share(found: Spread | None) -> str:
    """A share in percent with its quartiles; "-" for nothing. Local."""
    if found is None:
        return "-"
    low, mid, high = (str(round(100 * value)) for value in (found.low, found.mid, found.high))
    to = " to " if low.startswith("-") else "-"
    return f"{mid} % ({low}{to}{high})" if (low, high) != (mid, mid) else f"{mid} %"


def conditions(kept: Kept) -> str:
    """What was measured, where and when: the line above a table. Local."""
    document = kept.document
    machine, versions = document["machine"], document["versions"]
    cores = machine.get("cores", machine["usable_cores"])
    return (
        f"`{document['command']}`, {_times(kept.invocations)}, {_days(document['began'])}: "
        f"{machine['processor']}, {cores} cores, {MPILibrary.from_text(versions['mpi'])}"
        f"{busy(document['load'])}."
    )


def _times(invocations: int) -> str:
    return "one invocation" if invocations == 1 else f"{invocations} invocations"


def _days(began: Sequence[str]) -> str:
    days = sorted({datetime.fromisoformat(text).date() for text in began})
    return " and ".join(map(_written, dict.fromkeys((days[0], days[-1]))))


def _written(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
