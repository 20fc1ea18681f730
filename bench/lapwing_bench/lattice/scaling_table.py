"""The table of a simulated strong scaling, as Markdown."""

from __future__ import annotations

from lapwing_bench.lattice.scaling import METHODS, Scaled

_HEADS = ("nodes", "cut", "blocks", "cells", *METHODS, "model", f"{METHODS[0]} / model - 1")


def heading() -> str:
    """The two lines above the rows; speeds are MLUP/s. Local."""
    return f"{_line(_HEADS)}\n{_line(['---'] * len(_HEADS))}"


def line_of(point: Scaled) -> str:
    """The line of one point. Local."""
    speeds = [f"{point.rate(point.step[method]):.0f}" for method in METHODS]
    sizes = ["x".join(map(str, numbers)) for numbers in (point.blocks, point.cells)]
    modelled = [f"{point.rate(point.modelled):.0f}", f"{100 * point.difference:+.1f} %"]
    return _line((str(point.nodes), point.cut, *sizes, *speeds, *modelled))


def _line(words: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(words) + " |"
