"""`lapwing report`: the results of a run as one HTML page with everything in it."""

from __future__ import annotations

import base64
import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

import jinja2
import typer

from lapwing.base.agreement import DONE
from lapwing.base.atomic_file import check_file, write_text_file
from lapwing.base.duration import format_clock, format_rate
from lapwing.base.error import UserError, user_error
from lapwing.commands.census import COLUMNS, WORDS, census_of, exchange_cells
from lapwing.commands.options import Debug, answered
from lapwing.io.result_files import (
    CASE,
    OUTPUT,
    OUTPUT_STORE,
    POINTS,
    PROFILE,
    RESTART,
    RESTART_STORE,
)
from lapwing.io.store.store_reader import StoreReader, is_store
from lapwing.run.pictures import PARTITION
from lapwing.run.summary import RankTimes, Summary, summary_of

CENSUS, TIMELINE = "census.json", "timeline.png"
_MOST_BYTES = 64 * 2**20  # largest file that goes into the page

_MOST_BARS = 32  # ranks with a bar of their own
_STAGES = ("#64b5f6", "#4db6ac", "#9ccc65", "#7986cb", "#4fc3f7", "#26a69a", "#aed581", "#5c6bc0")
_MOVING = {"halo start": "#ffb74d", "halo wait": "#e57373"}
_ELSE = "#cfd8dc"


@answered
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run's results.", metavar="DIR")],
    out: Annotated[
        Path | None,
        typer.Option(help="The page. Default: DIR/report.html.", metavar="FILE"),
    ] = None,
    debug: Debug = False,
) -> int:
    """Make one HTML page of a run: speed, pictures, where the time went, settings.

    The page holds everything in itself and opens in any browser without a
    network, so it can be sent to a colleague. It shows what is in DIR: what
    `lapwing run` left there, and a census and a timeline if those commands wrote
    them there; it names the commands for what is missing. Nothing is run.

    Examples:

    lapwing run northsea --ranks 2 && lapwing report out/northsea

    lapwing census out/northsea/case.toml --ranks 2 --json out/northsea/census.json

    lapwing timeline out/northsea/case.toml --ranks 2 --out out/northsea

    lapwing report out/northsea --out northsea.html
    """
    content = _content(folder)
    file = out or folder / "report.html"
    check_file("--out", file)
    write_text_file(str(file), file, _page(content))
    print(f"report      {file}")
    return DONE


# ---- the folder of a run


def _content(folder: Path) -> dict[str, Any]:
    """The results of a run, as the page shows them; None or empty for what is not there. Local.

    UserError where it is not the folder of a run, and for a file in it that cannot be read.
    """
    if not (folder / CASE).is_file():
        got = f"no {CASE} in it" if folder.is_dir() else "no such folder"
        remedy = "make one with `lapwing run CASE --out DIR`"
        raise user_error(str(folder), got, "the folder of a run", remedy)
    settings, case = _settings(folder / CASE)
    content = {
        "path": folder,
        "settings": settings,
        "model": str(case.get("model", "")),
        "title": str(case.get("title", "")),
        "profile": _report(folder / PROFILE, "lapwing-profile-1", _profile),
        "census": _report(folder / CENSUS, "lapwing-census-1", _census),
        "pictures": [
            path for path in sorted(folder.glob("*.png")) if path.name not in (PARTITION, TIMELINE)
        ],
        "partition": _there(folder / PARTITION),
        "timeline": _there(folder / TIMELINE),
        "variables": _variables(folder / OUTPUT) or _variables_of_store(folder / OUTPUT_STORE),
        "files": [_file(path) for name in _RESULTS if (path := folder / name).exists()],
    }
    there = {PROFILE: content["profile"], CENSUS: content["census"], TIMELINE: content["timeline"]}
    content["missing"] = {
        name: HOW_TO_ADD[name].replace("DIR", str(folder))
        for name, found in there.items()
        if found is None
    }
    return content


_RESULTS = (OUTPUT, OUTPUT_STORE, POINTS, RESTART, RESTART_STORE, CASE, PROFILE)


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _unreadable(path: Path, got: object, expected: str) -> UserError:
    command = HOW_TO_ADD.get(path.name, "lapwing run")
    return user_error(str(path), str(got), expected, f"remove it, or write it again: {command}")


def _text(path: Path) -> str:
    """The text of a file that is small enough to be shown."""
    if path.stat().st_size > _MOST_BYTES:
        raise _unreadable(path, f"{path.stat().st_size:,} bytes", f"at most {_MOST_BYTES:,}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise _unreadable(path, problem, "text") from None


def _settings(path: Path) -> tuple[str, dict[str, Any]]:
    text = _text(path)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise _unreadable(path, problem, "a case in TOML") from None


def _report(
    path: Path, schema: str, shown: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any] | None:
    """Read the JSON that a command wrote and return what is shown; None if there is no file."""
    if not path.is_file():
        return None
    try:
        document = json.loads(_text(path))
        if document["schema"] != schema:
            raise _unreadable(path, f"schema {document['schema']}", schema)
        return shown(document)
    except (ValueError, KeyError, TypeError, IndexError) as problem:
        raise _unreadable(path, repr(problem), f"JSON of {schema}") from None


# parts that a folder may lack, and the commands that add them
HOW_TO_ADD = {
    PROFILE: "lapwing run --resume DIR, or run the case again",
    CENSUS: "lapwing census DIR/case.toml --ranks N --json DIR/census.json",
    TIMELINE: "lapwing timeline DIR/case.toml --ranks N --out DIR",
}


def _variables(path: Path) -> list[tuple[str, ...]]:
    """Name, long name, units and dimensions of the variables of the NetCDF file."""
    if not path.is_file():
        return []
    import netCDF4

    try:
        with netCDF4.Dataset(path) as data:
            return [
                (
                    name,
                    str(getattr(one, "long_name", "")),
                    str(getattr(one, "units", "")),
                    ", ".join(
                        f"{dim} {n:,}" for dim, n in zip(one.dimensions, one.shape, strict=True)
                    ),
                )
                for name, one in data.variables.items()
            ]
    except OSError as problem:
        raise _unreadable(path, problem, "a NetCDF file") from None


def _variables_of_store(path: Path) -> list[tuple[str, ...]]:
    """The same of the arrays of a store."""
    if not is_store(path):
        return []
    return [
        (
            name,
            str(one.attributes.get("long_name", "")),
            one.units,
            ", ".join(f"{dim} {n:,}" for dim, n in zip(one.dimensions, one.shape, strict=True)),
        )
        for name, one in StoreReader(path).variables.items()
    ]


def _file(path: Path) -> tuple[str, int, str]:
    found = [file.stat() for file in (path.rglob("*") if path.is_dir() else [path])]
    changed = datetime.fromtimestamp(max(file.st_mtime for file in found), UTC)
    return path.name, sum(file.st_size for file in found), f"{changed:%Y-%m-%d %H:%M:%S}"


# ---- the page


def _page(content: dict[str, Any]) -> str:
    """The page as text. Local."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "pages")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["inline"] = _inline
    return environment.get_template("report.html").render(**content, words=WORDS.strip())


def _inline(picture: Path) -> str:
    """A picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode()


def _profile(document: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a profile as the page shows them."""
    summary = summary_of(document)
    ranks, longest = summary.ranks, max(summary.stepping, 1e-12)
    slowest = sorted(range(len(ranks)), key=lambda rank: -ranks[rank].stepping)[:_MOST_BARS]
    colours = dict(zip(ranks[0].stages, cycle(_STAGES), strict=False)) | _MOVING | {"else": _ELSE}
    return {
        **{
            name: document[name] for name in ("cut", "strategy", "transport", "machine", "versions")
        },
        "way": summary.way,
        "steps": f"{summary.steps:,}",
        "ranks": len(ranks),
        "rate": format_rate(summary.steps / longest),
        "wall": f"{summary.wall:.2f} s" if summary.wall < 10 else format_clock(summary.wall),
        "output": f"{max(rank.keeping + rank.closing for rank in ranks):.3f} s",
        "colours": colours,
        "bars": [(rank, _bar(ranks[rank], longest, colours)) for rank in sorted(slowest)],
        "rows": [_row(part, ranks, summary.steps) for part in colours],
        "moved": [_moved(part, summary) for part in ("messages", "bytes")],
    }


def _parts(rank: RankTimes) -> dict[str, float]:
    """Seconds of a rank by stage, in moving halos, and what is left."""
    parts = rank.stages | {"halo start": rank.halo_start, "halo wait": rank.halo_wait}
    return parts | {"else": max(0.0, rank.stepping - sum(parts.values()))}


def _bar(
    rank: RankTimes, longest: float, colours: dict[str, str]
) -> list[tuple[str, str, float, str]]:
    """The pieces of a rank's bar: name, colour, share of the longest rank in percent, and words."""
    return [
        (part, colours[part], 100 * seconds / longest, f"{1e3 * seconds:,.3g} ms")
        for part, seconds in _parts(rank).items()
    ]


def _row(part: str, ranks: list[RankTimes], steps: int) -> tuple[str, ...]:
    """A part of the step: microseconds per step, mean and largest; share of the step, both."""
    seconds = [_parts(rank)[part] for rank in ranks]
    shares = [s / max(rank.stepping, 1e-12) for s, rank in zip(seconds, ranks, strict=True)]
    per_step = [1e6 * s / max(steps, 1) for s in seconds]
    return (
        part,
        f"{sum(per_step) / len(ranks):,.2f}",
        f"{max(per_step):,.2f}",
        f"{100 * sum(shares) / len(ranks):.1f}",
        f"{100 * max(shares):.1f}",
    )


def _moved(part: str, summary: Summary) -> tuple[str, ...]:
    """The bytes sent per step: by all ranks, and by the rank that sends most."""
    total, largest = summary.moved(part)
    return part, f"{total:,.1f}", f"{largest:,.1f}"


def _census(document: dict[str, Any]) -> dict[str, Any]:
    """The table of the exchanges, and halos that no stage reads."""
    census = census_of(document)
    return {
        "about": census,
        "columns": COLUMNS,
        "rows": [exchange_cells(row, census.steps) for row in census.exchanges],
        "needless": census.needless(),
    }
