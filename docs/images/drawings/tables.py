"""Tables of the documentation: measured numbers stand there once, and pictures read them there."""

from __future__ import annotations

import re
from itertools import dropwhile, takewhile

from drawings.style import ROOT

Row = dict[str, str]


def tables_under(page: str, heading: str) -> list[list[Row]]:
    """The tables of a section, without those of its subsections, by the names of their columns."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    section = list(dropwhile(lambda line: line.lstrip("#").strip() != heading, lines))
    if not section:
        raise ValueError(f"docs/{page} has no heading {heading!r}")
    return _tables(list(takewhile(lambda line: not line.startswith("#"), section[1:])))


def table_under(page: str, heading: str, column: str) -> list[Row]:
    """The first table of a section that has this column."""
    for table in tables_under(page, heading):
        if column in table[0]:
            return table
    raise ValueError(f"docs/{page}, {heading}: no table with a column {column!r}")


def number(text: str) -> float:
    """The number that a cell begins with."""
    found = re.match(r"[\d.,]+", text)
    if not found:
        raise ValueError(f"no number in {text!r}")
    return float(found[0].replace(",", ""))


def _tables(lines: list[str]) -> list[list[Row]]:
    found: list[list[Row]] = []
    names: list[str] = []
    for line in lines:
        parts = [part.strip().strip("`") for part in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            names = []
        elif not names:
            names = parts
        elif set(line) <= set("|-: "):
            found.append([])
        else:
            found[-1].append(dict(zip(names, parts, strict=True)))
    return found
