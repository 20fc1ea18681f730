"""The page of a run: one HTML file with everything in it."""

from __future__ import annotations

import base64
from itertools import cycle
from pathlib import Path
from typing import Any

import jinja2

from lapwing.base.duration import format_clock, format_rate
from lapwing.inspect.census import COLUMNS, WORDS, exchange_cells
from lapwing.inspect.report.folder import CENSUS, HOW_TO_ADD, TIMELINE, Profile, RunFolder
from lapwing.io.result_files import PROFILE
from lapwing.run.summary import RankTimes, Summary

_MOST_BARS = 32  # ranks with a bar of their own
_STAGES = ("#64b5f6", "#4db6ac", "#9ccc65", "#7986cb", "#4fc3f7", "#26a69a", "#aed581", "#5c6bc0")
_MOVING = {"halo start": "#ffb74d", "halo wait": "#e57373"}
_ELSE = "#cfd8dc"


def make_page(folder: RunFolder) -> str:
    """The page as text. Local."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["inline"] = _inline
    there = {PROFILE: folder.profile, CENSUS: folder.census, TIMELINE: folder.timeline}
    return environment.get_template("page.html").render(
        run=folder,
        profile=None if folder.profile is None else _profile(folder.profile),
        census=None if folder.census is None else _census(folder),
        words=WORDS.strip(),
        missing={
            name: HOW_TO_ADD[name].replace("DIR", str(folder.path))
            for name, found in there.items()
            if found is None
        },
    )


def _inline(picture: Path) -> str:
    """A picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode()


def _profile(profile: Profile) -> dict[str, Any]:
    """The numbers of a profile as the page shows them."""
    summary = profile.summary
    ranks, longest = summary.ranks, max(summary.stepping, 1e-12)
    slowest = sorted(range(len(ranks)), key=lambda rank: -ranks[rank].stepping)[:_MOST_BARS]
    colours = dict(zip(ranks[0].stages, cycle(_STAGES), strict=False)) | _MOVING | {"else": _ELSE}
    return {
        "about": profile,
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


def _census(folder: RunFolder) -> dict[str, Any]:
    """The table of the exchanges, and halos that no stage reads."""
    census = folder.census
    assert census is not None
    return {
        "about": census,
        "columns": COLUMNS,
        "rows": [exchange_cells(row, census.steps) for row in census.exchanges],
        "needless": census.needless(),
    }
