"""The cheapest blocks that another model can make and drop."""

from __future__ import annotations

import math
from bisect import bisect_right
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError
from lapwing.core.partition import Box, CostModel, Grid, Mask, Partition, Subdomain, partition_cost
from lapwing.partition.layouts.layout import Layout
from lapwing.partition.layouts.plan import LayoutPlanner, block_edges

_LONGEST = 4.0  # longer side of a block over the shorter one, where that is possible
_IDLE = 0.9  # layouts with fewer ranks than so much of the fullest are not priced


def choose_layout(
    kind: str,
    wet: NDArray[np.bool_],
    ranks: int,
    model: CostModel,
    preferred: tuple[int, int] | None = None,
) -> Layout:
    """Return the layout of least cost with at most `ranks` ranks, under another model's rules.

    Local. `kind`: one of KINDS; `wet`: array [nx, ny]; `preferred`: blocks along x and y that are
    taken where these rules allow them with that many ranks. Otherwise every number of blocks along
    x is tried, with as many along y as the ranks allow. Blocks are not trimmed, as these models do
    not trim them. UserError as `plan_layout`. Takes seconds for a thousand ranks.
    """
    return choose_planned(LayoutPlanner(kind, wet, model.width), ranks, model, preferred)


def choose_planned(
    planner: LayoutPlanner,
    ranks: int,
    model: CostModel,
    preferred: tuple[int, int] | None = None,
) -> Layout:
    """Return what `choose_layout` does, by a planner that others use too. Local."""
    if preferred is not None:
        with suppress(UserError):  # blocks that this model does not make
            layout = planner.plan(preferred)
            if layout.ranks <= ranks:
                return layout
    mask = planner.mask
    share = mask.count(Grid(planner.shape).box) / math.prod(planner.shape)
    layouts = _fullest(planner, share, ranks) or [planner.plan((1, 1))]
    return min(layouts, key=lambda layout: (layout_cost(layout, mask, model), layout.blocks))


def layout_cost(layout: Layout, mask: Mask, model: CostModel) -> float:
    """Return the cost of the remaining blocks, numbered with x fastest, with equal ranks. Local.

    Cells that no block owns cost nothing.
    """
    numbers = ("wet", "dry", "off", "on", "latency", "width", "ranks_per_node")
    alike = CostModel(**{name: getattr(model, name) for name in numbers})
    return partition_cost(layout_partition(layout), mask, alike).cost


def layout_partition(layout: Layout) -> Partition:
    """Return the blocks that are left, a rank for each. Local."""
    assert layout.size is not None
    x, y = (
        block_edges(layout.kind, cells, parts, layout.halo)
        for cells, parts in zip(layout.size, layout.blocks, strict=True)
    )
    dropped = set(layout.dropped)
    kept = [
        Box((x[i], y[j], 0), (x[i + 1], y[j + 1], 1))
        for j in range(layout.blocks[1])
        for i in range(layout.blocks[0])
        if (i, j) not in dropped
    ]
    subdomains = [Subdomain(rank, box) for rank, box in enumerate(kept)]
    return Partition(Grid(layout.size), len(kept), subdomains)


def _fullest(planner: LayoutPlanner, wet_share: float, ranks: int) -> list[Layout]:
    """The layouts with the most ranks up to a limit, one for each number of blocks along x."""
    most = int(2 * ranks / wet_share) + 16  # blocks
    along_x, along_y = (
        [n for n in range(1, min(cells, most) + 1) if planner.makes(axis, n)]
        for axis, cells in enumerate(planner.shape)
    )
    found: dict[tuple[int, int], int] = {}  # blocks, their ranks
    for longest in (_LONGEST, math.inf):
        for m in along_x:
            rows = [n for n in along_y if m * n <= most and _compact(planner, m, n, longest)]
            found |= _fullest_rows(planner, m, rows, ranks)
        if found:
            break
    fullest = max(found.values(), default=0)
    # A rank left idle costs about its share, and there are many layouts to price.
    return [planner.plan(blocks) for blocks, used in found.items() if used >= _IDLE * fullest]


def _fullest_rows(
    planner: LayoutPlanner, m: int, rows: list[int], ranks: int
) -> dict[tuple[int, int], int]:
    """The layout with `m` blocks along x, none or one; more `rows` along y need more ranks."""
    fitting = bisect_right(rows, ranks, key=lambda n: planner.ranks((m, n)))
    if not fitting:
        return {}
    blocks = (m, rows[fitting - 1])
    return {blocks: planner.ranks(blocks)}


def _compact(planner: LayoutPlanner, m: int, n: int, longest: float) -> bool:
    sides = (planner.shape[0] / m, planner.shape[1] / n)
    return max(sides) <= longest * min(sides)
