"""Tables of docs/measurements, filled from kept results as lab/kept.toml describes them.

A page is written by hand. Between `<!-- table NAME -->` and `<!-- end -->` stands what
`[table.NAME]` says: the results (`from`), a row for each of `rows`, and columns. A cell takes its
`from`, `work`, `method` and `show` from the table, its row and its column, the later ones first.

- `rows`: "works", "methods", "both", "names" (of works NAME@SIZE), or a list of tables.
  `works` and `methods` are patterns of those that count, in their order; `labels` are the first
  cells of a row.
- `columns`: a list. `each` repeats its neighbours for every "works" or "sizes" of the results.
- `show`: text with numbers in braces, `{time:us}; {speedup}`. After the colon comes the unit (s,
  ms, us, ns, %, M, G, n for counts, e for powers of ten, .2 for as many decimals), then `!` for the
  median alone, or `~` for NUMBER_least and NUMBER_most in brackets. `a+b` is a sum of two numbers.
- `missing`: what stands where a number is not there, "-" by default.
- `from` and `work` may hold other keys of the cell in braces.
- `fastest`: patterns of methods; the fastest one counts.
- `ratio`: two methods, the time of the first over the time of the second, or another number `of`
  them; `as`: "share" in percent, or "change".
- `conditions`: the results whose conditions stand above the table; else all of its results.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from math import floor, log10
from pathlib import Path
from statistics import median
from textwrap import wrap
from typing import Any

from lapwing.base.error import user_error
from lapwing.core.mpi_library import MPILibrary

from lapwing_lab.bench.kept.results import Kept, Spread, read
from lapwing_lab.bench.measure.markdown import row

DESCRIPTION = Path("lab", "kept.toml")
RESULTS = Path("lab", "results")
PAGES = Path("docs", "measurements")
FACTORS = {"": 1.0, "s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "%": 100.0, "M": 1e-6, "G": 1e-9}
COLUMNS = 120  # of a line of a page
NOISE = 0.5  # other processes ready to run, from which a table names them

BLOCK = re.compile(r"<!-- table (?P<name>[\w-]+) -->\n.*?<!-- end -->", re.S)
FORMS = {"n": ",.0f", "e": ".1e", **{f".{n}": f".{n}f" for n in range(10)}}  # the median alone
NUMBER = re.compile(r"\{(?P<key>[^:}]+)(?::(?P<unit>[a-zA-Z%]*|\.\d)(?P<mark>[!~]?))?\}")

Cell = dict[str, Any]


@dataclass
class Tables:
    """The description of all tables, and the results that it names, each read once."""

    root: Path

    def __post_init__(self) -> None:
        """Read the description. Local."""
        document = tomllib.loads((self.root / DESCRIPTION).read_text())
        self.tables: dict[str, Cell] = document["table"]
        self._read: dict[str, dict[str, Kept]] = {}

    def kept(self, name: str) -> Kept:
        """The results GROUP/NAME. Local; a user's error where there are none."""
        group, _, rest = name.partition("/")
        file = RESULTS / f"{group}.json"
        if group not in self._read:
            self._read[group] = read(self.root / file) if (self.root / file).exists() else {}
        if rest not in self._read[group]:
            expected = f"{rest} in {file}, which is missing"
            remedy = f"`make measurements PAGES={group}`"
            raise user_error(str(DESCRIPTION), name, expected, remedy)
        return self._read[group][rest]

    def written(self, text: str) -> str:
        """A page with all its tables filled. Local; a user's error for an unknown table."""
        return BLOCK.sub(lambda block: self._block(block["name"]), text)

    def _block(self, name: str) -> str:
        if name not in self.tables:
            known = ", ".join(sorted(self.tables))
            raise user_error(
                "<!-- table -->", name, f"one of {known}", f"describe it in {DESCRIPTION}"
            )
        table = self.tables[name]
        rows = [list(self._row(table, row)) for row in self._rows(table)]
        headings = [*table["headings"], *(c["heading"] for c in self._columns(table))]
        parts = [*map(conditions, self._sources(table)), _markdown(headings, rows)]
        return "\n\n".join([f"<!-- table {name} -->", *parts, "<!-- end -->"])

    def _sources(self, table: Cell) -> list[Kept]:
        """Results whose conditions stand above a table: those of `conditions`, or of all cells."""
        columns = list(self._columns(table))
        cells = [self._merged(table, row, one) for row in self._rows(table) for one in columns]
        names = table.get("conditions", [one["from"] for one in cells])
        return [self.kept(name) for name in dict.fromkeys(names)]

    def _rows(self, table: Cell) -> list[Cell]:
        if not isinstance(table["rows"], str):
            return list(table["rows"])
        works = self._works(table)
        methods = chosen(table.get("methods"), [m for w in works for m in self._methods(table, w)])
        if table["rows"] == "methods":
            return [{"method": one} for one in methods]
        if table["rows"] == "names":
            return [{"name": one} for one in dict.fromkeys(w.partition("@")[0] for w in works)]
        if table["rows"] == "works":
            return [{"work": one} for one in works]
        sizes = {work: work.partition("@")[2] for work in works}
        return [
            {"work": one, "method": other, "size": sizes[one]} for one in works for other in methods
        ]

    def _works(self, table: Cell) -> list[str]:
        return chosen(table.get("works"), self.kept(table["from"]).works())

    def _methods(self, table: Cell, work: str) -> list[str]:
        return self.kept(table["from"]).methods(work)

    def _columns(self, table: Cell) -> Iterator[Cell]:
        """The columns; those with the same `each` are repeated together."""
        columns = table["columns"]
        for at, column in enumerate(columns):
            each = column.get("each")
            if each is None:
                yield column
            elif at == 0 or columns[at - 1].get("each") != each:
                group = [one for one in columns if one.get("each") == each]
                for place in self._places(table, each):
                    for one in group:
                        yield {**one, **place, "heading": one["heading"].format(**_parts(place))}

    def _places(self, table: Cell, each: str) -> list[Cell]:
        works = self._works(table)
        if each == "works":
            return [{"work": work} for work in works]
        return [{"size": size} for size in dict.fromkeys(w.partition("@")[2] for w in works)]

    def _row(self, table: Cell, row: Cell) -> Iterator[str]:
        labels = row["labels"] if "labels" in row else table["labels"]
        yield from (one.format(**_parts(row)) for one in labels)
        for column in self._columns(table):
            yield self._cell(self._merged(table, row, column))

    def _merged(self, *parts: Cell) -> Cell:
        """A cell of a table, a row and a column; `from` and `work` may name other keys."""
        cell: Cell = {}
        for part in parts:
            cell.update(part)
        cell.setdefault("work", "{name}@{size}")
        return {**cell, **{key: cell[key].format(**cell) for key in ("from", "work")}}

    def _cell(self, cell: Cell) -> str:
        kept, work = self.kept(cell["from"]), cell["work"]
        if "ratio" in cell:
            one, other = cell["ratio"]
            return _compared(_ratio(kept, work, one, other, cell.get("of", "time")), cell)
        method = cell.get("method") or next(iter(kept.methods(work)), "")
        if "fastest" in cell:
            method = fastest(kept, work, chosen(cell["fastest"], kept.methods(work)))
        numbers = [_number(kept, work, method, one) for one in NUMBER.finditer(cell["show"])]
        if not all(numbers):
            return str(cell.get("missing", "-"))
        filled = iter(numbers)
        return NUMBER.sub(lambda _: next(filled), cell["show"]).replace("METHOD", f"`{method}`")


def chosen(patterns: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """The different names that match a pattern, in the order of the patterns; None: all. Local."""
    found = (name for one in patterns or ["*"] for name in names if fnmatch(name, one))
    return list(dict.fromkeys(found))


def _parts(cell: Cell) -> Cell:
    """Names for labels: `work` is `name@size`, perhaps with `:what` behind it. Local."""
    base = cell.get("work", "").partition(":")[0]
    name, _, size = base.partition("@")
    return {"base": base, "name": name, "size": size, **cell}


def _number(kept: Kept, work: str, method: str, found: re.Match[str]) -> str:
    """A number of a cell with its spread; "" where it was not measured. Local."""
    key, unit, mark = found["key"], found["unit"] or "", found["mark"]
    if key.startswith("sum "):
        return number(sum(kept.values(work, method, key[4:])), 0)
    of_all = _values(kept, work, method, key)
    if not of_all:
        return ""
    values = Spread.of(of_all)
    if unit in FORMS:
        ends = [f"{key}_least", f"{key}_most"] if mark == "~" else []
        least_most = [format(_values(kept, work, method, end)[0], FORMS[unit]) for end in ends]
        many = f" ({'-'.join(least_most)})" if len(set(least_most)) > 1 else ""
        return format(values.mid, FORMS[unit]) + many
    values = values.times(FACTORS[unit])
    shown = percent if unit == "%" else number
    return shown(values.mid) if mark == "!" else spread(values, shown)


def _values(kept: Kept, work: str, method: str, key: str) -> list[float]:
    """A number, or the sum of several, in every invocation. Local."""
    parts = (kept.values(work, method, "median" if k == "time" else k) for k in key.split("+"))
    return [sum(numbers) for numbers in zip(*parts, strict=False)]


def fastest(kept: Kept, work: str, among: Sequence[str]) -> str:
    """The method with the least median over the invocations; "" where there is none. Local."""
    there = [name for name in among if kept.values(work, name)]
    return min(there, key=lambda name: median(kept.values(work, name)), default="")


def _ratio(kept: Kept, work: str, one: str, other: str, key: str) -> Spread | None:
    """A number of a method over the same of another, in each invocation. Local."""
    both = list(zip(*(_values(kept, work, m, key) for m in (one, other)), strict=False))
    return Spread.of([a / b for a, b in both]) if both else None


def _compared(found: Spread | None, cell: Cell) -> str:
    """A ratio as a cell wants it. Local."""
    if found is None or "as" not in cell:
        return spread(found)
    kinds = {"share": f"{100 * found.mid:.0f} %", "change": f"{round(100 * (found.mid - 1)):+d} %"}
    return kinds[cell["as"]]


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(map(row, [headings, ["---"] * len(headings), *rows]))


def number(value: float, digits: int = 3) -> str:
    """A number with that many significant digits, never with an exponent; 0: whole. Local."""
    if value == 0 or digits == 0:
        return f"{value:,.0f}"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - floor(log10(abs(rounded))))
    return f"{value:,.{decimals}f}"


def percent(value: float) -> str:
    """A whole number of percent. Local."""
    return str(round(value))


def spread(found: Spread | None, shown: Callable[[float], str] = number) -> str:
    """The median, and in brackets the quartiles between invocations; "-" for nothing. Local."""
    if found is None:
        return "-"
    low, mid, high = (shown(value) for value in (found.low, found.mid, found.high))
    to = " to " if low.startswith("-") else "-"
    return f"{mid} ({low}{to}{high})" if (low, high) != (mid, mid) else mid


def conditions(kept: Kept) -> str:
    """The lines above a table: what was measured, where and when. Local."""
    document = kept.document
    machine, versions, loads = document["machine"], document["versions"], document["load"]
    many = kept.invocations
    text = (
        f"`{document['command']}`, {'once' if many == 1 else f'{many} invocations'}, "
        f"{_days(document['began'])}: {machine['processor']}, "
        f"{machine.get('cores', machine['usable_cores'])} cores, "
        f"{MPILibrary.from_text(versions['mpi'])}"
    )
    known = document["commit"] != "unknown"  # else as the index of the measurements says
    text += (f", commit {document['commit']}" if known else "") + busy(loads)
    return "\n".join(wrap(f"{text}.", COLUMNS, break_long_words=False, break_on_hyphens=False))


def busy(loads: Sequence[float]) -> str:
    """Names the other processes that wanted the cores, where there were any to speak of. Local."""
    if max(loads) < NOISE:
        return ""
    ends = dict.fromkeys(f"{load:.1f}" for load in (min(loads), max(loads)))
    return f"; {' to '.join(ends)} other processes ready to run"


def _days(began: Sequence[str]) -> str:
    days = sorted({datetime.fromisoformat(text).date() for text in began})
    return " and ".join(f"{d.day} {d:%B} {d.year}" for d in dict.fromkeys((days[0], days[-1])))


def pages(root: Path) -> Mapping[Path, str]:
    """The pages that have tables, with their texts. Local."""
    texts = {file: file.read_text() for file in sorted((root / PAGES).glob("*.md"))}
    return {file: text for file, text in texts.items() if BLOCK.search(text)}
