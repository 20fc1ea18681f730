"""The page of a report: every row with its answer, tables of numbers, and a picture of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lapwing.base.atomic_file import save_png, write_text_file
from matplotlib.figure import Figure

from lapwing_lab.reproduce.answer import MEDIAN, WORST, Curves, Filled, summary
from lapwing_lab.reproduce.register import Register

_ACROSS = 2  # panels


def write_page(file: Path, report: str, register: Register, rows: Sequence[Filled]) -> None:
    """Write the page and, next to it in `images/`, its picture. Local.

    OutsideError when the disk refuses.
    """
    drawn = _with_numbers(rows)
    lines = [f"# {register.title}", "", f"{register.source}.", "", *_head(report, rows)]
    if drawn:
        picture = file.parent / "images" / f"{report}.png"
        picture.parent.mkdir(exist_ok=True)
        draw(picture, drawn)
        lines += [
            "",
            f"![lapwing's numbers, and the report's where it prints them](images/{picture.name})",
        ]
    lines += ["", "## Rows", "", *_rows(rows)]
    if drawn:
        lines += ["", "## Numbers", "", _key(drawn)]
        for one in drawn:
            lines += ["", *(curve_numbers(one, one.curves) if one.curves else numbers(one))]
    write_text_file(str(file), file, "\n".join(lines) + "\n")


def _key(drawn: Sequence[Filled]) -> str:
    """The key to the tables of a page."""
    told = []
    if any(one.values and not one.curves for one in drawn):
        told.append("Numbers are lapwing's, in brackets the report's; *fitted* columns are inputs.")
    if any(one.curves for one in drawn):
        told.append("For its curves the report prints no numbers: they are lapwing's")
        model = any(one.curves and one.curves.model for one in drawn)
        told[-1] += " and those of the report's model." if model else "."
    return " ".join(told)


def _with_numbers(rows: Sequence[Filled]) -> list[Filled]:
    """The rows of tables and of figures, each figure once."""
    found: list[Filled] = []
    for one in rows:
        table = len(one.row.columns) > 1 and one.values
        figure = one.curves and all(one.curves != other.curves for other in found)
        if table or figure:
            found.append(one)
    return found


def _head(report: str, rows: Sequence[Filled]) -> Iterator[str]:
    found = summary(rows)
    yield "```sh"
    yield f"lapwing reproduce {report}          # from kept numbers; --fresh computes them again"
    yield "```"
    yield ""
    yield "| rows | held | not held | not testable here | answered by a command |"
    yield "|---|---|---|---|---|"
    counts = [found[name] for name in ("rows", "held", "not held", "not testable", "answered")]
    yield _line(counts)
    if any("#" in one.command for one in rows):
        yield ""
        yield "What stands after `#` cannot be asked of the command; with it,"
        yield f"`lapwing reproduce {report} --table ROW --fresh` runs a row."
    spreads = [(part, found[part]) for part in ("compute", "halo", "total") if part in found]
    if spreads:
        yield ""
        yield f"Times on columns that were not fitted; the goals are {MEDIAN:.0%} and {WORST:.0%}:"
        yield ""
        yield "| time | numbers | median error | worst |"
        yield "|---|---|---|---|"
        for part, one in spreads:
            yield _line([part, one["numbers"], f"{one['median']:.1%}", f"{one['worst']:.1%}"])


def _rows(rows: Sequence[Filled]) -> Iterator[str]:
    yield "| row | place | the report | here | | command |"
    yield "|---|---|---|---|---|---|"
    first: dict[str, str] = {}  # the row that shows a command
    for one in rows:
        row = one.row
        spread = one.spread()
        off = f"Median error {spread[0]:.1%}, worst {spread[1]:.1%}." if spread else ""
        told = " ".join(part for part in (one.text, off) if part)
        shown = first.setdefault(one.command, row.id)
        command = f"as {shown}" if shown != row.id else f"`{one.command}`"
        command = command if one.command else ""
        yield _line([row.id, row.place, row.says, f"**{one.state}**", told, command])


def numbers(one: Filled) -> Iterator[str]:
    """A table of a row: a line for each series. Local."""
    row = one.row
    unit = f", {row.unit}" if row.unit else ""
    yield f"### {row.id}: {row.place}{unit}"
    yield ""
    names = [f"*{name}*" if name in row.fitted else name for name in row.columns]
    yield _line(["", *names])
    yield _line(["---"] * (1 + len(row.columns)))
    for name, told in row.series.items():
        if name in one.values:
            pairs = zip(one.values[name], told, strict=True)
            yield _line([name, *(f"{_short(a)} ({_short(b)})" for a, b in pairs)])


def curve_numbers(one: Filled, curves: Curves) -> Iterator[str]:
    """A table of a figure: a line for each curve. Local."""
    yield f"### {one.row.id}: {one.row.place}, {curves.up}"
    yield ""
    yield _line([curves.across, *(f"{place:g}" for place in curves.at)])
    yield _line(["---"] * (1 + len(curves.at)))
    model = {f"{name}, the report's model": line for name, line in curves.model.items()}
    for name, line in (dict(curves.lines) | model).items():
        yield _line([name, *("" if math.isnan(number) else _short(number) for number in line)])


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def _short(number: float) -> str:
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"


def draw(path: Path, rows: Sequence[Filled]) -> None:
    """Draw the series of rows: lines for lapwing's numbers, crosses for the report's. Local."""
    down = math.ceil(len(rows) / _ACROSS)
    figure = Figure(figsize=(6 * _ACROSS, 2.6 * down), layout="constrained")
    panels = figure.subplots(down, _ACROSS, squeeze=False).ravel()
    for axes, one in zip(panels, rows, strict=False):
        if one.curves:
            _curves(axes, one, one.curves)
        else:
            _panel(axes, one)
    for axes in panels[len(rows) :]:
        axes.set_axis_off()
    told = ["lines: lapwing"]
    if any(not one.curves for one in rows):
        told.append("crosses: the report")
    if any(one.curves and one.curves.model for one in rows):
        told.append("dashes: the report's model")
    figure.suptitle("; ".join(told))
    save_png(figure, path, 80)


def _panel(axes: Any, one: Filled) -> None:
    places = range(len(one.row.columns))
    for number, (name, told) in enumerate(one.row.series.items()):
        if name not in one.values:
            continue
        colour = f"C{number % 10}"
        axes.plot(places, one.values[name], color=colour, label=name)
        axes.plot(places, told, color=colour, ls="", marker="x")
    unit = f", {one.row.unit}" if one.row.unit else ""
    axes.set_xticks(places, one.row.columns, rotation=45, fontsize=7)
    _finish(axes, f"{one.row.place}{unit}: {one.row.says}")


def _curves(axes: Any, one: Filled, curves: Curves) -> None:
    for number, (name, line) in enumerate(curves.lines.items()):
        axes.plot(curves.at, line, color=f"C{number}", marker=".", label=name)
        if name in curves.model:
            axes.plot(curves.at, curves.model[name], color=f"C{number}", ls="--")
    axes.set_xlabel(curves.across, fontsize=7)
    axes.set_ylabel(curves.up, fontsize=7)
    axes.margins(y=0.1)
    _finish(axes, f"{one.row.id}, {one.row.place}: {one.row.says}")


def _finish(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=8, loc="left")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
