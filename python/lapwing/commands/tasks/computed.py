"""The tiles of each stage: how many there are, their kernel calls, and cells computed twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapwing.core._core import Box


@dataclass(frozen=True)
class StageCount:
    """A rank's share of a stage in each step. Cells of all levels count."""

    stage: str
    tiles: float  # tasks of the stage
    calls: float  # calls of its kernel: adjacent tiles along x that are ready share one
    cells: float
    twice: float  # cells of them that another rank computes too, as `deep` does around its boxes
    dry_tiles: float = 0  # tiles that are not computed, as they hold no water
    land: float = 0  # cells that are not computed


def count_stages(
    outline: Mapping[str, Any], owned: Sequence[Box], calls: Mapping[str, float]
) -> list[StageCount]:
    """Count what a rank computes per step of its steady state. Local.

    `outline`: as of RankOutline.data(); `owned`: the boxes of the rank; `calls`: measured per step
    by stage, of which each goes through all stretches of water of a tile.
    """
    steps = sum(step["steps"] for step in outline["steps"])
    tiles: Counter[str] = Counter()
    more_calls: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    twice: Counter[str] = Counter()
    dry_tiles: Counter[str] = Counter()
    land: Counter[str] = Counter()
    names = outline["stages"]
    for step in outline["steps"]:
        for task in step["tasks"]:
            if task["kind"] != "compute" or task["cells"] == 0:
                continue
            name = names[task["stage"]]
            tiles[name] += 1
            more_calls[name] += task["calls"] - 1
            cells[name] += task["cells"]
            twice[name] += task["cells"] * _share_outside(task["box"], owned[task["block"]])
        for name, (dry, left_out) in zip(step["names"], step["left_out"], strict=True):
            dry_tiles[name] += dry
            land[name] += left_out
    return [
        StageCount(
            stage=name,
            tiles=tiles[name] / steps,
            calls=calls[name] + more_calls[name] / steps,
            cells=cells[name] / steps,
            twice=twice[name] / steps,
            dry_tiles=dry_tiles[name] / steps,
            land=land[name] / steps,
        )
        for name in names
        if tiles[name] + dry_tiles[name] > 0
    ]


def _share_outside(box: tuple[Sequence[int], Sequence[int]], owned: Box) -> float:
    """The share of a box's cells that are not the rank's own."""
    edges = zip(*box, owned.lo, owned.hi, strict=True)
    inside = prod(max(0, min(high, last) - max(low, first)) for low, high, first, last in edges)
    return 1 - inside / prod(high - low for low, high in zip(*box, strict=True))
