"""Tables of messages without land, by `lapwing bench wet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lapwing_lab.bench.kept import markdown
from lapwing_lab.bench.kept.page import Made, Measurement, Results
from lapwing_lab.bench.kept.pages.partitions.costs import number
from lapwing_lab.bench.kept.results import Kept
from lapwing_lab.bench.wet.request import FIELDS, FORMS, STEPS

NETWORK = ("netlab", "run", "--nodes", "2", "--rate", "200mbit")
FEW = ("--rounds", "10", "--samples", "9")  # an exchange with levels takes 80 ms there
WHOLE, SHORTER = FORMS[0], FORMS[1:]
SHOWN = ("2d", "3d")  # fields of the table; the sentence below it has all
# results within a node, and what a table calls their cut and transport
WITHIN = {
    "wet-p2p": ("`1x2`", "p2p"),
    "wet-shared": ("`1x2`", "shared"),
    "wet-columns": ("`2x1`", "p2p"),
}
BETWEEN = "wet-network"


def _wet(name: str, *arguments: str, within: tuple[str, ...] = ()) -> Measurement:
    return Measurement(f"partitions-{name}", ("wet", "--ranks", "2", *arguments), within=within)


_COLUMNS = ("--works", ",".join(FIELDS), "--shape", "2x1", "--transport", "p2p")
_SLOW = ("--works", ",".join(("3d", *STEPS)), "--transport", "p2p", *FEW)

MEASUREMENTS = (
    _wet("wet-p2p", "--transport", "p2p"),
    _wet("wet-shared", "--transport", "shared"),
    _wet("wet-columns", *_COLUMNS),
    _wet("wet-network", *_SLOW, within=NETWORK),
)


def _bytes(results: Results) -> str:
    """What all ranks send, and the share of it that each form sends."""
    rows = []
    for name in ("wet-p2p", "wet-columns"):
        kept, (cut, _) = results[name], WITHIN[name]
        for work in (one for one in kept.works() if one in (*SHOWN, *STEPS)):
            whole = number(kept, work, WHOLE, "bytes")
            shares = [number(kept, work, form, "bytes") / whole for form in SHORTER]
            rows.append([cut, work, f"{whole:,.0f}", *(f"{100 * one:.0f} %" for one in shares)])
    return markdown.table(["cut", "fields or case", "off, bytes", *SHORTER], rows)


def _rows(kept: Kept, works: Sequence[str], *before: str) -> Iterator[list[str]]:
    """Of each work the time of whole messages, and the speed-ups of the other forms."""
    for work in works:
        if work in kept.works():
            gains = [markdown.spread(kept.spread(work, form, "speed_up")) for form in SHORTER]
            whole = markdown.number(1e6 * number(kept, work, WHOLE, "median"))
            yield [*before, work, whole, *gains]


def _within(results: Results, works: Sequence[str], what: str) -> str:
    rows = [row for name, before in WITHIN.items() for row in _rows(results[name], works, *before)]
    headings = ["cut", "transport", what, "off, us", *SHORTER]
    return markdown.table(headings, rows)


def _exchanges(results: Results) -> str:
    """The table of fields, below what was measured for it and for that of steps."""
    said = "\n".join(f"- {markdown.conditions(results[name])}" for name in WITHIN)
    return f"{said}\n\n{_within(results, SHOWN, 'fields')}"


def _between(results: Results) -> str:
    kept = results[BETWEEN]
    table = markdown.table(["fields or case", "off, us", *SHORTER], _rows(kept, ("3d", *STEPS)))
    return f"{markdown.conditions(kept)}\n\n{table}"


def _gains(results: Results, works: Sequence[str], form: str) -> str:
    """The range of the speed-ups of a form within a node."""
    return markdown.between(
        [
            number(results[name], work, form, "speed_up")
            for name in WITHIN
            for work in works
            if work in results[name].works()
        ]
    )


def _reading(results: Results) -> str:
    found = ", ".join(f"{_gains(results, tuple(FIELDS), form)} with {form}" for form in SHORTER)
    return f"Speed-ups of these and of several fields together: {found}."


BLOCKS: dict[str, Made] = {
    "wet-bytes": _bytes,
    "wet-exchanges": _exchanges,
    "wet-steps": lambda results: _within(results, STEPS, "case"),
    "wet-network": _between,
    "wet-reading": _reading,
}
